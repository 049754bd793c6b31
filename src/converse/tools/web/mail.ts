import { z } from "zod";
import type { Policy } from "../../../domain/policy.ts";
import type { AgentTool } from "../tool.ts";

const input = z.object({
  to: z.array(z.email()).min(1).max(20),
  subject: z
    .string()
    .min(1)
    .max(300)
    .regex(/^[^\r\n\0]*$/),
  text: z.string().max(100_000),
});
export type MailInput = z.output<typeof input>;
export type MailSettings = Policy["mail"];

/** Null if the owner named no server. */
export function makeMailTool(settings: MailSettings): AgentTool | null {
  if (settings.host === "" || settings.from === "") return null;
  const tool: AgentTool<typeof input> = {
    name: "mail",
    description: "Sends a mail as plain text.",
    input,
    effect: "external",
    isCheap: false,
    describeAction: ({ to }) =>
      `mail ${to
        .map((one) => one.toLowerCase())
        .toSorted()
        .join(", ")}`,
    summarise: ({ to, subject }) => `mail to ${to.join(", ")}: ${subject}`,
    examine: async (_ctx, { to }) => ({ place: "inside", target: to.join(", ") }),
    preview: async (_ctx, { to, subject, text }) =>
      `From: ${settings.from}\nTo: ${to.join(", ")}\nSubject: ${subject}\n\n${text}`,
    run: async (ctx, given) => (await import("./send-mail.ts")).sendMail(ctx, settings, given),
  };
  return tool;
}

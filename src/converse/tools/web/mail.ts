import { z } from "zod";
import type { Policy } from "../../../domain/policy.ts";
import { errorMessage } from "../../../lib/errors.ts";
import type { AgentTool, ToolContext, ToolResult } from "../tool.ts";

const input = z.object({
  to: z.array(z.email()).min(1).max(20),
  subject: z
    .string()
    .min(1)
    .max(300)
    .regex(/^[^\r\n\0]*$/),
  text: z.string().max(100_000),
});
type MailInput = z.output<typeof input>;
type MailSettings = Policy["mail"];

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
    run: (ctx, given) => sendMail(ctx, settings, given),
  };
  return tool;
}

async function sendMail(
  ctx: ToolContext,
  settings: MailSettings,
  { to, subject, text }: MailInput,
): Promise<ToolResult> {
  const { createTransport } = await import("nodemailer");
  const { host, port, user, password, from, plain } = settings;
  const transport = createTransport({
    ...{ host, port, secure: port === 465, requireTLS: !plain && port !== 465, ignoreTLS: plain },
    ...(user === "" ? {} : { auth: { user, pass: password ?? "" } }),
    // A text must never be read from a file or an address.
    ...{ disableFileAccess: true, disableUrlAccess: true },
    ...{ connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS },
  });
  const stop = () => transport.close();
  ctx.signal.addEventListener("abort", stop, { once: true });
  try {
    const { accepted, rejected } = await transport.sendMail({ from, to: [...to], subject, text });
    if (rejected.length > 0)
      return { ok: false, text: `Sent to ${accepted.join(", ") || "nobody"}; rejected: ${rejected.join(", ")}.` };
    return { ok: true, text: `Sent to ${accepted.join(", ")}.` };
  } catch (error) {
    return { ok: false, text: `Not sent: ${errorMessage(error)}` };
  } finally {
    ctx.signal.removeEventListener("abort", stop);
    transport.close();
  }
}

const TIMEOUT_MS = 30_000;

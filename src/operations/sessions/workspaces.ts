import { z } from "zod";
import { isEventVisible } from "../../domain/trust/visibility.ts";
import { iso } from "../../lib/clock.ts";
import { plural } from "../../lib/text.ts";
import { defineOperation } from "../../operation.ts";
import { listWorkspaces } from "../../store/sessions/workspaces.ts";
import { limitInput } from "../shared/shapes.ts";

const list = defineOperation({
  name: "workspaces list",
  summary: "The folders in which agents worked, the latest first.",
  effect: "touches",
  prepare: ["events"],
  input: z.object({ limit: limitInput(50) }),
  output: z.object({
    workspaces: z.array(z.object({ workspace: z.string(), sessions: z.number(), lastAt: z.string() })),
  }),
  run: async (ctx, input) => ({
    workspaces: (await listWorkspaces(ctx.db, input.limit))
      .filter((one) => isEventVisible(ctx, one.workspace))
      .map((one) => ({ ...one, lastAt: iso(one.lastAt) })),
  }),
  render: ({ workspaces }) =>
    workspaces.length === 0
      ? "No session has told in which folder it worked."
      : workspaces
          .map((one) => `${one.lastAt}  ${plural(one.sessions, "session").padStart(14)}  ${one.workspace}`)
          .join("\n"),
});

export const workspaceOperations = [list] as const;

import { z } from "zod";
import { plural } from "../../lib/text.ts";
import { defineOperation } from "../../operation.ts";
import { countAnswerUses, type UseCounts } from "../../recall/answers/uses.ts";
import { workspaceInput } from "../shared/shapes.ts";

const uses = { answers: z.number(), used: z.number() };

const answers = defineOperation({
  name: "answers",
  summary: "Counts the answers given to failed calls, and how many of them one of the next 8 calls used.",
  effect: "touches",
  prepare: ["events"],
  byWorkspace: true,
  input: z.object({ workspace: workspaceInput("only calls in this folder") }),
  output: z.object({
    shown: z.object(uses).describe("answers that sessions were shown, and how many of them were used"),
    without: z.object(uses).describe("answers not shown to the control group, and how many it found by itself"),
    causes: z.array(z.object({ cause: z.string(), ...uses })).describe("answers shown, by the cause of the failure"),
  }),
  run: async ({ db }, { workspace }) => {
    const counted = await countAnswerUses(db, workspace);
    return { ...counted, causes: [...counted.causes] };
  },
  render: ({ shown, without, causes }) =>
    shown.answers + without.answers === 0
      ? "No failed call has been answered yet."
      : [
          `${plural(shown.answers, "answer")} shown, used ${formatShare(shown)}; control group: ${without.answers} not shown, ${without.used} found anyway`,
          ...causes.map(
            (one) => `  ${one.cause.padEnd(16)} ${plural(one.answers, "answer")}, used ${formatShare(one)}`,
          ),
        ].join("\n"),
});

function formatShare({ answers: all, used }: UseCounts): string {
  return all === 0 ? "0" : `${used} (${Math.round((100 * used) / all)} %)`;
}

export const answerOperations = [answers] as const;

import { z } from "zod";
import type { RulePreview } from "../../distil/report/preview-rule.ts";
import { iso } from "../../lib/clock.ts";
import { plural } from "../../lib/text.ts";

/** What a rule against a command would and would not match. */
export const previewShape = z
  .object({
    examples: z
      .array(z.object({ command: z.string(), matches: z.boolean() }))
      .describe("commands similar to the given one"),
    history: z.object({
      calls: z.number().describe("recorded calls of the same command, with any flags"),
      matched: z.number().describe("commands that the rule matches"),
      last: z.array(
        z.object({
          at: z.string(),
          host: z.string(),
          session: z.string(),
          seq: z.number(),
          command: z.string(),
        }),
      ),
      near: z.array(z.object({ command: z.string(), times: z.number() })).describe("commands that it does not match"),
    }),
  })
  .meta({ id: "RulePreview" });

export function previewOut({ examples, history }: RulePreview): z.infer<typeof previewShape> {
  return {
    examples: [...examples],
    history: {
      ...history,
      last: history.last.map((one) => ({ ...one, at: iso(one.at) })),
      near: [...history.near],
    },
  };
}

export function formatPreview({ examples, history }: z.infer<typeof previewShape>): string {
  const of = (matches: boolean) => examples.filter((one) => one.matches === matches).map((one) => `  ${one.command}`);
  const [against, passing] = [of(true), of(false)];
  return [
    "would match",
    ...against,
    ...(passing.length === 0 ? [] : ["would not match", ...passing]),
    history.calls === 0
      ? "in history: no recorded call of this command"
      : `in history: ${history.matched} of ${plural(history.calls, "recorded call")} of this command`,
    ...history.last.map((one) => `  ${one.at.slice(0, 16)}  ${one.host}  ${one.command}`),
    ...(history.near.length === 0 ? [] : ["similar, not matched"]),
    ...history.near.map((one) => `  ${one.command}${one.times > 1 ? ` (${one.times} times)` : ""}`),
  ].join("\n");
}

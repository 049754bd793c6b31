import { z } from "zod";
import { backtest, hasMatcher } from "../distil/backtest.ts";
import { inWords } from "../domain/rule-sentence.ts";
import { levels } from "../domain/rule.ts";
import { OldhandError } from "../lib/errors.ts";
import { plural } from "../lib/text.ts";
import { operation, type Operation } from "../operation.ts";
import { digest } from "../store/digest.ts";
import { findRule } from "./find-rule.ts";
import { backtestShape } from "./shapes.ts";

const rulesBacktest = operation({
  name: "rules backtest",
  summary: "Replays a rule over everything recorded: how often it would have spoken, and how often rightly.",
  kind: "read",
  input: z.object({ id: z.string().min(1).describe("the rule's id, as in `oldhand rules`") }),
  positional: ["id"],
  output: backtestShape.extend({
    rule: z.string(),
    matcher: z.string(),
    ceiling: z.object({ level: z.enum(levels), reason: z.string() }),
    sessions: z.object({ met: z.number(), failed: z.number() }),
  }),
  run: async (world, input) => {
    const rule = await findRule(world.db, input.id);
    if (!hasMatcher(rule))
      throw new OldhandError("usage", `rule ${rule.id} has no matcher: there is nothing to replay`, {
        hint: "rules from the ledger or by hand without --command only advise",
      });
    await digest(world.db);
    return { rule: rule.id, matcher: inWords(rule.matcher), ...(await backtest(world, rule)) };
  },
  render: (one) =>
    [
      `${one.matcher}`,
      `  the situation arose ${plural(one.opportunities, "time")} in ${plural(one.sessions.met, "session")}`,
      `  it would have spoken ${plural(one.fired, "time")}: ${one.hits} rightly, ${plural(one.falseAlarms, "false alarm")}`,
      `  precision ${percent(one.precision)}, at least ${percent(one.lower)} (95 %)`,
      `  allows ${one.ceiling.level} (${one.ceiling.reason})`,
    ].join("\n"),
});

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}

export const ruleEvidenceOperations: readonly Operation[] = [rulesBacktest];

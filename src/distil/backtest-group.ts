import { headOf, matches } from "../domain/rule/matcher.ts";
import type { Policy } from "../domain/policy.ts";
import { covers, type Level, type Matcher, type Scope } from "../domain/rule/rule.ts";
import { groupOf, stepsOf } from "../domain/shell/step.ts";
import { wilsonLower } from "../domain/proof/wilson.ts";
import type { Db } from "../store/engine/db.ts";
import { type TriedEvent, triesOf } from "../store/tries.ts";
import type { Backtest } from "./proposal.ts";

/** A group larger than this is told by its latest calls. */
const LOOKED_AT = 20_000;

/** How a matcher does on the recorded calls of its own command or tool. */
export async function backtestGroup(
  db: Db,
  rule: { readonly matcher: Matcher; readonly scope: Scope },
  isHit: (tried: TriedEvent) => boolean,
): Promise<Backtest> {
  const { matcher, scope } = rule;
  const group = matcher.tool === "shell" ? groupOf("bash", headOf(matcher)) : matcher.tool;
  const inScope = (await triesOf(db, group, LOOKED_AT)).filter((one) => covers(scope, one.event.workspace));
  const fired = inScope.filter(({ event, state }) => matches(matcher, stepsOf(event), new Set(state)));
  const hits = fired.filter(isHit).length;
  return {
    opportunities: inScope.length,
    fired: fired.length,
    hits,
    falseAlarms: fired.length - hits,
    precision: fired.length === 0 ? 0 : hits / fired.length,
    lower: wilsonLower(hits, fired.length),
  };
}

/** As far as recorded calls allow it without anybody's word. */
export function levelOf(tested: Backtest, policy: Policy["distil"]): Level {
  return tested.fired >= policy.opportunitiesBeforeSpeaking && tested.lower >= policy.nudgePrecision
    ? "nudge"
    : "watch";
}

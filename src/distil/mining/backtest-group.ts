import { matcherHeads, matchesSteps } from "../../domain/rule/matching/matcher.ts";
import type { BacktestTally } from "../../domain/rule/promote.ts";
import { scopeCovers, type Matcher, type Scope } from "../../domain/rule/rule.ts";
import { makeCallGroup, parseSteps } from "../../domain/shell/step.ts";
import { wilsonLower } from "../../domain/proof/wilson.ts";
import type { Db } from "../../store/engine/db.ts";
import { type TriedEvent, listTries } from "../../store/derived/tries.ts";
import type { Backtest } from "./proposal.ts";

/** For a larger group, only the latest calls are tested. */
const LOOKED_AT = 20_000;

/** Backtests a matcher on the recorded calls of its own command or tool. */
export async function backtestGroup(
  db: Db,
  rule: { readonly matcher: Matcher; readonly scope: Scope },
  isHit: (tried: TriedEvent) => boolean,
): Promise<Backtest & Pick<BacktestTally, "sessions">> {
  const { matcher, scope } = rule;
  const heads = matcherHeads(matcher);
  const groups =
    matcher.tool !== "shell"
      ? [matcher.tool]
      : (heads.length > 0 ? heads : [null]).map((head) => makeCallGroup("bash", head));
  const tries = new Map<number, TriedEvent>();
  for (const group of groups) for (const one of await listTries(db, group, LOOKED_AT)) tries.set(one.event.id, one);
  const inScope = [...tries.values()].filter((one) => scopeCovers(scope, one.event.workspace));
  const fired = inScope.filter(({ event, state }) => matchesSteps(matcher, parseSteps(event), new Set(state)));
  const right = fired.filter(isHit);
  const hits = right.length;
  return {
    opportunities: inScope.length,
    fired: fired.length,
    hits,
    falseAlarms: fired.length - hits,
    precision: fired.length === 0 ? 0 : hits / fired.length,
    lower: wilsonLower(hits, fired.length),
    sessions: new Set(right.map(({ event }) => `${event.host} ${event.session}`)).size,
  };
}

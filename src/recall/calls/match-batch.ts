import type { Event, NewEvent } from "../../domain/event/event.ts";
import { matchesSteps } from "../../domain/rule/matching/matcher.ts";
import { scopeCovers, compareHardestFirst, type Rule } from "../../domain/rule/rule.ts";
import { newSituation, type Situation } from "../../domain/rule/matching/situation.ts";
import { ANY_EDIT, matchesTool, parseSteps } from "../../domain/shell/step.ts";

/** The rules that match a recorded call. */
export interface BatchMatch {
  readonly ref: { readonly session: string; readonly seq: number };
  readonly rules: readonly Rule[];
}

type RecordedCall = Omit<NewEvent, "seq"> & Pick<Event, "seq">;

/** Matches recorded calls in order: each sees only earlier calls of its session, not its own outcome. */
export function newBatchMatcher(rules: readonly Rule[]): (call: RecordedCall) => BatchMatch {
  const situations = new Map<string, Situation>();
  const byTool = new Map<string, Rule[]>();
  for (const rule of rules) {
    if (rule.matcher === null) continue;
    byTool.set(rule.matcher.tool, [...(byTool.get(rule.matcher.tool) ?? []), rule]);
  }
  return (call) => {
    const ref = { session: call.session, seq: call.seq };
    if (call.tool === null) return { ref, rules: [] };
    const tool = call.tool;
    const situation = situations.get(`${call.host} ${call.session}`) ?? newSituation();
    situations.set(`${call.host} ${call.session}`, situation);
    const steps = parseSteps({ ...call, tool });
    const state = new Set([...situation.before({ ...call, tool }), ...situation.listRuns(call.agent)]);
    situation.after({ ...call, tool });
    const shown = steps[0]?.tool ?? "";
    const any = matchesTool(ANY_EDIT, shown) ? (byTool.get(ANY_EDIT) ?? []) : [];
    const found = [...(byTool.get(shown) ?? []), ...any].filter(
      (rule) =>
        rule.matcher !== null && scopeCovers(rule.scope, call.workspace) && matchesSteps(rule.matcher, steps, state),
    );
    return { ref, rules: found.toSorted(compareHardestFirst) };
  };
}

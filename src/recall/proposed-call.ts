import { isShellTool, mainCommand } from "../domain/shell/command.ts";
import { shellTextOf } from "../domain/shell/shell-text.ts";
import { asksSituation, matches, withoutSituation } from "../domain/rule/matcher.ts";
import type { Matcher } from "../domain/rule/rule.ts";
import { readCall } from "../domain/event/reading.ts";
import { newSituation } from "../domain/rule/situation.ts";
import { stepsOf } from "../domain/shell/step.ts";
import type { Db } from "../store/engine/db.ts";
import { callsOfSession } from "../store/events.ts";
import type { PossibleCall } from "./before-call.ts";

const nothing: ReadonlySet<string> = new Set();

/** Tells of matchers whether they fit the call. What happened before in the session is read only for those that ask. */
export function matchesCall(db: Db, call: PossibleCall): (matcher: Matcher) => Promise<boolean> {
  const steps = stepsOf(call);
  let state: ReadonlySet<string> | null = null;
  return async (matcher) => {
    if (!asksSituation(matcher)) return matches(matcher, steps, nothing);
    if (!matches(withoutSituation(matcher), steps, nothing)) return false;
    state ??= await stateBefore(db, call);
    return matches(matcher, steps, state);
  };
}

async function stateBefore(db: Db, call: PossibleCall): Promise<ReadonlySet<string>> {
  const situation = newSituation();
  const before = call.session === null ? [] : await callsOfSession(db, { host: call.host, id: call.session });
  for (const done of before)
    if (done.tool !== null && done.uid !== call.uid)
      situation.after({ ...done, ...(done.outcome === null ? readCall(done) : {}), tool: done.tool });
  const shell = isShellTool(call.tool) ? shellTextOf(call.input) : null;
  return situation.before({ ...call, head: shell === null ? null : (mainCommand(shell)?.head ?? null) });
}

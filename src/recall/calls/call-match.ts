import { isShellTool, findMainCommand } from "../../domain/shell/command.ts";
import { findShellText } from "../../domain/shell/shell-text.ts";
import { needsSituation, matchesSteps, stripSituation } from "../../domain/rule/matching/matcher.ts";
import type { Matcher } from "../../domain/rule/rule.ts";
import { readCall } from "../../domain/cause/read-call.ts";
import { newSituation } from "../../domain/rule/matching/situation.ts";
import { parseSteps } from "../../domain/shell/step.ts";
import type { Db } from "../../store/engine/db.ts";
import { listSessionCalls } from "../../store/events/events.ts";
import type { PossibleCall } from "./before-call.ts";

const nothing: ReadonlySet<string> = new Set();

/** Returns a check whether a matcher fits the call. Reads earlier calls only for matchers that need them. */
export function newCallMatchCheck(db: Db, call: PossibleCall): (matcher: Matcher) => Promise<boolean> {
  const steps = parseSteps(call);
  let state: ReadonlySet<string> | null = null;
  return async (matcher) => {
    if (!needsSituation(matcher)) return matchesSteps(matcher, steps, nothing);
    if (!matchesSteps(stripSituation(matcher), steps, nothing)) return false;
    state ??= await readStateBefore(db, call);
    return matchesSteps(matcher, steps, state);
  };
}

async function readStateBefore(db: Db, call: PossibleCall): Promise<ReadonlySet<string>> {
  const situation = newSituation();
  const before = call.session === null ? [] : await listSessionCalls(db, { host: call.host, id: call.session });
  for (const done of before)
    if (done.tool !== null && done.uid !== call.uid)
      situation.after({ ...done, ...(done.outcome === null ? readCall(done) : {}), tool: done.tool });
  const shell = isShellTool(call.tool) ? findShellText(call.input) : null;
  return situation.before({ ...call, head: shell === null ? null : (findMainCommand(shell)?.head ?? null) });
}

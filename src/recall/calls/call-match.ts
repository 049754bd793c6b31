import { isShellTool, findMainCommand } from "../../domain/shell/command.ts";
import { findShellText } from "../../domain/shell/shell-text.ts";
import { needsSituation, matchesSteps, stripSituation } from "../../domain/rule/matching/matcher.ts";
import type { Matcher } from "../../domain/rule/rule.ts";
import { readCall } from "../../domain/cause/read-call.ts";
import { newSituation } from "../../domain/rule/matching/situation.ts";
import { parseSteps, type Step } from "../../domain/shell/step.ts";
import { SCRIPT_FOLDER_TRAIT } from "../../domain/shell/traits.ts";
import type { Db } from "../../store/engine/db.ts";
import { listSessionCalls } from "../../store/events/events.ts";
import type { PossibleCall } from "./before-call.ts";

const nothing: ReadonlySet<string> = new Set();

/**
 * Returns a check whether a matcher fits the call. Reads earlier calls only for matchers that need them; without a
 * database, those match nothing.
 */
export function newCallMatchCheck(db: Db | null, call: PossibleCall): (matcher: Matcher) => Promise<boolean> {
  const parsed = parseSteps(call);
  let state: ReadonlySet<string> | null = null;
  return async (given) => {
    const { matcher, steps } = await locate(given, parsed, call.workspace);
    if (!needsSituation(matcher)) return matchesSteps(matcher, steps, nothing);
    if (db === null || !matchesSteps(stripSituation(matcher), steps, nothing)) return false;
    state ??= await readStateBefore(db, call);
    return matchesSteps(matcher, steps, state);
  };
}

/** For a rule about a script: package managers look upwards for a manifest, so the disk says which folder is meant. */
async function locate(matcher: Matcher, steps: readonly Step[], workspace: string | null) {
  const isOfScript = matcher.has?.some((trait) => trait.startsWith(SCRIPT_FOLDER_TRAIT)) === true;
  if (!isOfScript || workspace === null) return { matcher, steps };
  return (await import("./script-home.ts")).moveToScriptHome(matcher, steps, workspace);
}

async function readStateBefore(db: Db, call: PossibleCall): Promise<ReadonlySet<string>> {
  const situation = newSituation();
  const before = call.session === null ? [] : await listSessionCalls(db, { host: call.host, id: call.session });
  for (const done of before)
    if (done.tool !== null && done.uid !== call.uid)
      situation.after({ ...done, ...(done.outcome === null ? readCall(done) : {}), tool: done.tool });
  const shell = isShellTool(call.tool) ? findShellText(call.input) : null;
  const head = shell === null ? null : (findMainCommand(shell)?.head ?? null);
  return new Set([...situation.before({ ...call, head }), ...situation.listRuns(call.agent)]);
}

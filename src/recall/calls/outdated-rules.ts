import { thisMachine } from "../../config.ts";
import type { LocatedCall } from "../../domain/fact/call-needs.ts";
import { factId, type Sighting } from "../../domain/fact/fact.ts";
import { mayMissModule, mayShowFact } from "../../domain/fact/may-show.ts";
import { needsSituation } from "../../domain/rule/matching/matcher.ts";
import type { Rule, ActiveRule } from "../../domain/rule/rule.ts";
import type { Db } from "../../store/engine/db.ts";
import { getRule } from "../../store/nouns/rules.ts";
import type { CitedFailure } from "./cited-failures.ts";

/** The workspace where rules would be shown, and the call that is about to run, if any. */
export interface SayingPlace {
  readonly workspace: string | null;
  readonly call?: LocatedCall | undefined;
}

/**
 * Drops mined rules that no longer hold here: the latest call that a rule about an unknown option, script or module warns
 * against has worked, what was missing exists now, or what is advised fails or is gone. Checks the disk, as for a fact: for what the call names, else for
 * what the rule's cited calls named. Rules at `ask` or `deny` stay: creating a file must
 * not bypass them.
 */
export async function dropOutdatedRules<T extends ActiveRule>(
  db: Db,
  rules: readonly T[],
  { workspace, call }: SayingPlace,
): Promise<readonly T[]> {
  if (workspace === null) return rules;
  const kept: T[] = [];
  for (const rule of rules) {
    const mayBeOver = rule.origin === "tool" && rule.level !== "ask" && rule.level !== "deny";
    const whole = mayBeOver ? await getRule(db, rule.id) : null;
    if (whole === null || !(await isOutdated(db, whole, { workspace, call }))) kept.push(rule);
  }
  return kept;
}

async function isOutdated(
  db: Db,
  rule: Rule,
  { workspace, call }: { readonly workspace: string; readonly call: LocatedCall | undefined },
): Promise<boolean> {
  if (rule.evidence.adviceFails !== undefined || (await isAdvisedPathGone(rule, workspace, call))) return true;
  const excerpts = rule.evidence.refs.map((ref) => ref.excerpt);
  const { hasWorkedSince, haveLatestWorked } = await import("./silenced-rules.ts");
  if (await haveLatestWorked(db, rule)) {
    const { isOfLastingCause } = await import("./disproved-rule.ts");
    if (isOfLastingCause(rule)) return true;
  }
  const hasWorked = await hasWorkedSince(db, rule, workspace);
  // Nobody has reviewed it, and what failed may be mended. A state that sessions repair says nothing.
  if (hasWorked && rule.status === "candidate" && isPlain(rule)) {
    const { mayBeMended } = await import("./disproved-rule.ts");
    if (mayBeMended(rule)) return true;
  }
  // Most rules end here: the code that recognises causes is loaded only if there is something to disprove.
  if (hasWorked || excerpts.some(mayMissModule)) {
    const { isDisproved } = await import("./disproved-rule.ts");
    if (await isDisproved(db, rule, { workspace, hasWorked })) return true;
  }
  if (!excerpts.some(mayShowFact)) return false;
  const named = call === undefined ? [] : await listMissing([{ call, error: excerpts.at(-1) ?? "" }]);
  if (await isAllThere(named, workspace)) return true;
  const { failuresCitedBy } = await import("./cited-failures.ts");
  const cited = await listMissing(await failuresCitedBy(db, rule, workspace));
  if (named.length > 0) return isOfOtherFolder(named, cited);
  if (call !== undefined && cited.some(({ kind }) => kind === "unknown-script") && (await isOfOtherScripts(call)))
    return true;
  const like = call === undefined ? [] : await listLikeNeeds(call, cited);
  return isAllThere(like.length > 0 ? like : cited, workspace);
}

/** True if the call alone decides whether the rule is about it, not what its session did before. */
function isPlain({ matcher }: Rule): boolean {
  return matcher !== null && !needsSituation(matcher);
}

/**
 * True if the call names the path from another folder than all failures that the rule cites: the rule's advice is
 * relative to theirs.
 */
async function isOfOtherFolder(named: readonly Sighting[], cited: readonly Sighting[]): Promise<boolean> {
  const { maskNumbers } = await import("../../domain/shell/traits.ts");
  const paths = (some: readonly Sighting[]) =>
    some.filter(({ kind }) => kind === "missing-path").map(({ subject }) => maskNumbers(subject));
  const [here, there] = [paths(named), new Set(paths(cited))];
  return here.length > 0 && there.size > 0 && here.every((path) => !there.has(path));
}

/** True if the sentence advises a file of the workspace that was moved or removed since. */
async function isAdvisedPathGone({ text, scope }: Rule, here: string, call: LocatedCall | undefined): Promise<boolean> {
  if (!text.includes(": there is no `")) return false;
  const { isAdvisedFileGone } = await import("./advised-file.ts");
  const workspace = scope.kind === "workspace" ? scope.workspace : here;
  return isAdvisedFileGone(text, { workspace, cwd: call?.cwd ?? null });
}

/** True if the call runs a script of another package, about which the rule's failures say nothing. */
async function isOfOtherScripts({ tool, input }: LocatedCall): Promise<boolean> {
  const { isOfOtherPackage } = await import("../../domain/fact/scripts.ts");
  const { parseCommands, isShellTool } = await import("../../domain/shell/command.ts");
  const { findShellText } = await import("../../domain/shell/shell-text.ts");
  return isShellTool(tool) && parseCommands(findShellText(input) ?? "").some(isOfOtherPackage);
}

/** Paths the call needs that differ from the missing ones only in numbers. */
async function listLikeNeeds(call: LocatedCall, missing: readonly Sighting[]): Promise<readonly Sighting[]> {
  const { findCallNeeds } = await import("../../domain/fact/call-needs.ts");
  const { maskNumbers } = await import("../../domain/shell/traits.ts");
  const { needs } = findCallNeeds(call);
  return missing.flatMap((one) =>
    needs
      .filter(({ subject }) => one.kind === "missing-path" && maskNumbers(subject) === maskNumbers(one.subject))
      .map(({ subject }) => ({ ...one, subject })),
  );
}

/** Ids of the facts in the failures that mined rules cite: these rules already say them. */
export async function listFactsStatedBy(
  db: Db,
  rules: readonly ActiveRule[],
  workspace: string,
): Promise<ReadonlySet<string>> {
  const { failuresCitedBy } = await import("./cited-failures.ts");
  const { findFactsInFailure } = await import("../../domain/fact/read-failure.ts");
  const stated = new Set<string>();
  for (const { id } of rules.filter(({ origin }) => origin === "tool")) {
    const rule = await getRule(db, id);
    const failures = rule === null ? [] : await failuresCitedBy(db, rule, workspace);
    for (const { call, error } of failures)
      for (const { kind, subject } of findFactsInFailure(call, error)) stated.add(factId({ workspace, kind, subject }));
  }
  return stated;
}

/** True if the failures showed that something is missing, and all of it exists now. */
export async function isThere(failures: readonly CitedFailure[], workspace: string): Promise<boolean> {
  return isAllThere(await listMissing(failures), workspace);
}

async function listMissing(failures: readonly CitedFailure[]): Promise<readonly Sighting[]> {
  const showing = failures.filter(({ error }) => mayShowFact(error));
  if (showing.length === 0) return [];
  const { findFactsInFailure } = await import("../../domain/fact/read-failure.ts");
  return showing
    .flatMap(({ call, error }) => findFactsInFailure(call, error))
    .filter(({ kind }) => kind !== "too-large");
}

async function isAllThere(missing: readonly Sighting[], workspace: string): Promise<boolean> {
  if (missing.length === 0) return false;
  const { checkFactState } = await import("./fact-state.ts");
  return missing.every((one) => checkFactState({ ...one, workspace, at: 0 }, thisMachine().env) === "over");
}

import type { Context } from "../../context.ts";
import type { Event } from "../../domain/event/event.ts";
import { findHint } from "../../domain/event/hint.ts";
import { findAddedPrefix, findTestCommand } from "../../domain/event/alternative-call.ts";
import { findOtherSettings, findOtherSurroundings } from "../../domain/shell/surroundings.ts";
import { namesOthersHome } from "../../domain/remedy/others-home.ts";
import { judgeRemedy, weakerOrigin, type RemedyVerdict } from "../../domain/remedy/remedy-law.ts";
import { findCommandRisk } from "../../domain/risk/command-risk.ts";
import { scopeCovers, type Matcher, type RemedyOrigin, type Scope } from "../../domain/rule/rule.ts";
import { isSameCommand } from "../../domain/fact/same-command.ts";
import { findCommandFolder } from "../../domain/fact/call-needs.ts";
import { type ShellCommand, parseCommands, isShellTool, findMainCommand } from "../../domain/shell/command.ts";
import { findShellText } from "../../domain/shell/shell-text.ts";
import { findRunScript } from "../../domain/shell/run-script.ts";
import { makeCallGroup } from "../../domain/shell/step.ts";
import { CALL_TRAIT, maskNumbers } from "../../domain/shell/traits.ts";
import { typedHead, typedStart } from "../../domain/shell/typed-head.ts";
import { isEditTool } from "../../domain/text/edit-text.ts";
import { asToolName } from "../../domain/text/tool-name.ts";
import { relativePathWithin } from "../../domain/workspace.ts";
import { isLikePath } from "../../domain/text/like-path.ts";
import { groupBy } from "../../lib/group-by.ts";
import { oneLine } from "../../lib/text.ts";
import { getEventsByIds } from "../../store/events/events.ts";
import { listRecoveriesOf } from "../../store/derived/recoveries.ts";
import { listTries } from "../../store/derived/tries.ts";
import { describeConstantChange, operandsOf, pinsOperands, withoutSharedOptions } from "./constant-change.ts";
import { findOptionInPlace } from "./option-in-place.ts";
import { mayHelp, type Warned } from "./may-help.ts";
import { findSteadyKey, hasStoppedHelping } from "./newest-remedy.ts";

/** What most often worked after the failure. */
export interface Remedy {
  /** A command to run instead, a tool to use, a full name for the same tool, or the tools used in between. */
  readonly command: string | null;
  readonly tool: string | null;
  readonly value: string | null;
  readonly through: string | null;
  /** The first word of the command, if the rest works alone. */
  readonly without?: string | null;
  /** True if the command is one of many examples, with its own numbers. */
  readonly isExample?: boolean;
  /** An option to use in place of the unknown one, in any command that the rule is about. */
  readonly option?: string | null;
  /** The only call that it replaces, if its operands say nothing about other calls. */
  readonly onlyFor?: string | null;
  /** A command to run before the failing one. */
  readonly first?: string | null;
  readonly origin?: RemedyOrigin;
  /** True if older sessions mostly did something else, and the latest in a row did this. */
  readonly isNewest?: boolean;
}

/** What worked after the failures, but agents must not be taught without review. */
export interface WithheldRemedy {
  /** As it was run. */
  readonly line: string;
  readonly origin: RemedyOrigin;
  readonly reason: string;
}

export interface RemedyChoices {
  readonly remedy: Remedy | null;
  readonly withheld: WithheldRemedy | null;
}

/** A remedy seen in one session only may be specific to that session. */
const MIN_SESSIONS = 2;
/** For more frequent mistakes, only the latest failures are read. */
const MAX_FAILURES = 400;

interface RemedyQuery {
  readonly failures: readonly number[];
  readonly scope: Scope;
  /** Maximum number of calls until the recovery. */
  readonly within: number;
  /** The heads that the rule warns against; none of them can be its remedy. */
  readonly heads: readonly string[];
  readonly warned: Warned;
}

/** Considers only what worked in the rule's scope: another project's remedy may not exist there. */
export async function findRemedy(db: Context["db"], query: RemedyQuery): Promise<RemedyChoices> {
  const { failures, scope, within, heads, warned } = query;
  const latest = failures.slice(-MAX_FAILURES);
  const byId = new Map((await getEventsByIds(db, latest)).map((event) => [event.id, event]));
  const places = listScopes(scope, byId.values());
  const found = new Map<string, RemedyCount>();
  for (const { failure, through, by } of await listRecoveriesOf(db, latest, within)) {
    const failed = byId.get(failure);
    if (failed === undefined || !scopeCovers(scope, by.workspace) || !mayHelp(warned, failed, by)) continue;
    const one = findRemedyIn(failed, by, { through, matcher: warned.matcher });
    if (one === null || (one.head !== null && heads.includes(one.head))) continue;
    const verdict = judgeRecovery(failed, by, one.command);
    const { valued: _, ...key } = one;
    countRemedy(found, one.without ? JSON.stringify([one.without]) : JSON.stringify(key), { one, by, verdict });
  }
  const steady = findSteadyKey([...found].map(([key, { bySession }]) => ({ key, bySession })));
  const ranked = [...found].toSorted(
    (a, b) => Number(b[0] === steady) - Number(a[0] === steady) || b[1].times - a[1].times || (a[0] < b[0] ? -1 : 1),
  );
  let withheld: WithheldRemedy | null = null;
  for (const [key, { bySession, times, ones, lines, verdicts }] of ranked) {
    if (bySession.size < MIN_SESSIONS) continue;
    // One of them shows what all of them do.
    const against = verdicts.find((verdict) => !verdict.isTaught);
    if (against !== undefined) {
      const line = oneLine(lines[verdicts.indexOf(against)] ?? "", LONGEST_LINE);
      withheld ??= { line, origin: against.origin, reason: against.reason ?? "" };
      continue;
    }
    const { head, valued, ...most } = withSharedValue(pickMostFrequent(ones), ones);
    // If it was always the same command, naming the command is enough.
    const isOne = ones.every((one) => (one.valued ?? one.command) === (valued ?? most.command));
    const remedy = isOne ? { ...most, without: null } : most;
    if (await hasStoppedHelping(db, remedy, { matcher: warned.matcher, scope })) continue;
    if (remedy.onlyFor != null && ![...byId.values()].every((event) => callOf(event) === remedy.onlyFor)) continue;
    const origin = verdicts.reduce((worst, one) => weakerOrigin(worst, one.origin), verdicts[0]?.origin ?? "other");
    if (head === null || (await isWorkingIn(db, head, places))) {
      const isNewest = key === steady && ranked.some(([, other]) => other.times >= times && other.ones !== ones);
      return { remedy: { ...remedy, origin, isNewest }, withheld };
    }
  }
  return { remedy: null, withheld };
}

const LONGEST_LINE = 200;

/** A tool in place of a tool is the same work, spelled right. */
function judgeRecovery(failed: Event, by: Event, said: string | null): RemedyVerdict {
  const [before, after] = [failed, by].map(({ tool, input }) =>
    tool !== null && isShellTool(tool) ? findShellText(input) : null,
  );
  if (before != null && after != null) {
    const error = failed.error ?? failed.text ?? "";
    const whole = judgeRemedy({ failed: before, worked: after, error, cwd: by.cwd });
    // What the error itself names needs nothing of what else the line had.
    const hint = whole.isTaught || whole.risk !== null || said === null ? null : findHint(error);
    if (hint === null || said === null || !` ${said} `.includes(` ${hint} `)) return whole;
    // But a variable or the shell around it may be what made it work.
    if (findOtherSurroundings(before, after) !== null) return whole;
    const named = judgeRemedy({ failed: before, worked: said, error, cwd: by.cwd });
    return named.isTaught ? named : whole;
  }
  const risk = after == null ? null : findCommandRisk(after);
  return { origin: "correction", risk, isTaught: risk === null, reason: risk === null ? null : `it ${risk}` };
}

/** The path that was read instead of a missing one: the same name in another place, in two sessions. */
export async function findMovedPath(
  db: Context["db"],
  query: Pick<RemedyQuery, "failures" | "scope" | "within"> & { readonly path: string; readonly matcher: Matcher },
): Promise<Remedy | null> {
  const { failures, scope, within, path, matcher } = query;
  const found = new Map<string, Map<string, number>>();
  const latest = failures.slice(-MAX_FAILURES);
  const byId = new Map((await getEventsByIds(db, latest)).map((event) => [event.id, findShellText(event.input) ?? ""]));
  for (const { failure, by } of await listRecoveriesOf(db, latest, within)) {
    if (by.tool === null || !isShellTool(by.tool) || !scopeCovers(scope, by.workspace)) continue;
    if (findOtherSettings(byId.get(failure) ?? "", findShellText(by.input) ?? "") !== null) continue;
    const args = findMainCommand(findShellText(by.input) ?? "")?.args ?? [];
    const moved = args.find((arg) => maskNumbers(arg) !== maskNumbers(path) && isLikePath(path, arg));
    if (moved === undefined || namesOthersHome(moved, by.cwd)) continue;
    found.set(moved, (found.get(moved) ?? new Map<string, number>()).set(`${by.host} ${by.session}`, by.id));
  }
  const steady = findSteadyKey([...found].map(([key, bySession]) => ({ key, bySession })));
  const ranked = [...found].toSorted(
    (a, b) => Number(b[0] === steady) - Number(a[0] === steady) || b[1].size - a[1].size || (a[0] < b[0] ? -1 : 1),
  );
  for (const [value, bySession] of ranked) {
    const isNewest = value === steady && ranked.some(([key, other]) => key !== value && other.size >= bySession.size);
    const remedy = { command: null, tool: null, value, through: null, isNewest };
    if (bySession.size >= MIN_SESSIONS && !(await hasStoppedHelping(db, remedy, { matcher, scope }))) return remedy;
  }
  return null;
}

interface RemedyCount {
  times: number;
  /** The event of each session's latest such call. */
  readonly bySession: Map<string, number>;
  readonly lines: string[];
  readonly verdicts: RemedyVerdict[];
  /** All occurrences. The most frequent command is the example. */
  readonly ones: FoundRemedy[];
}

function countRemedy(
  found: Map<string, RemedyCount>,
  key: string,
  { one, by, verdict }: { readonly one: FoundRemedy; readonly by: Event; readonly verdict: RemedyVerdict },
): void {
  const known = found.get(key) ?? { times: 0, bySession: new Map<string, number>(), ones: [], lines: [], verdicts: [] };
  known.times++;
  known.bySession.set(`${by.host} ${by.session}`, by.id);
  known.ones.push(one);
  known.lines.push(findShellText(by.input) ?? "");
  known.verdicts.push(verdict);
  found.set(key, known);
}

function pickMostFrequent(ones: readonly FoundRemedy[]): FoundRemedy {
  const [most] = [...groupBy(ones, (one) => one.command ?? "").values()].toSorted(
    (a, b) => b.length - a.length || ((a[0]?.command ?? "") < (b[0]?.command ?? "") ? -1 : 1),
  );
  return most?.[0] ?? none;
}

function withSharedValue(most: FoundRemedy, ones: readonly FoundRemedy[]): FoundRemedy {
  const { valued } = most;
  return valued !== undefined && ones.every((one) => one.valued === valued) ? { ...most, command: valued } : most;
}

/** A global rule may only name what works in each of its workspaces. */
function listScopes(scope: Scope, failed: Iterable<Event>): readonly Scope[] {
  if (scope.kind === "workspace") return [scope];
  const names = new Set([...failed].flatMap((event) => event.workspace ?? []));
  return names.size === 0 ? [scope] : [...names].map((workspace) => ({ kind: "workspace", workspace }));
}

/** The remedy, and the head of its command if it has another head. */
interface FoundRemedy extends Remedy {
  readonly head: string | null;
  /** The command with the values of its options, which is said if they are always the same. */
  readonly valued?: string;
}

const none: FoundRemedy = { command: null, tool: null, value: null, through: null, head: null };

function callOf({ input }: Event): string | null {
  return findMainCommand(findShellText(input) ?? "")?.text ?? null;
}

function findRemedyIn(
  failed: Event,
  by: Event,
  { through, matcher }: { readonly through: string | null; readonly matcher: Matcher },
): FoundRemedy | null {
  if (by.tool === null || failed.tool === null) return null;
  const after = isShellTool(by.tool) ? findMainCommand(findShellText(by.input) ?? "") : null;
  if (!isShellTool(failed.tool)) {
    if (after !== null) return { ...none, command: typedIn(after, by), head: after.head };
    if (isEditTool(failed.tool)) return through === null ? null : { ...none, through };
    if (by.tool !== failed.tool) return asToolName(by.tool) === null ? null : { ...none, tool: by.tool };
    const value = findFullName(failed.input, by.input);
    return value === null ? null : { ...none, value };
  }
  if (after === null) return null;
  const typed = typedIn(after, by);
  const before = findMainCommand(findShellText(failed.input) ?? "");
  // What was put before the same command made the difference.
  if (before !== null && isSameCommand({ command: before, cwd: failed.cwd }, { command: after, cwd: by.cwd }))
    return {
      ...none,
      command: oneLine(inFolder(withoutCase(findShellText(by.input) ?? "", after, matcher), by.cwd, by), LONGEST),
    };
  const prefix = before === null ? null : findAddedPrefix(before, after);
  if (prefix !== null)
    return { ...none, command: oneLine(`${prefix} ${before?.words[0] ?? ""}`, LONGEST), head: after.head };
  const without = before === null ? null : findDroppedWord(before.text, after.text);
  if (without !== null) return { ...none, without, command: typed };
  const offered = findHint(failed.error ?? "");
  if (offered?.startsWith("-") === true && after.flags.includes(offered))
    return { ...none, command: `${typed} ${offered}` };
  const same = parseCommands(findShellText(failed.input) ?? "").find((one) => one.head === after.head);
  if (same !== undefined) return findChange(same, after, matcher);
  const script = before === null || findRunScript(before) === null ? null : findRunScript(after);
  // The same script, started in another way.
  if (script !== null)
    return { ...none, command: oneLine(inFolder(script.typed, by.cwd, by), LONGEST), head: after.head };
  // A new head is the remedy; its arguments are specific to the one case.
  return { ...none, command: oneLine(findTestCommand(after) ?? typed, LONGEST), head: after.head };
}

const LONGEST = 120;

/** The same command in another way: as a whole only for calls whose operands the rule names. */
function findChange(before: ShellCommand, after: ShellCommand, matcher: Matcher): FoundRemedy | null {
  const [script, moved] = [findRunScript(before), findRunScript(after)];
  // The rule is about the script's path, so its new place is the remedy, whatever else the calls had.
  if (script !== null && moved !== null && script.script !== moved.script && isAbout(matcher, `arg ${script.script}`))
    return { ...none, command: oneLine(moved.typed, LONGEST) };
  const inPlace = (matcher.has ?? []).some((trait) => trait.startsWith(CALL_TRAIT))
    ? null
    : findOptionInPlace(before, after);
  if (inPlace !== null) return { ...none, command: oneLine(`${typedStart(after)} ${inPlace.right}`, LONGEST) };
  if (operandsOf(after).length === 0 || pinsOperands(matcher, before))
    return { ...none, command: oneLine(withoutSharedOptions(before, after, matcher), LONGEST) };
  const change = describeConstantChange(before, after);
  if (change !== null)
    return { ...none, command: oneLine(change.command, LONGEST), valued: oneLine(change.valued, LONGEST) };
  // Nothing but fewer options: the sentence says which one fails.
  const leftOut = before.flags.filter((flag) => !after.flags.includes(flag));
  const isShorter =
    operandsOf(after).every((word) => operandsOf(before).includes(word)) &&
    leftOut.some((flag) => matcher.has?.includes(`flag ${flag}`) === true);
  return isShorter
    ? { ...none, command: typedStart(after) }
    : { ...none, command: oneLine(after.text, LONGEST), onlyFor: before.text };
}

function isAbout({ has = [] }: Matcher, trait: string): boolean {
  return has.includes(trait) || has.includes(maskNumbers(trait));
}

/** The line with the command alone in place of its last call, unless the rule is about that call. */
function withoutCase(line: string, after: ShellCommand, matcher: Matcher): string {
  const text = line.trim();
  if (!text.endsWith(after.text)) return line;
  const isOfOthers = operandsOf(after).length > 0 && !pinsOperands(matcher, after);
  const said = isOfOthers ? typedStart(after) : withoutSharedOptions(after, after, matcher);
  return text.slice(0, -after.text.length) + said;
}

/** As it was typed, with a `cd` to the folder if the path is relative. */
function typedIn(command: ShellCommand, { cwd, workspace }: Event): string {
  const typed = typedHead(command);
  if (typed === command.head || typed.startsWith("/") || workspace === null || cwd === null) return typed;
  return inFolder(typed, findCommandFolder(command, cwd), { workspace });
}

/** A line as it can be run from the workspace's root. */
function inFolder(line: string, cwd: string | null, { workspace }: Pick<Event, "workspace">): string {
  const folder = workspace === null || cwd === null ? null : relativePathWithin(workspace, cwd);
  return folder === null || folder === "" ? line : `cd ${folder} && ${line}`;
}

/** `rtk`, if `bun run test` worked after `rtk bun run tests`: the same program without the word before it. */
function findDroppedWord(before: string, after: string): string | null {
  const [first = "", program = ""] = before.split(/\s+/);
  return first !== program && program !== "" && /^[\w.-]+$/.test(first) && after.split(/\s+/)[0] === program
    ? first
    : null;
}

/** The name in the second call if it is the full form of the first: `plugin:reviewer` for `reviewer`. */
function findFullName(before: unknown, after: unknown): string | null {
  const values = (input: unknown) =>
    typeof input === "object" && input !== null
      ? Object.values(input).filter((one): one is string => typeof one === "string" && /^[\w:.-]{1,80}$/.test(one))
      : [];
  const given = values(before);
  return values(after).find((name) => given.some((one) => name.endsWith(`:${one}`))) ?? null;
}

/** True if it worked more often than it failed in each scope, and more than once. */
async function isWorkingIn(db: Context["db"], head: string, places: readonly Scope[]): Promise<boolean> {
  const tries = await listTries(db, makeCallGroup("bash", head), MAX_FAILURES);
  const worked = tries.filter((one) => one.result === "worked");
  return (
    worked.length >= MIN_SESSIONS &&
    places.every((scope) => {
      const covered = tries.filter((one) => scopeCovers(scope, one.event.workspace));
      const failed = covered.filter((one) => one.result === "failed").length;
      return covered.filter((one) => one.result === "worked").length > failed;
    })
  );
}

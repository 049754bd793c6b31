import type { Context } from "../../context.ts";
import type { Event } from "../../domain/event/event.ts";
import { findHint } from "../../domain/event/hint.ts";
import { findAddedPrefix, findTestCommand } from "../../domain/event/alternative-call.ts";
import { scopeCovers, type Scope } from "../../domain/rule/rule.ts";
import { findCommandFolder } from "../../domain/fact/call-needs.ts";
import { type ShellCommand, parseCommands, isShellTool, findMainCommand } from "../../domain/shell/command.ts";
import { findShellText } from "../../domain/shell/shell-text.ts";
import { makeCallGroup } from "../../domain/shell/step.ts";
import { typedHead } from "../../domain/shell/typed-head.ts";
import { isEditTool } from "../../domain/text/edit-text.ts";
import { asToolName } from "../../domain/text/tool-name.ts";
import { relativePathWithin } from "../../domain/workspace.ts";
import { groupBy } from "../../lib/group-by.ts";
import { oneLine } from "../../lib/text.ts";
import { getEventsByIds } from "../../store/events/events.ts";
import { listRecoveriesOf } from "../../store/derived/recoveries.ts";
import { listTries } from "../../store/derived/tries.ts";
import { mayHelp, type Warned } from "./may-help.ts";

/** What worked after it had failed, most often. */
export interface Remedy {
  /** A command to run instead, a tool to use, another name to give the same tool, or the tools that were used in between. */
  readonly command: string | null;
  readonly tool: string | null;
  readonly value: string | null;
  readonly through: string | null;
  /** The first word of the command, where the rest of it works alone. */
  readonly without?: string | null;
  /** Whether the command is one example of many, with numbers of its own. */
  readonly isExample?: boolean;
}

/** A remedy of one session may be that session's. */
const MIN_SESSIONS = 2;
/** A mistake made more often is told by its latest. */
const MAX_FAILURES = 400;

interface RemedyQuery {
  readonly failures: readonly number[];
  readonly scope: Scope;
  /** How many calls later at most. */
  readonly within: number;
  /** The heads that the rule warns against: none of them is its remedy. */
  readonly heads: readonly string[];
  readonly warned: Warned;
}

/** Only what worked where the rule holds: another project's way may not be there. */
export async function findRemedy(db: Context["db"], asked: RemedyQuery): Promise<Remedy | null> {
  const { failures, scope, within, heads, warned } = asked;
  const latest = failures.slice(-MAX_FAILURES);
  const byId = new Map((await getEventsByIds(db, latest)).map((event) => [event.id, event]));
  const places = listScopes(scope, byId.values());
  const found = new Map<string, RemedyCount>();
  for (const { failure, through, by } of await listRecoveriesOf(db, latest, within)) {
    const failed = byId.get(failure);
    if (failed === undefined || !scopeCovers(scope, by.workspace) || !mayHelp(warned, failed, by)) continue;
    const one = findRemedyIn(failed, by, through);
    if (one === null || (one.head !== null && heads.includes(one.head))) continue;
    countRemedy(found, one.without ? JSON.stringify([one.without]) : JSON.stringify(one), { one, by });
  }
  const ranked = [...found].toSorted((a, b) => b[1].times - a[1].times || (a[0] < b[0] ? -1 : 1));
  for (const [, { sessions, ones }] of ranked) {
    const { head, ...most } = pickMostFrequent(ones);
    // Where it was always the same command, that command says it all.
    const remedy = ones.every((one) => one.command === most.command) ? { ...most, without: null } : most;
    if (sessions.size >= MIN_SESSIONS && (head === null || (await isWorkingIn(db, head, places)))) return remedy;
  }
  return null;
}

interface RemedyCount {
  times: number;
  readonly sessions: Set<string>;
  /** All of them: of commands that only lost their first word, the one that was run most often is the example. */
  readonly ones: FoundRemedy[];
}

function countRemedy(
  found: Map<string, RemedyCount>,
  key: string,
  { one, by }: { readonly one: FoundRemedy; readonly by: Event },
): void {
  const known = found.get(key) ?? { times: 0, sessions: new Set<string>(), ones: [] };
  known.times++;
  known.sessions.add(`${by.host} ${by.session}`);
  known.ones.push(one);
  found.set(key, known);
}

function pickMostFrequent(ones: readonly FoundRemedy[]): FoundRemedy {
  const [most] = [...groupBy(ones, (one) => one.command ?? "").values()].toSorted(
    (a, b) => b.length - a.length || ((a[0]?.command ?? "") < (b[0]?.command ?? "") ? -1 : 1),
  );
  return most?.[0] ?? none;
}

/** A rule for everywhere may only say what works in each workspace that it comes from. */
function listScopes(scope: Scope, failed: Iterable<Event>): readonly Scope[] {
  if (scope.kind === "workspace") return [scope];
  const names = new Set([...failed].flatMap((event) => event.workspace ?? []));
  return names.size === 0 ? [scope] : [...names].map((workspace) => ({ kind: "workspace", workspace }));
}

/** The remedy, and the head of its command where that is another one. */
interface FoundRemedy extends Remedy {
  readonly head: string | null;
}

const none: FoundRemedy = { command: null, tool: null, value: null, through: null, head: null };

function findRemedyIn(failed: Event, by: Event, through: string | null): FoundRemedy | null {
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
  // What was put before the very command made the difference.
  if (before?.text === after.text) return { ...none, command: oneLine(findShellText(by.input) ?? "", LONGEST) };
  const prefix = before === null ? null : findAddedPrefix(before, after);
  if (prefix !== null)
    return { ...none, command: oneLine(`${prefix} ${before?.words[0] ?? ""}`, LONGEST), head: after.head };
  const without = before === null ? null : findDroppedWord(before.text, after.text);
  if (without !== null) return { ...none, without, command: typed };
  const offered = findHint(failed.error ?? "");
  if (offered?.startsWith("-") === true && after.flags.includes(offered))
    return { ...none, command: `${typed} ${offered}` };
  if (parseCommands(findShellText(failed.input) ?? "").some((one) => one.head === after.head))
    return { ...none, command: oneLine(after.text, LONGEST) };
  // A head of its own is the remedy, whatever it was run on: arguments are of the one case.
  return { ...none, command: oneLine(findTestCommand(after) ?? typed, LONGEST), head: after.head };
}

const LONGEST = 120;

/** As it was typed, with the folder that a relative path starts from. */
function typedIn(command: ShellCommand, { cwd, workspace }: Event): string {
  const typed = typedHead(command);
  if (typed === command.head || typed.startsWith("/") || workspace === null || cwd === null) return typed;
  const folder = relativePathWithin(workspace, findCommandFolder(command, cwd) ?? workspace);
  return folder === null || folder === "" ? typed : `cd ${folder} && ${typed}`;
}

/** `rtk` where `bun run test` worked after `rtk bun run tests`: the same program, without what stood before it. */
function findDroppedWord(before: string, after: string): string | null {
  const [first = "", program = ""] = before.split(/\s+/);
  return first !== program && program !== "" && /^[\w.-]+$/.test(first) && after.split(/\s+/)[0] === program
    ? first
    : null;
}

/** The name that the tool was given the second time, where it is the first one in full: `plugin:reviewer` for `reviewer`. */
function findFullName(before: unknown, after: unknown): string | null {
  const values = (input: unknown) =>
    typeof input === "object" && input !== null
      ? Object.values(input).filter((one): one is string => typeof one === "string" && /^[\w:.-]{1,80}$/.test(one))
      : [];
  const given = values(before);
  return values(after).find((name) => given.some((one) => name.endsWith(`:${one}`))) ?? null;
}

/** More often than not, in each place, and more than once. */
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

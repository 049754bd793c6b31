import type { Context } from "../../context.ts";
import type { Event } from "../../domain/event/event.ts";
import { quoteFailure } from "../../domain/event/quote-failure.ts";
import { formatToolName } from "../../domain/text/tool-name.ts";
import { isShellTool, parseCommands } from "../../domain/shell/command.ts";
import { findShellText } from "../../domain/shell/shell-text.ts";
import { iso, MINUTE } from "../../lib/clock.ts";
import { oneLine } from "../../lib/text.ts";
import { isRefreshedInBackground } from "../../store/state/background.ts";
import { getEventsByIds } from "../../store/events/events.ts";
import {
  type FailureFilter,
  type FailureGroup,
  type FailureLocation,
  listFailureLocations,
} from "../../store/derived/failures.ts";
import { writeCachedResults, readCachedResults } from "../../store/state/result-cache.ts";
import { listRecoveriesOf } from "../../store/derived/recoveries.ts";
import { mayBeRemedy } from "../mining/may-help.ts";
import type { Cost, RepeatedMistake } from "./report.ts";
import { summariseEvent } from "./event-summary.ts";

/** The description of a mistake, without its numbers. */
type MistakeStory = Pick<RepeatedMistake, "text" | "tool" | "head" | "workspaces" | "hosts" | "evidence" | "recovery">;

/**
 * Describes each mistake with its evidence and recovery. Cached until the mistake changes. If a background
 * thread refreshes the cache, the old description stays in use until it has done so.
 */
export async function describeMistakes(
  db: Context["db"],
  groups: readonly FailureGroup[],
  filter: FailureFilter,
): Promise<readonly Omit<RepeatedMistake, "rule" | "otherRules" | "noRule">[]> {
  const kept = await readCachedResults(
    db,
    "mistake",
    groups.flatMap((group) => (group.changed === null ? [] : [group.signature])),
  );
  const elsewhere = isRefreshedInBackground(db);
  const described: Omit<RepeatedMistake, "rule" | "otherRules" | "noRule">[] = [];
  const fresh: { key: string; version: string; value: string }[] = [];
  for (const group of groups) {
    const version = `${group.changed ?? ""} ${filter.within} ${STORY}`;
    const known = group.changed === null ? undefined : kept.get(group.signature);
    const holds = known !== undefined && (elsewhere || known.version === version);
    const story = holds ? (JSON.parse(known.value) as MistakeStory) : await findStory(db, group, filter);
    if (group.changed !== null && !holds && !elsewhere)
      fresh.push({ key: group.signature, version, value: JSON.stringify(story) });
    described.push({ ...computeNumbers(group), ...story });
  }
  await writeCachedResults(db, "mistake", fresh);
  return described;
}

function computeNumbers(
  group: FailureGroup,
): Omit<RepeatedMistake, "rule" | "otherRules" | "noRule" | keyof MistakeStory> {
  return {
    signature: group.signature,
    count: group.count,
    sessions: group.sessions,
    first: iso(group.first),
    last: iso(group.last),
    cost: computeCost(group),
  };
}

function computeCost(group: FailureGroup): Cost {
  return {
    calls: group.calls,
    minutes: Math.round((group.ms / MINUTE) * 10) / 10,
    tokens: Math.round(group.characters / CHARACTERS_PER_TOKEN),
  };
}

/** A rough estimate, without the model's own tokenizer. */
const CHARACTERS_PER_TOKEN = 4;

/** Increase it when the description's format changes: cached ones are then recomputed. */
const STORY = 4;

const MAX_EVIDENCE = 3;
/** For a more frequent mistake only the latest failures are read; fewer if a background thread will read them all. */
const MAX_FAILURES = 1_000;
const MAX_FAILURES_INLINE = 50;

async function findStory(db: Context["db"], group: FailureGroup, filter: FailureFilter): Promise<MistakeStory> {
  const places = await listFailureLocations(
    db,
    group.signature,
    filter,
    isRefreshedInBackground(db) ? MAX_FAILURES_INLINE : MAX_FAILURES,
  );
  const chosen = pickEvidence(places);
  const events = (await getEventsByIds(db, chosen)).toSorted((a, b) => chosen.indexOf(a.id) - chosen.indexOf(b.id));
  const [newest] = events;
  return {
    text: newest ? quoteFailure(formatToolName(newest.tool ?? ""), newest.input, newest.error ?? "") : "",
    tool: newest?.tool ?? "",
    head: newest?.head ?? null,
    workspaces: listNames(places.map((place) => place.workspace)),
    hosts: listNames(places.map((place) => place.host)),
    evidence: events.map((event) => ({
      ref: { session: event.session, seq: event.seq },
      at: iso(event.at),
      summary: summariseEvent(event),
      error: oneLine(event.error ?? "", 240),
    })),
    recovery: await findRecovery(db, places, filter.within),
  };
}

/** The latest failure of each session first, then others. */
function pickEvidence(places: readonly FailureLocation[]): readonly number[] {
  const sessions = new Map<string, number>();
  for (const place of places) {
    const session = `${place.host} ${place.session}`;
    if (!sessions.has(session)) sessions.set(session, place.id);
  }
  const firsts = [...sessions.values()];
  const others = places.map((place) => place.id).filter((id) => !firsts.includes(id));
  return [...firsts.slice(0, MAX_EVIDENCE), ...others].slice(0, MAX_EVIDENCE);
}

function listNames(names: readonly (string | null)[]): readonly string[] {
  return [...new Set(names.filter((name) => name !== null))].toSorted().slice(0, 20);
}

/** The most frequent form of recovery, by the call of it that was most frequent; the latest of equally frequent ones. */
async function findRecovery(
  db: Context["db"],
  places: readonly FailureLocation[],
  within: number,
): Promise<RepeatedMistake["recovery"]> {
  const recoveries = await listRecoveriesOf(
    db,
    places.map((place) => place.id),
    within,
  );
  const failed = new Map(
    (
      await getEventsByIds(
        db,
        recoveries.map((one) => one.failure),
      )
    ).map((event) => [event.id, event]),
  );
  const times = new Map<string, Map<string, number>>();
  for (const { failure, through, by } of recoveries.toSorted((a, b) => b.failure - a.failure)) {
    const before = failed.get(failure);
    if (before === undefined || !mayBeRemedy(before, by)) continue;
    const summary = describeRecovery(by, through);
    const form = formOf(by) ?? summary;
    const calls = times.get(form) ?? new Map<string, number>();
    times.set(form, calls.set(summary, (calls.get(summary) ?? 0) + 1));
  }
  const [best] = [...times.values()].toSorted((a, b) => sumOf(b) - sumOf(a));
  const [most] = [...(best ?? [])].toSorted((a, b) => b[1] - a[1]);
  return best && most ? { summary: most[0], times: sumOf(best), different: best.size } : null;
}

function sumOf(times: ReadonlyMap<string, number>): number {
  return [...times.values()].reduce((total, one) => total + one, 0);
}

/**
 * Equal for commands that differ only in values and paths: the same programs, options and variables. What only reads
 * their output does not count. Null for another tool.
 */
function formOf({ tool, input }: Event): string | null {
  const shell = tool !== null && isShellTool(tool) ? findShellText(input) : null;
  if (shell === null) return null;
  const commands = parseCommands(shell);
  return commands
    .filter((_, at) => commands[at - 1]?.operator !== "|")
    .map(({ head, flags, assignments }) => [...assignments.map(nameOf), head, ...flags].join(" "))
    .join(" && ");
}

function nameOf(assignment: string): string {
  return assignment.slice(0, assignment.indexOf("=") + 1);
}

/** For a command, its text; for an edit, the tools used before it, because edits are never equal. */
function describeRecovery(by: Event, through: string | null): string {
  if (by.tool !== null && isShellTool(by.tool)) return summariseEvent(by);
  const tool = formatToolName(by.tool ?? "");
  const before = through?.split(", ").map(formatToolName).join(", ");
  return before === undefined ? `${tool} again` : `${before}, then ${tool}`;
}

import { AGENT_HOST, agentSessionPrefix } from "../../domain/event/agent-session.ts";
import type { Event } from "../../domain/event/event.ts";
import type { Db, WordQueryOptions, SqlValue } from "../engine/db.ts";
import { type SqlCondition, buildFolderCondition } from "../state/folder-condition.ts";

export interface EventText {
  /** The text that a search is most likely for. */
  readonly main: string;
  /** Other text: a result, the rest of an error, an agent's long answer. */
  readonly rest: string;
}

/** This much of a call's input and error is enough to recognise it. */
const MAX_MAIN_CHARACTERS = 400;
/** A benign failure with a shorter error, such as a search without a match, says nothing; failing tests say more. */
const MIN_ERROR_CHARACTERS = 40;

/**
 * The searchable text of an event. All words of people, and of named agents, count fully. For a failed call,
 * its command and the start of its error do. Successful calls are many, and an unnamed agent's answers long:
 * their text counts less.
 */
export function extractEventText(event: Event): EventText {
  const input = event.input === null ? null : JSON.stringify(event.input);
  if (event.kind !== "call") {
    const all = joinTexts(event.agent, event.text, event.head, input, event.error);
    return event.kind === "answer" && event.agent === null ? { main: "", rest: all } : { main: all, rest: "" };
  }
  const failed = event.outcome === "failed" && (!event.benign || (event.error?.length ?? 0) > MIN_ERROR_CHARACTERS);
  const [inputStart, inputRest] = splitAtWord(input);
  if (!failed)
    return { main: "", rest: joinTexts(event.agent, event.head, inputStart, event.text, event.error, inputRest) };
  const [error, errorRest] = splitAtWord(event.error);
  return {
    main: joinTexts(event.agent, event.head, inputStart, error),
    rest: joinTexts(event.text, errorRest, inputRest),
  };
}

/** The start and the rest, split between words if possible. */
function splitAtWord(text: string | null): readonly [string, string] {
  if (text === null || text.length <= MAX_MAIN_CHARACTERS) return [text ?? "", ""];
  const at = text.lastIndexOf(" ", MAX_MAIN_CHARACTERS);
  return [text.slice(0, at < 0 ? MAX_MAIN_CHARACTERS : at), text.slice(at < 0 ? MAX_MAIN_CHARACTERS : at)];
}

/** The same as one text, most significant first: long texts are read only up to a limit. */
export function joinEventText(event: Event): string {
  const { main, rest } = extractEventText(event);
  return joinTexts(main, rest);
}

function joinTexts(...texts: readonly (string | null | undefined)[]): string {
  return texts.filter(Boolean).join("\n");
}

export interface EventLocation {
  readonly id: number;
  readonly host: string;
  readonly session: string;
  readonly seq: number;
}

/** Events stored shortly before and after others, by id. They are neighbours if they are of the same session. */
export async function listLocationsAround(db: Db, ids: readonly number[], reach: number): Promise<EventLocation[]> {
  const places: EventLocation[] = [];
  const ranges = mergeRanges(ids, reach);
  for (let from = 0; from < ranges.length; from += RANGES) {
    const some = ranges.slice(from, from + RANGES);
    // One subquery for each range: with `or`, both databases would scan all events.
    places.push(...(await db.all<EventLocation>(some.map(() => selectLocations).join(" union all "), some.flat())));
  }
  return places.toSorted((a, b) => a.id - b.id);
}

const selectLocations = `select id, host, session, coalesce(seq, id) as seq from events
  where id between ? and ? and kind in ('prompt', 'answer', 'call')`;

/** The failed calls among them, newest first. */
export async function filterFailedCalls(db: Db, ids: readonly number[]): Promise<readonly number[]> {
  const failed: number[] = [];
  for (let from = 0; from < ids.length; from += CHUNK) {
    const some = ids.slice(from, from + CHUNK);
    const rows = await db.all<{ id: number }>(
      `select id from events where id in (${some.map(() => "?").join(", ")}) and outcome = 'failed'
         and (benign = 0 or length(error) > ${MIN_ERROR_CHARACTERS})`,
      some,
    );
    failed.push(...rows.map((row) => row.id));
  }
  return failed.toSorted((a, b) => b - a);
}

const CHUNK = 1_000;

export interface EventScope {
  readonly workspace?: string | undefined;
  readonly host?: string | undefined;
  readonly session?: string | undefined;
  /** Only what a named agent was asked and answered. */
  readonly agent?: string | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

/** Up to this many events of a workspace are listed by id, so that not each row with a common word is looked up. */
const MAX_LISTED_EVENTS = 3_000;

/** The condition for the word index; undefined if everything is visible. */
export async function buildEventFilter(db: Db, scope: EventScope): Promise<WordQueryOptions["within"]> {
  const { conditions, values } = buildConditions(scope);
  if (conditions.length === 0) return undefined;
  const few = scope.workspace === undefined ? null : await listIdsIfFew(db, scope.workspace);
  if (few !== null && few.length === 0) return { sql: "1 = 0", values: [] };
  const named = few === null ? "" : `:id in (${few.map(() => "?").join(", ")}) and `;
  return {
    sql: `${named}exists (select 1 from events where events.id = :id and ${conditions.join(" and ")})`,
    values: [...(few ?? []), ...values],
  };
}

/** The ids of a workspace's events; null if there are too many. */
async function listIdsIfFew(db: Db, workspace: string): Promise<readonly number[] | null> {
  const there = buildFolderCondition(workspace);
  const rows = await db.all<{ id: number }>(
    `select events.id from (${selectSessionsSql(there)}) w join events on session = in_session and host = of_host
     where ${there.sql} limit ?`,
    [...there.values, ...there.values, MAX_LISTED_EVENTS + 1],
  );
  return rows.length > MAX_LISTED_EVENTS ? null : rows.map((row) => row.id);
}

/** Ids of a scope's events that may have a vector; undefined if everything is visible. */
export async function listIdsInScope(db: Db, scope: EventScope): Promise<number[] | undefined> {
  const { conditions, values } = buildConditions(scope);
  if (conditions.length === 0) return undefined;
  const where = `kind in ('prompt', 'answer', 'call') and ${conditions.join(" and ")}`;
  if (scope.workspace === undefined)
    return (await db.all<{ id: number }>(`select id from events where ${where}`, values)).map((row) => row.id);
  // Through its sessions, because there is no index from a workspace to its events.
  const there = buildFolderCondition(scope.workspace);
  const rows = await db.all<{ id: number }>(
    `select events.id from (${selectSessionsSql(there)}) w join events on session = in_session and host = of_host where ${where}`,
    [...there.values, ...values],
  );
  return rows.map((row) => row.id);
}

function selectSessionsSql(there: SqlCondition): string {
  return `select distinct session as in_session, host as of_host from session_workspaces where ${there.sql}`;
}

function buildConditions(scope: EventScope): { readonly conditions: string[]; readonly values: SqlValue[] } {
  const is = (column: string, value: string | undefined): readonly SqlCondition[] =>
    value === undefined ? [] : [{ sql: `${column} = ?`, values: [value] }];
  const conditions = [
    ...(scope.workspace === undefined ? [] : [buildFolderCondition(scope.workspace)]),
    ...is("host", scope.host),
    ...is("session", scope.session),
    ...(scope.agent === undefined ? [] : [buildAgentCondition(scope.agent)]),
    ...(scope.since === undefined ? [] : [{ sql: "at >= ?", values: [scope.since] }]),
    ...(scope.until === undefined ? [] : [{ sql: "at <= ?", values: [scope.until] }]),
  ];
  return { conditions: conditions.map(({ sql }) => sql), values: conditions.flatMap(({ values }) => values) };
}

/**
 * The host is part of the text, because the index over agents holds only that host. Sub-agents of programs that use the
 * library have names too: the session tells whose an event is.
 */
export function buildAgentCondition(agent: string): SqlCondition {
  const prefix = agentSessionPrefix(agent);
  return {
    sql: `host = '${AGENT_HOST}' and agent = ? and substr(session, 1, ${prefix.length}) = ?`,
    values: [agent, prefix],
  };
}

const RANGES = 100;

function mergeRanges(ids: readonly number[], reach: number): [number, number][] {
  const ranges: [number, number][] = [];
  for (const id of ids.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && last[1] >= id - reach) last[1] = id + reach;
    else ranges.push([id - reach, id + reach]);
  }
  return ranges;
}

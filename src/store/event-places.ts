import type { Event } from "../domain/event/event.ts";
import type { Db, Narrowed, Value } from "./engine/db.ts";
import { type Condition, inFolder } from "./in-folder.ts";

export interface EventText {
  /** What somebody would look for it by. */
  readonly telling: string;
  /** What it says besides: a result, the rest of an error, an agent's long answer. */
  readonly rest: string;
}

/** So much of a call's input and of its error tells what it was. */
const TELLING = 400;
/** A benign failure with a shorter error says nothing, such as a search without a match; red tests say more. */
const SAYS = 40;

/**
 * What of an event can be looked for. What people said tells all of it, and so does an agent that has a name. Of a failed
 * call its command and the beginning of its error tell. Calls that went well are many, and an unnamed agent's answers long:
 * all they say counts as less.
 */
export function eventText(event: Event): EventText {
  const input = event.input === null ? null : JSON.stringify(event.input);
  if (event.kind !== "call") {
    const all = textsOf(event.agent, event.text, event.head, input, event.error);
    return event.kind === "answer" && event.agent === null ? { telling: "", rest: all } : { telling: all, rest: "" };
  }
  const failed = event.outcome === "failed" && (!event.benign || (event.error?.length ?? 0) > SAYS);
  const [asked, askedRest] = cut(input);
  if (!failed)
    return { telling: "", rest: textsOf(event.agent, event.head, asked, event.text, event.error, askedRest) };
  const [error, errorRest] = cut(event.error);
  return {
    telling: textsOf(event.agent, event.head, asked, error),
    rest: textsOf(event.text, errorRest, askedRest),
  };
}

/** The beginning and the rest, between two words where there are two. */
function cut(text: string | null): readonly [string, string] {
  if (text === null || text.length <= TELLING) return [text ?? "", ""];
  const at = text.lastIndexOf(" ", TELLING);
  return [text.slice(0, at < 0 ? TELLING : at), text.slice(at < 0 ? TELLING : at)];
}

/** The same as one text, in the order of what it tells: a long one is looked at only up to a length. */
export function textOfEvent(event: Event): string {
  const { telling, rest } = eventText(event);
  return textsOf(telling, rest);
}

function textsOf(...texts: readonly (string | null | undefined)[]): string {
  return texts.filter(Boolean).join("\n");
}

export interface Place {
  readonly id: number;
  readonly host: string;
  readonly session: string;
  readonly seq: number;
}

/** The events stored shortly before and after others, in the order of their numbers: their neighbours, if of the same session. */
export async function placesAround(db: Db, ids: readonly number[], reach: number): Promise<Place[]> {
  const places: Place[] = [];
  const ranges = joined(ids, reach);
  for (let from = 0; from < ranges.length; from += RANGES) {
    const some = ranges.slice(from, from + RANGES);
    // A question for each: of alternatives in one, either store would make a look at every event.
    places.push(...(await db.all<Place>(some.map(() => placesIn).join(" union all "), some.flat())));
  }
  return places.toSorted((a, b) => a.id - b.id);
}

const placesIn = `select id, host, session, coalesce(seq, id) as seq from events
  where id between ? and ? and kind in ('prompt', 'answer', 'call')`;

/** Those among them that are failed calls, newest first. */
export async function failedAmong(db: Db, ids: readonly number[]): Promise<readonly number[]> {
  const failed: number[] = [];
  for (let from = 0; from < ids.length; from += CHUNK) {
    const some = ids.slice(from, from + CHUNK);
    const rows = await db.all<{ id: number }>(
      `select id from events where id in (${some.map(() => "?").join(", ")}) and outcome = 'failed'
         and (benign = 0 or length(error) > ${SAYS})`,
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
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

/** Of a workspace with so few events each is named: else every row with a common word would be asked where it is from. */
const FEW = 3_000;

/** The condition under which the word index looks; undefined where everything may be seen. */
export async function withinEvents(db: Db, scope: EventScope): Promise<Narrowed["within"]> {
  const { conditions, values } = conditionsOf(scope);
  if (conditions.length === 0) return undefined;
  const few = scope.workspace === undefined ? null : await fewIn(db, scope.workspace);
  if (few !== null && few.length === 0) return { sql: "1 = 0", values: [] };
  const named = few === null ? "" : `:id in (${few.map(() => "?").join(", ")}) and `;
  return {
    sql: `${named}exists (select 1 from events where events.id = :id and ${conditions.join(" and ")})`,
    values: [...(few ?? []), ...values],
  };
}

/** The digested events of a workspace; null where there are many. */
async function fewIn(db: Db, workspace: string): Promise<readonly number[] | null> {
  const there = inFolder(workspace);
  const rows = await db.all<{ id: number }>(
    `select events.id from (${sessionsIn(there)}) w join events on session = in_session and host = of_host
     where ${there.sql} limit ?`,
    [...there.values, ...there.values, FEW + 1],
  );
  return rows.length > FEW ? null : rows.map((row) => row.id);
}

/** The numbers of a scope's events that may have a vector; undefined where everything may be seen. */
export async function idsInScope(db: Db, scope: EventScope): Promise<number[] | undefined> {
  const { conditions, values } = conditionsOf(scope);
  if (conditions.length === 0) return undefined;
  const where = `kind in ('prompt', 'answer', 'call') and ${conditions.join(" and ")}`;
  if (scope.workspace === undefined)
    return (await db.all<{ id: number }>(`select id from events where ${where}`, values)).map((row) => row.id);
  // By its sessions: nothing else leads to the events of a workspace.
  const there = inFolder(scope.workspace);
  const rows = await db.all<{ id: number }>(
    `select events.id from (${sessionsIn(there)}) w join events on session = in_session and host = of_host where ${where}`,
    [...there.values, ...values],
  );
  return rows.map((row) => row.id);
}

function sessionsIn(there: Condition): string {
  return `select distinct session as in_session, host as of_host from session_workspaces where ${there.sql}`;
}

function conditionsOf(scope: EventScope): { readonly conditions: string[]; readonly values: Value[] } {
  const is = (column: string, value: string | undefined): readonly Condition[] =>
    value === undefined ? [] : [{ sql: `${column} = ?`, values: [value] }];
  const asked = [
    ...(scope.workspace === undefined ? [] : [inFolder(scope.workspace)]),
    ...is("host", scope.host),
    ...is("session", scope.session),
    ...(scope.since === undefined ? [] : [{ sql: "at >= ?", values: [scope.since] }]),
    ...(scope.until === undefined ? [] : [{ sql: "at <= ?", values: [scope.until] }]),
  ];
  return { conditions: asked.map(({ sql }) => sql), values: asked.flatMap(({ values }) => values) };
}

const RANGES = 100;

function joined(ids: readonly number[], reach: number): [number, number][] {
  const ranges: [number, number][] = [];
  for (const id of ids.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && last[1] >= id - reach) last[1] = id + reach;
    else ranges.push([id - reach, id + reach]);
  }
  return ranges;
}

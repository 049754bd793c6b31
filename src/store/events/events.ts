import type { Event, NewEvent } from "../../domain/event/event.ts";
import type { Outcome } from "../../domain/event/outcome.ts";
import type { ReadCall } from "../../domain/cause/read-call.ts";
import { tryParseJson } from "../../lib/json.ts";
import type { Db, Insertion, SqlValue } from "../engine/db.ts";
import { filterOutPurged, makeTombstoneHash } from "./purged.ts";
import { addSessionVersions } from "./session-versions.ts";
import { toWholeNumber } from "../engine/values.ts";

const columns = [
  "host",
  "session",
  "uid",
  "seq",
  "at",
  "kind",
  "workspace",
  "cwd",
  "tool",
  "head",
  "input",
  "ok",
  "outcome",
  "benign",
  "exit_code",
  "error",
  "signature",
  "text",
  "model",
  "agent",
  "duration_ms",
] as const;

const insertion: Insertion = { table: "events", columns, tail: "on conflict (session, host, uid) do nothing" };

/** Checks for a tombstone in the same statement, because a hook has no time for two. */
const insertOne = `insert into events (${columns.join(", ")}) select ${columns.map(() => "?").join(", ")}
  where not exists (select 1 from purged where session = ? and up_to >= ?) on conflict (session, host, uid) do nothing`;

const select = `select id, coalesce(seq, id) as seq, ${columns.filter((name) => name !== "seq").join(", ")} from events`;

/** True if it was new. A known event is not changed, and a purged one is not stored again. */
export async function appendEvent(db: Db, event: NewEvent): Promise<boolean> {
  if (typeof event.hostVersion === "string") await storeVersions(db, await filterOutPurged(db, [event]));
  return (await db.run(insertOne, [...toRow(event), makeTombstoneHash(event), toWholeNumber(event.at)])) === 1;
}

/** Returns how many were new. All or nothing. */
export async function appendEvents(db: Db, given: readonly NewEvent[]): Promise<number> {
  const events = await filterOutPurged(db, given);
  await storeVersions(db, events);
  return db.insertMany(insertion, events.map(toRow));
}

/** Also for known events: hooks seldom report the version, transcripts report it later. */
async function storeVersions(db: Db, events: readonly NewEvent[]): Promise<void> {
  const versions = events.flatMap(({ host, session, at, hostVersion }) =>
    typeof hostVersion === "string" ? [{ host, session, at: toWholeNumber(at) ?? 0, version: hostVersion }] : [],
  );
  if (versions.length > 0) await addSessionVersions(db, versions);
}

/**
 * Returns the new ones. They are looked up only if some were known already: those with an id above the
 * previous maximum. `inTurn` serialises concurrent writers; everything that needs no turn is done before it.
 */
export function appendNewEvents(
  db: Db,
  events: readonly NewEvent[],
  inTurn: <T>(act: () => Promise<T>) => Promise<T> = (act) => act(),
): Promise<readonly NewEvent[]> {
  const rows = events.map(toRow);
  return inTurn(() =>
    db.tx(async (tx) => {
      const wanted = await filterOutPurged(tx, events);
      const made = wanted === events ? rows : wanted.map(toRow);
      const last = await tx.get<{ id: number | null }>("select max(id) as id from events");
      await storeVersions(tx, wanted);
      const added = await tx.insertMany(insertion, made);
      if (added === wanted.length) return wanted;
      if (added === 0) return [];
      const stored = await tx.all<{ host: string; session: string; uid: string }>(
        "select host, session, uid from events where id > ?",
        [last?.id ?? 0],
      );
      const fresh = new Set(stored.map(eventKey));
      return wanted.filter((event) => fresh.delete(eventKey(event)));
    }),
  );
}

function eventKey(event: Pick<NewEvent, "host" | "session" | "uid">): string {
  return JSON.stringify([event.host, event.session, event.uid]);
}

/** True if a session has events of a kind without this uid prefix: then another source reported them. */
export async function hasEventsNamedOtherwise(
  db: Db,
  { host, session, kind }: Pick<NewEvent, "host" | "session" | "kind">,
  prefix: string,
): Promise<boolean> {
  const row = await db.get(
    "select 1 as one from events where session = ? and host = ? and kind = ? and substr(uid, 1, ?) <> ? limit 1",
    [session, host, kind, prefix.length, prefix],
  );
  return row !== undefined;
}

export async function getEvent(db: Db, id: number): Promise<Event | null> {
  const row = await db.get<EventRow>(`${select} where id = ?`, [id]);
  return row ? fromRow(row) : null;
}

export async function getEventsByIds(db: Db, ids: readonly number[]): Promise<Event[]> {
  if (ids.length === 0) return [];
  const rows = await db.all<EventRow>(`${select} where id in (${ids.map(() => "?").join(", ")})`, ids);
  return rows.map(fromRow);
}

/** Stores the outcome of a call that a hook had stored without it. */
export async function writeCallReading(db: Db, id: number, read: ReadCall): Promise<void> {
  await db.run(
    "update events set head = ?, outcome = ?, benign = ?, exit_code = ?, error = ?, signature = ?, text = ? where id = ?",
    [read.head, read.outcome, read.benign ? 1 : 0, read.exitCode, read.error, read.signature, read.text, id],
  );
}

/** A session's events in order. A page may exceed `limit` so as not to split equal `seq`; the next begins after it. */
export async function listSessionEvents(
  db: Db,
  session: { readonly host: string; readonly id: string },
  page: { readonly after: number; readonly limit: number },
): Promise<Event[]> {
  const ofSession = `select * from (${select} where session = ? and host = ?) as events`;
  const whose = [session.id, session.host];
  // The limit is part of the text: PostgreSQL plans an unknown limit as a tenth of the rows.
  const sql = `${ofSession} where seq > ? order by seq, id limit ${Math.trunc(page.limit) + 1}`;
  const rows = await db.all<EventRow>(sql, [...whose, page.after]);
  const [last, next] = rows.slice(page.limit - 1);
  if (last === undefined || last.seq !== next?.seq) return rows.slice(0, page.limit).map(fromRow);
  const shared = await db.all<EventRow>(`${ofSession} where seq = ? and id > ? order by id`, [
    ...whose,
    last.seq,
    last.id,
  ]);
  return [...rows.slice(0, page.limit), ...shared].map(fromRow);
}

export interface NamelessPrompt {
  readonly at: number;
  readonly text: string | null;
}

/** Prompts that the host gave no id, in order; their uid consists of time and text. */
export function listNamelessPrompts(
  db: Db,
  session: { readonly host: string; readonly id: string },
): Promise<NamelessPrompt[]> {
  return db.all(
    `select at, text from events
     where session = ? and host = ? and kind = 'prompt' and uid like 'prompt:' || cast(at as text) || ':%'
     order by at, id`,
    [session.id, session.host],
  );
}

/** Ids of a session's last events before an id, newest first. */
export async function listLastEventIds(
  db: Db,
  session: { readonly host: string; readonly id: string },
  before: number,
  limit: number,
): Promise<number[]> {
  const rows = await db.all<{ id: number }>(
    // `+ 0` prevents both databases from scanning back over all sessions' events.
    "select id from events where session = ? and host = ? and id < ? order by id + 0 desc limit ?",
    [session.id, session.host, before, limit],
  );
  return rows.map((row) => row.id);
}

/** The calls of a session, in order: all, or those stored before an id. */
export async function listSessionCalls(
  db: Db,
  session: { readonly host: string; readonly id: string },
  before = Number.MAX_SAFE_INTEGER,
): Promise<Event[]> {
  const rows = await db.all<EventRow>(
    `${select} where session = ? and host = ? and kind = 'call' and id < ? order by coalesce(seq, id), id`,
    [session.id, session.host, before],
  );
  return rows.map(fromRow);
}

/** The fields of an event that miners need. */
export type MinableEvent = Pick<
  Event,
  | "id"
  | "host"
  | "session"
  | "at"
  | "kind"
  | "workspace"
  | "cwd"
  | "tool"
  | "head"
  | "input"
  | "outcome"
  | "benign"
  | "agent"
  | "text"
  | "error"
  | "ok"
  | "exitCode"
>;

/** Enough to recognise an error that a pipe hid. */
const MAX_TEXT_CHARACTERS = 600;

/**
 * Calls and corrections after an id, in the order they were stored, for miners. Reads as few columns as
 * possible: the output only if it may show more than the outcome, the error only if a guard may have spoken.
 */
export async function listMinableEventsAfter(
  db: Db,
  after: number,
  upTo: number,
  limit: number,
): Promise<MinableEvent[]> {
  const rows = await db.all<
    Omit<MinableEvent, "input" | "benign" | "ok"> & {
      input: unknown;
      benign: unknown;
      ok: unknown;
    }
  >(
    `select id, host, session, at, kind, workspace, cwd, tool, head, input, outcome, benign, agent, ok, exit_code as "exitCode",
       case when kind = 'correction' then text
            when head is not null and (outcome = 'ok' or benign = 1) then substr(text, 1, ${MAX_TEXT_CHARACTERS}) end as text,
       case when outcome = 'denied' or (outcome = 'failed' and (head is null or (ok <> 0 and coalesce(exit_code, 0) = 0))) then error end as error
     from events where id > ? and id <= ? and kind in ('call', 'correction') order by id limit ?`,
    [after, upTo, limit],
  );
  // Converted in place, to save garbage collection of as many objects.
  for (const row of rows) {
    if (typeof row.input === "string") row.input = tryParseJson(row.input);
    row.benign = row.benign === 1;
    row.ok = row.ok === null ? null : row.ok === 1;
  }
  return rows as (Omit<MinableEvent, "benign" | "ok"> & { benign: boolean; ok: boolean | null })[];
}

/** Events after an id, in the order they were stored, for indexes. */
export async function listEventsAfter(db: Db, after: number, upTo: number, limit: number): Promise<Event[]> {
  const rows = await db.all<EventRow>(`${select} where id > ? and id <= ? order by id limit ?`, [after, upTo, limit]);
  return rows.map(fromRow);
}

/** The same for one session. */
export async function listDigestedSessionEvents(
  db: Db,
  session: { readonly host: string; readonly id: string },
  page: { readonly after: number; readonly upTo: number; readonly limit: number },
): Promise<Event[]> {
  const rows = await db.all<EventRow>(
    `${select} where session = ? and host = ? and id > ? and id <= ? order by id limit ?`,
    [session.id, session.host, page.after, page.upTo, page.limit],
  );
  return rows.map(fromRow);
}

export async function listFailuresBySignature(db: Db, signature: string, limit: number): Promise<Event[]> {
  const rows = await db.all<EventRow>(
    `${select} where signature = ? and outcome = 'failed' and benign = 0 order by id desc limit ?`,
    [signature, limit],
  );
  return rows.map(fromRow);
}

/** True if a call failed with this signature, in any session except `but`. */
export async function hasFailureWithSignature(
  db: Db,
  signature: string,
  but: { readonly host: string; readonly id: string } = { host: "", id: "" },
): Promise<boolean> {
  const row = await db.get(
    "select 1 as one from events where signature = ? and outcome = 'failed' and benign = 0 and not (session = ? and host = ?) limit 1",
    [signature, but.id, but.host],
  );
  return row !== undefined;
}

/** The time of the newest event, but not after `now`: time without recorded events does not age anything. */
export async function getLastEventTime(db: Db, now: number): Promise<number> {
  const row = await db.get<{ at: number | null }>("select max(last_at) as at from sessions");
  return Math.min(row?.at ?? now, now);
}

/** The highest event id; 0 if there are no events. */
export async function getLastEventId(db: Db): Promise<number> {
  return (await db.get<{ id: number | null }>("select max(id) as id from events"))?.id ?? 0;
}

export async function countEvents(db: Db): Promise<number> {
  const row = await db.get<{ count: number }>("select count(*) as count from events");
  return row?.count ?? 0;
}

interface EventRow {
  id: number;
  host: string;
  session: string;
  uid: string;
  seq: number;
  at: number;
  kind: string;
  workspace: string | null;
  cwd: string | null;
  tool: string | null;
  head: string | null;
  input: string | null;
  ok: number | null;
  outcome: string | null;
  benign: number;
  exit_code: number | null;
  error: string | null;
  signature: string | null;
  text: string | null;
  model: string | null;
  agent: string | null;
  duration_ms: number | null;
}

function toRow(event: NewEvent): SqlValue[] {
  return [
    event.host,
    event.session,
    event.uid,
    toWholeNumber(event.seq),
    toWholeNumber(event.at),
    event.kind,
    event.workspace,
    event.cwd,
    event.tool,
    event.head,
    event.input === null || event.input === undefined ? null : JSON.stringify(event.input),
    event.ok === null ? null : event.ok ? 1 : 0,
    event.outcome,
    event.benign ? 1 : 0,
    toWholeNumber(event.exitCode),
    event.error,
    event.signature,
    event.text,
    event.model,
    event.agent,
    toWholeNumber(event.durationMs),
  ];
}

function fromRow(row: EventRow): Event {
  return {
    id: row.id,
    host: row.host,
    session: row.session,
    uid: row.uid,
    seq: row.seq,
    at: row.at,
    kind: row.kind as Event["kind"],
    workspace: row.workspace,
    cwd: row.cwd,
    tool: row.tool,
    head: row.head,
    input: row.input === null ? null : tryParseJson(row.input),
    ok: row.ok === null ? null : row.ok === 1,
    outcome: row.outcome as Outcome | null,
    benign: row.benign === 1,
    exitCode: row.exit_code,
    error: row.error,
    signature: row.signature,
    text: row.text,
    model: row.model,
    agent: row.agent,
    durationMs: row.duration_ms,
  };
}

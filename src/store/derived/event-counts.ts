import { settings } from "../../domain/settings/declared.ts";
import { DAY } from "../../lib/clock.ts";
import { throwIfStopped, type Stoppable } from "../../lib/stopped.ts";
import { pauseBetweenBatches, chooseBatchSize } from "../state/background.ts";
import type { Db } from "../engine/db.ts";
import { cursors, readCursor, lockCursor, writeCursor } from "../state/cursors.ts";
import { readMeta, writeMeta } from "../state/meta.ts";
import { tables } from "../state/tables.ts";

/**
 * Kept counts, so that readers need not scan all events: one small row per failure (`failures`), failures by
 * signature (`failure_groups`, and `failure_sessions` for the number of sessions), calls by session, day,
 * workspace and tool (`session_calls`), and the sessions of each workspace (`session_workspaces`). The digest
 * adds each event once. Code that deletes events must call `removeEvents` (remove-events.ts), which subtracts
 * them. All counts can be recomputed from events and recoveries.
 */

/** The `recoveryWithin` setting for which the costs of groups were computed. */
const COUNTED_WITHIN = "counted within";
/** Events per transaction; others may write in between. */
const PIECE = 10_000;

interface Range {
  readonly after: number;
  readonly upTo: number;
}

/** Adds the events of a range. Their outcomes and recoveries must be stored already. */
export async function foldCounts(tx: Db, { after, upTo }: Range): Promise<void> {
  await tx.run(`${insertFailures} where id > ? and id <= ? and ${isFailure} on conflict (event) do nothing`, [
    after,
    upTo,
  ]);
  const within = await readCountedWithin(tx);
  // Before `foldSessions`: a session is counted only if it is not there yet.
  await tx.run(foldGroups, [within, after, upTo]);
  await tx.run(foldSessions, [after, upTo]);
  await tx.run(`${insertCalls} where e.id > ? and e.id <= ? and e.kind = 'call' ${byCall} ${addCalls}`, [after, upTo]);
  await tx.run(
    `insert into session_workspaces (workspace, session, host) select distinct workspace, session, host from events
     where id > ? and id <= ? and workspace is not null on conflict (workspace, session, host) do nothing`,
    [after, upTo],
  );
  await writeCursor(tx, cursors.counted, upTo);
}

const isFailure = "outcome = 'failed' and benign = 0 and signature is not null";

const insertFailures = `insert into failures (event, signature, host, session, workspace, at, ms, characters)
  select id, signature, host, session, workspace, at, coalesce(duration_ms, 0),
    length(coalesce(error, '')) + length(coalesce(input, '')) from events`;

const foldGroups = `insert into failure_groups (signature, failures, sessions, first_at, last_at, calls, ms, characters, changed)
  select f.signature, count(*), count(distinct case when s.session is null then f.session end), min(f.at), max(f.at),
    cast(sum(1 + coalesce(r.calls, 0)) as bigint), cast(sum(f.ms + coalesce(r.ms, 0)) as bigint),
    cast(sum(f.characters + coalesce(r.characters, 0)) as bigint), 1
  from failures f left join recoveries r on r.failure = f.event and r.apart <= ?
    left join failure_sessions s on s.signature = f.signature and s.session = f.session
  where f.event > ? and f.event <= ? group by f.signature order by f.signature
  on conflict (signature) do update set failures = failure_groups.failures + excluded.failures,
    sessions = failure_groups.sessions + excluded.sessions,
    first_at = case when excluded.first_at < failure_groups.first_at then excluded.first_at else failure_groups.first_at end,
    last_at = case when excluded.last_at > failure_groups.last_at then excluded.last_at else failure_groups.last_at end,
    calls = failure_groups.calls + excluded.calls, ms = failure_groups.ms + excluded.ms,
    characters = failure_groups.characters + excluded.characters, changed = failure_groups.changed + 1`;

const foldSessions = `insert into failure_sessions (signature, session, failures)
  select signature, session, count(*) from failures where event > ? and event <= ? group by signature, session
  on conflict (signature, session) do update set failures = failure_sessions.failures + excluded.failures`;

/** A missing workspace or tool is stored as an empty text, because a key column cannot be null. */
const insertCalls = `insert into session_calls (session, host, day, workspace, tool, calls, failures, ms, lost, last_at)
  select e.session, e.host, e.at / ${DAY}, coalesce(e.workspace, ''), coalesce(e.tool, ''), count(*),
    cast(sum(case when e.outcome = 'failed' and e.benign = 0 then 1 else 0 end) as bigint),
    cast(sum(coalesce(e.duration_ms, 0)) as bigint),
    cast(sum(case when e.outcome = 'failed' and e.benign = 0 then 1 + coalesce(r.calls, 0) else 0 end) as bigint), max(e.at)
  from events e left join recoveries r on r.failure = e.id`;

const byCall = `group by e.session, e.host, e.at / ${DAY}, coalesce(e.workspace, ''), coalesce(e.tool, '')`;

const addCalls = `on conflict (session, host, day, workspace, tool) do update set calls = session_calls.calls + excluded.calls,
    failures = session_calls.failures + excluded.failures, ms = session_calls.ms + excluded.ms,
    lost = session_calls.lost + excluded.lost,
    last_at = case when excluded.last_at > session_calls.last_at then excluded.last_at else session_calls.last_at end`;

/** Adds the cost of failures that were counted earlier and are recovered only now. */
export function foldRecoveries(tx: Db, failures: readonly number[]): Promise<void> {
  return addRecoveries(tx, failures, "+");
}

/** The reverse, before recoveries of remaining failures are deleted. */
export function unfoldRecoveries(tx: Db, failures: readonly number[]): Promise<void> {
  return addRecoveries(tx, failures, "-");
}

async function addRecoveries(tx: Db, failures: readonly number[], sign: "+" | "-"): Promise<void> {
  const within = await readCountedWithin(tx);
  for (const failure of failures) {
    await tx.run(
      `update failure_groups set calls = failure_groups.calls ${sign} r.calls, ms = failure_groups.ms ${sign} r.ms,
         characters = failure_groups.characters ${sign} r.characters, changed = failure_groups.changed + 1
       from recoveries r join failures f on f.event = r.failure
       where r.failure = ? and r.apart <= ? and failure_groups.signature = f.signature`,
      [failure, within],
    );
    await tx.run(
      `update session_calls set lost = session_calls.lost ${sign} r.calls from recoveries r join events e on e.id = r.failure
       where r.failure = ? and session_calls.session = e.session and session_calls.host = e.host
         and session_calls.day = e.at / ${DAY} and session_calls.workspace = coalesce(e.workspace, '')
         and session_calls.tool = coalesce(e.tool, '')`,
      [failure],
    );
  }
}

/** Updates the counts up to the digest's cursor: after an upgrade, or after they were dropped. */
export async function updateCounts(
  db: Db,
  onProgress?: (done: number, all: number) => void,
  stop: Stoppable = { aborted: false },
): Promise<void> {
  for (;;) {
    const digested = await readCursor(db, cursors.digested);
    if ((await readCursor(db, cursors.counted)) >= digested) return;
    const done = await db.tx(async (tx) => {
      const end = await lockCursor(tx, cursors.digested);
      const after = await readCursor(tx, cursors.counted);
      if (after < end) await foldCounts(tx, { after, upTo: Math.min(end, after + chooseBatchSize(db, PIECE)) });
      return after;
    });
    onProgress?.(done, digested);
    await pauseBetweenBatches(db);
    throwIfStopped(stop);
  }
}

/** Deletes all counts; `updateCounts` recomputes them in pieces. */
export async function dropCounts(db: Db): Promise<void> {
  await db.tx(async (tx) => {
    await lockCursor(tx, cursors.digested);
    for (const table of countTableNames) await tx.run(`delete from ${table}`);
    await writeCursor(tx, cursors.counted, 0);
  });
}

export const countTableNames = tables.filter((table) => table.counts).map((table) => table.name);

/** The costs of groups depend on this setting; recomputes them if it changed. */
export async function setCountedWithin(db: Db, within: number): Promise<void> {
  if ((await readCountedWithin(db)) === within) return;
  await db.tx(async (tx) => {
    await lockCursor(tx, cursors.digested);
    await writeMeta(tx, COUNTED_WITHIN, String(within));
    await tx.run(
      `update failure_groups set calls = s.calls, ms = s.ms, characters = s.characters, changed = failure_groups.changed + 1
       from (select f.signature, cast(sum(1 + coalesce(r.calls, 0)) as bigint) as calls,
           cast(sum(f.ms + coalesce(r.ms, 0)) as bigint) as ms,
           cast(sum(f.characters + coalesce(r.characters, 0)) as bigint) as characters
         from failures f left join recoveries r on r.failure = f.event and r.apart <= ? group by f.signature) s
       where failure_groups.signature = s.signature`,
      [within],
    );
  });
}

export async function readCountedWithin(db: Db): Promise<number> {
  return Number((await readMeta(db, COUNTED_WITHIN)) ?? settings.observe.recoveryWithin.default);
}

/** Subtracts failures from the counts, before their recoveries and events are deleted. */
export async function unfoldFailures(tx: Db, events: readonly number[]): Promise<void> {
  const list = events.map(() => "?").join(", ");
  const gone = await tx.all<{
    signature: string;
    session: string;
    failures: number;
    calls: number;
    ms: number;
    characters: number;
  }>(
    `select f.signature, f.session, count(*) as failures, cast(sum(1 + coalesce(r.calls, 0)) as bigint) as calls,
       cast(sum(f.ms + coalesce(r.ms, 0)) as bigint) as ms,
       cast(sum(f.characters + coalesce(r.characters, 0)) as bigint) as characters
     from failures f left join recoveries r on r.failure = f.event and r.apart <= ?
     where f.event in (${list}) group by f.signature, f.session order by f.signature, f.session`,
    [await readCountedWithin(tx), ...events],
  );
  await tx.run(`delete from failures where event in (${list})`, events);
  for (const one of gone) {
    await tx.run("update failure_sessions set failures = failures - ? where signature = ? and session = ?", [
      one.failures,
      one.signature,
      one.session,
    ]);
    const left = await tx.run("delete from failure_sessions where signature = ? and session = ? and failures <= 0", [
      one.signature,
      one.session,
    ]);
    await tx.run(
      `update failure_groups set failures = failures - ?, sessions = sessions - ?, calls = calls - ?, ms = ms - ?,
         characters = characters - ?, changed = changed + 1 where signature = ?`,
      [one.failures, left, one.calls, one.ms, one.characters, one.signature],
    );
  }
  for (const signature of new Set(gone.map((one) => one.signature))) {
    await tx.run("delete from failure_groups where signature = ? and failures <= 0", [signature]);
    await tx.run(
      `update failure_groups set first_at = (select min(at) from failures where signature = ?),
         last_at = (select max(at) from failures where signature = ?) where signature = ?`,
      [signature, signature, signature],
    );
  }
}

/** Recounts the calls of one day of a session, after some of its events were deleted. */
export async function recountDay(
  tx: Db,
  session: { readonly host: string; readonly session: string },
  day: number,
): Promise<void> {
  const whose = [session.session, session.host];
  await tx.run("delete from session_calls where session = ? and host = ? and day = ?", [...whose, day]);
  const counted = await readCursor(tx, cursors.counted);
  await tx.run(
    `${insertCalls} where e.session = ? and e.host = ? and e.at >= ? and e.at < ? and e.id <= ? and e.kind = 'call' ${byCall}`,
    [...whose, day * DAY, (day + 1) * DAY, counted],
  );
}

/** Deletes the workspaces in which a session has no event left. */
export async function recountWorkspaces(
  tx: Db,
  session: { readonly host: string; readonly session: string },
): Promise<void> {
  await tx.run(
    `delete from session_workspaces where session = ? and host = ? and not exists (select 1 from events e
       where e.session = session_workspaces.session and e.host = session_workspaces.host
         and e.workspace = session_workspaces.workspace)`,
    [session.session, session.host],
  );
}

/** What does not fit the events, in words; null if everything does. Scans all events. */
export async function findCountFault(db: Db): Promise<string | null> {
  const counted = await readCursor(db, cursors.counted);
  const within = await readCountedWithin(db);
  for (const { what, kept, scanned, values } of comparisons) {
    const wanted = await db.get(scanned, values(counted, within));
    if (JSON.stringify(wanted) !== JSON.stringify(await db.get(kept))) return `${what} do not fit the events`;
  }
  return null;
}

const sums = (columns: readonly string[]): string =>
  columns.map((column, at) => `cast(coalesce(sum(${column}), 0) as bigint) as c${at}`).join(", ");

const comparisons: readonly {
  readonly what: string;
  readonly kept: string;
  readonly scanned: string;
  values(counted: number, within: number): readonly number[];
}[] = [
  {
    what: "the rows of failures",
    kept: `select count(*) as n, ${sums(["event", "ms", "characters"])} from failures`,
    scanned: `select count(*) as n, ${sums(["id", "coalesce(duration_ms, 0)", "length(coalesce(error, '')) + length(coalesce(input, ''))"])}
      from events where id <= ? and ${isFailure}`,
    values: (counted) => [counted],
  },
  {
    what: "the counts of failures",
    kept: `select ${sums(["failures", "calls", "ms", "characters", "sessions"])} from failure_groups`,
    scanned: `select ${sums(["1", "1 + coalesce(r.calls, 0)", "f.ms + coalesce(r.ms, 0)", "f.characters + coalesce(r.characters, 0)"])},
        (select count(*) from (select distinct signature, session from failures) pairs) as c4
      from failures f left join recoveries r on r.failure = f.event and r.apart <= ?`,
    values: (_counted, within) => [within],
  },
  {
    what: "the sessions of workspaces",
    kept: "select count(*) as n from session_workspaces",
    scanned: `select count(*) as n from (select distinct workspace, session, host from events
      where id <= ? and workspace is not null) pairs`,
    values: (counted) => [counted],
  },
  {
    what: "the counts of calls",
    kept: `select ${sums(["calls", "failures", "ms", "lost"])} from session_calls`,
    scanned: `select ${sums([
      "1",
      "case when outcome = 'failed' and benign = 0 then 1 else 0 end",
      "coalesce(duration_ms, 0)",
      "case when outcome = 'failed' and benign = 0 then 1 + coalesce(r.calls, 0) else 0 end",
    ])} from events e left join recoveries r on r.failure = e.id where e.id <= ? and e.kind = 'call'`,
    values: (counted) => [counted],
  },
];

import { type Event, isFailure } from "../../domain/event/event.ts";
import { MAX_RECOVERY_DISTANCE, type SessionCall, type Recovery, pairRecoveries } from "../../domain/event/recovery.ts";
import type { Db } from "../engine/db.ts";
import { getEventsByIds, listLastEventIds, listSessionCalls } from "../events/events.ts";

/** How many earlier events of a session are read: enough for the longest distance, with sub-agents in between. */
const LOOK_BACK = 3 * MAX_RECOVERY_DISTANCE;

/** The last calls of the sessions in a batch, passed to the next batch to save a query. */
export interface BatchTail {
  /** Valid only for the batch that begins right after this id. */
  readonly upTo: number;
  readonly calls: ReadonlyMap<string, readonly Event[]>;
}

export interface FoundRecoveries extends Omit<BatchTail, "upTo"> {
  /** Earlier failures that are recovered only now. */
  readonly late: readonly number[];
}

/** Finds the recoveries that new events bring, also of earlier failures. Repeating it changes nothing. */
export async function findRecoveries(
  tx: Db,
  events: readonly Event[],
  tail: BatchTail["calls"] | null,
): Promise<FoundRecoveries> {
  const found: Recovery[] = [];
  const next = new Map<string, readonly Event[]>();
  for (const fresh of groupEvents(events.filter(isCall), sessionKey)) {
    const before = tail?.get(sessionKey(fresh[0])) ?? (await listCallsBefore(tx, fresh[0]));
    const all = [...before, ...fresh];
    if (before.some(isFailure) || fresh.some(isFailure))
      for (const calls of splitByAgent(all)) found.push(...pairRecoveries(calls));
    next.set(sessionKey(fresh[0]), all.slice(-LOOK_BACK));
  }
  const first = events[0]?.id ?? 0;
  const before = found.filter((one) => one.failure < first).map((one) => one.failure);
  const known = new Set(await filterRecovered(tx, before));
  await insertRecoveries(tx, found);
  return { calls: next, late: before.filter((failure) => !known.has(failure)) };
}

/** Finds them again in the sessions of these events, whose outcomes have changed. */
export async function findRecoveriesAgain(tx: Db, changed: readonly Event[]): Promise<void> {
  for (const [first] of groupEvents(changed, sessionKey)) {
    const calls = await listSessionCalls(tx, { host: first.host, id: first.session });
    const ids = calls.map(({ id }) => id);
    for (let from = 0; from < ids.length; from += CHUNK) {
      const some = ids.slice(from, from + CHUNK);
      await tx.run(`delete from recoveries where failure in (${some.map(() => "?").join(", ")})`, some);
    }
    const found = [...splitByAgent(calls)].flatMap((own) => pairRecoveries(own));
    await insertRecoveries(tx, found);
  }
}

async function filterRecovered(tx: Db, failures: readonly number[]): Promise<readonly number[]> {
  const known: number[] = [];
  for (let from = 0; from < failures.length; from += CHUNK) {
    const some = failures.slice(from, from + CHUNK);
    const rows = await tx.all<{ failure: number }>(
      `select failure from recoveries where failure in (${some.map(() => "?").join(", ")})`,
      some,
    );
    known.push(...rows.map((row) => row.failure));
  }
  return known;
}

async function listCallsBefore(tx: Db, first: Event): Promise<readonly Event[]> {
  const ids = await listLastEventIds(tx, { host: first.host, id: first.session }, first.id, LOOK_BACK);
  return (await getEventsByIds(tx, ids)).filter(isCall);
}

async function insertRecoveries(tx: Db, found: readonly Recovery[]): Promise<void> {
  await tx.insertMany(
    { table: "recoveries", columns, tail: "on conflict (failure) do nothing" },
    found.map((one) => [one.failure, one.recovery, one.apart, one.calls, one.ms, one.characters, one.through]),
  );
}

const columns = ["failure", "recovery", "apart", "calls", "ms", "characters", "through"] as const;

/** Pairs whose later event is in the range, so that each is returned once, in whatever order its events arrived. */
export function listRecoveriesBetween(
  db: Db,
  range: { readonly after: number; readonly upTo: number },
  within: number,
): Promise<{ failure: number; recovery: number }[]> {
  const { after, upTo } = range;
  return db.all(
    `select failure, recovery from recoveries where apart <= ?
     and ((recovery > ? and recovery <= ? and failure <= ?) or (failure > ? and failure <= ? and recovery <= ?))
     order by failure`,
    [within, after, upTo, upTo, after, upTo, after],
  );
}

/** What recovered these failures, within the distance. */
export async function listRecoveriesOf(
  db: Db,
  failures: readonly number[],
  within: number,
): Promise<readonly { readonly failure: number; readonly through: string | null; readonly by: Event }[]> {
  const rows: { failure: number; recovery: number; through: string | null }[] = [];
  for (let from = 0; from < failures.length; from += CHUNK) {
    const some = failures.slice(from, from + CHUNK);
    rows.push(
      ...(await db.all<{ failure: number; recovery: number; through: string | null }>(
        `select failure, recovery, through from recoveries where apart <= ? and failure in (${some.map(() => "?").join(", ")})`,
        [within, ...some],
      )),
    );
  }
  const events = new Map<number, Event>();
  const wanted = [...new Set(rows.map((row) => row.recovery))];
  for (let from = 0; from < wanted.length; from += CHUNK)
    for (const event of await getEventsByIds(db, wanted.slice(from, from + CHUNK))) events.set(event.id, event);
  return rows.flatMap((row) => {
    const by = events.get(row.recovery);
    return by ? [{ failure: row.failure, through: row.through, by }] : [];
  });
}

const CHUNK = 500;

function isCall(event: Event): boolean {
  return event.kind === "call";
}

function sessionKey(event: Pick<Event, "host" | "session">): string {
  return `${event.host} ${event.session}`;
}

/** A sub-agent's calls are separate: they neither recover another's failures nor count in between. */
function splitByAgent(events: readonly Event[]): Iterable<readonly SessionCall[]> {
  const ordered = events.toSorted((a, b) => a.seq - b.seq || a.id - b.id);
  return groupEvents(ordered, (event) => event.agent ?? "");
}

function groupEvents(events: readonly Event[], keyOf: (event: Event) => string): Iterable<[Event, ...Event[]]> {
  const groups = new Map<string, [Event, ...Event[]]>();
  for (const event of events) {
    const key = keyOf(event);
    const group = groups.get(key);
    if (group) group.push(event);
    else groups.set(key, [event]);
  }
  return groups.values();
}

/** The recovered failures among these events, and the failures that these events recovered. */
export async function listRecoveredFailures(db: Db, events: readonly number[]): Promise<readonly number[]> {
  const found = new Set<number>();
  for (let from = 0; from < events.length; from += CHUNK) {
    const some = events.slice(from, from + CHUNK);
    const list = some.map(() => "?").join(", ");
    for (const row of await db.all<{ failure: number }>(
      `select failure from recoveries where recovery in (${list}) or failure in (${list})`,
      [...some, ...some],
    ))
      found.add(row.failure);
  }
  return [...found].toSorted((a, b) => a - b);
}

import type { Db, SqlValue } from "../engine/db.ts";
import { buildFolderCondition } from "../state/folder-condition.ts";

/** What miners count, found once in each new event. Derived from events. */
export const repeatKinds = ["edits", "bypasses", "blocks", "corrections", "recoveries", "commands"] as const;
export type RepeatKind = (typeof repeatKinds)[number];

/** Something one session did, and how often. */
export interface Repeat {
  readonly kind: RepeatKind;
  /** Equal for everything that is counted together. */
  readonly key: string;
  readonly host: string;
  readonly session: string;
  /** Its latest event in this session. */
  readonly event: number;
  readonly at: number;
  readonly workspace: string | null;
  readonly times: number;
}

export interface RepeatFilter {
  /** Only from this time on. */
  readonly since: number;
  /** The same per workspace, if it differs. */
  readonly sinceIn?: (workspace: string | null) => number;
  readonly workspace: string | null;
  /** Only keys with an event after this id; others are already known. */
  readonly after: number;
}

export interface RepeatedKey {
  readonly key: string;
  readonly times: number;
  readonly sessions: number;
}

export async function addRepeats(tx: Db, found: readonly Repeat[]): Promise<void> {
  const sums = new Map<string, Repeat>();
  for (const one of found) {
    const id = JSON.stringify([one.kind, one.key, one.session, one.host]);
    const known = sums.get(id);
    sums.set(id, known === undefined ? one : mergeRepeats(known, one));
  }
  await tx.insertMany(
    {
      table: "repeats",
      columns: ["kind", "key", "host", "session", "event", "at", "workspace", "times"],
      tail: `on conflict (kind, key, session, host) do update set times = repeats.times + excluded.times,
        workspace = case when excluded.event > repeats.event then excluded.workspace else repeats.workspace end,
        event = case when excluded.event > repeats.event then excluded.event else repeats.event end,
        at = case when excluded.at > repeats.at then excluded.at else repeats.at end`,
    },
    [...sums.values()].map((one) => [
      one.kind,
      one.key,
      one.host,
      one.session,
      one.event,
      one.at,
      one.workspace,
      one.times,
    ]),
  );
}

/** Must equal the store's merge: the result must not depend on batches. */
function mergeRepeats(a: Repeat, b: Repeat): Repeat {
  const later = b.event > a.event ? b : a;
  return { ...later, at: Math.max(a.at, b.at), times: a.times + b.times };
}

/** Keys with at least this many occurrences and sessions. */
export async function listRepeatedKeys(
  db: Db,
  kind: RepeatKind,
  least: { readonly times: number; readonly sessions: number },
  filter: RepeatFilter,
): Promise<readonly RepeatedKey[]> {
  const { where, values } = buildCondition(kind, filter);
  const rows = await db.all<RepeatedKey>(
    `select key, cast(sum(times) as bigint) as times, count(*) as sessions from repeats where ${where}
     group by key having sum(times) >= ? and count(*) >= ? order by key`,
    [...values, least.times, least.sessions],
  );
  return rows.map((row) => ({ key: row.key, times: Number(row.times), sessions: Number(row.sessions) }));
}

/** Repeats of one key, or of all, ordered by event. */
export async function listRepeats(
  db: Db,
  kind: RepeatKind,
  filter: RepeatFilter,
  key: string | null = null,
): Promise<readonly Repeat[]> {
  const { where, values } = buildCondition(kind, filter);
  const rows = await db.all<Repeat & Record<string, SqlValue>>(
    // `+ 0` prevents both databases from scanning the event index over all keys.
    `select kind, key, host, session, event, at, workspace, times from repeats
     where ${where}${key === null ? " order by event, key" : " and key = ? order by event + 0, key"} limit ?`,
    [...values, ...(key === null ? [] : [key]), MOST],
  );
  const { sinceIn } = filter;
  return sinceIn === undefined ? rows : rows.filter((row) => row.at >= sinceIn(row.workspace));
}

/** True if any repeat of this kind has an event after this id. */
export async function hasRepeatsAfter(db: Db, kind: RepeatKind, after: number): Promise<boolean> {
  const row = await db.get<{ event: number }>("select event from repeats where kind = ? and event > ? limit 1", [
    kind,
    after,
  ]);
  return row !== undefined;
}

export async function dropRepeats(tx: Db, kind: RepeatKind): Promise<void> {
  await tx.run("delete from repeats where kind = ?", [kind]);
}

const MOST = 5_000;

function buildCondition(kind: RepeatKind, filter: RepeatFilter): { where: string; values: readonly SqlValue[] } {
  const parts = ["kind = ?", "at >= ?"];
  const values: SqlValue[] = [kind, filter.since];
  if (filter.workspace !== null) {
    const within = buildFolderCondition(filter.workspace);
    parts.push(within.sql);
    values.push(...within.values);
  }
  if (filter.after > 0) {
    parts.push("key in (select key from repeats where kind = ? and event > ?)");
    values.push(kind, filter.after);
  }
  return { where: parts.join(" and "), values };
}

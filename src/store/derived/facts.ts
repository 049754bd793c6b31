import type { NewEvent } from "../../domain/event/event.ts";
import type { Fact, FactKind, Sighting } from "../../domain/fact/fact.ts";
import type { Db, SqlValue } from "../engine/db.ts";
import type { AgentKey } from "../shown/shown.ts";

/** A fact as seen in one session. */
export interface FactRow extends Sighting {
  readonly workspace: string;
  readonly host: string;
  readonly session: string;
  /** The session's latest event that showed it. */
  readonly event: number;
  readonly at: number;
  readonly instead: string | null;
}

export type FactKey = Pick<Fact, "workspace" | "kind" | "subject">;

/** Storing the same sighting again changes nothing, whether a hook or the digest found it first. */
export async function addFacts(db: Db, rows: readonly FactRow[]): Promise<void> {
  await db.insertMany(
    {
      table: "facts",
      columns: ["workspace", "kind", "subject", "host", "session", "event", "at", "name", "met_by", "instead"],
      tail: `on conflict (workspace, kind, subject, session, host) do update set
        at = case when excluded.event > facts.event then excluded.at else facts.at end,
        met_by = case when excluded.event > facts.event then excluded.met_by else facts.met_by end,
        event = case when excluded.event > facts.event then excluded.event else facts.event end,
        instead = coalesce(excluded.instead, facts.instead)`,
    },
    rows.map((row) => [
      row.workspace,
      row.kind,
      row.subject,
      row.host,
      row.session,
      row.event,
      row.at,
      row.name,
      row.by,
      row.instead,
    ]),
  );
}

/** Drops what these events showed: they did not fail after all. */
export async function dropFactsShownBy(tx: Db, events: readonly number[]): Promise<void> {
  for (const event of events) await tx.run("delete from facts where event = ?", [event]);
}

export async function dropFact(db: Db, { workspace, kind, subject }: FactKey): Promise<number> {
  return db.run("delete from facts where workspace = ? and kind = ? and subject = ?", [workspace, kind, subject]);
}

/** Permanently: `scrubForgotten` removes the bytes from the store's files. */
export async function forgetFact(db: Db, fact: FactKey): Promise<void> {
  // Loaded here, because hooks read facts but never forget any.
  const { notePendingScrub } = await import("../state/scrub-forgotten.ts");
  await db.tx(async (tx) => {
    await dropFact(tx, fact);
    await notePendingScrub(tx, "spoken");
  });
}

/**
 * Facts of one workspace, or of all; the latest first. In a shared mind, a workspace also has the facts of the same
 * repository in folders of other machines.
 */
export async function listFacts(db: Db, workspace: string | null): Promise<readonly Fact[]> {
  const facts = new Map<string, Fact>();
  for (const row of await listFactsHere(db, workspace)) {
    const key = JSON.stringify([row.workspace, row.kind, row.subject]);
    const { host: _host, session: _session, ...fact } = row;
    const known = facts.get(key) ?? { ...fact, first: row.at, sessions: 0 };
    facts.set(key, {
      ...(row.event > known.event ? { ...known, ...fact } : known),
      at: Math.max(known.at, row.at),
      first: Math.min(known.first, row.at),
      sessions: known.sessions + 1,
      instead: (row.event >= known.event ? row.instead : null) ?? known.instead ?? row.instead,
    });
  }
  return [...facts.values()].toSorted((a, b) => b.at - a.at || (a.subject < b.subject ? -1 : 1));
}

async function listFactsHere(db: Db, workspace: string | null): Promise<readonly FactRow[]> {
  if (db.machine === undefined || workspace === null) return listFactRows(db, workspace);
  const { buildPathCondition, moveFactHere } = await import("../state/shared-scopes.ts");
  const rows = await selectFacts(db, buildPathCondition(db, workspace));
  return rows.map((row) => moveFactHere(row, workspace));
}

/** As they are stored. */
export function listFactRows(db: Db, workspace: string | null): Promise<readonly FactRow[]> {
  return selectFacts(db, workspace === null ? null : { sql: "workspace = ?", values: [workspace] });
}

async function selectFacts(
  db: Db,
  within: { readonly sql: string; readonly values: readonly string[] } | null,
): Promise<readonly FactRow[]> {
  const rows = await db.all<Omit<FactRow, "by"> & { met_by: string; kind: string }>(
    `select workspace, kind, subject, host, session, event, at, name, met_by, instead from facts
     ${within === null ? "" : `where ${within.sql}`} order by event, kind, subject`,
    within?.values ?? [],
  );
  return rows.map(({ met_by: by, kind, ...row }) => ({ ...row, by, kind: kind as FactKind }));
}

/** Limits the facts of a workspace, because calls are compared with all of them. Deletes the oldest. */
export async function trimFacts(tx: Db, workspace: string, most: number): Promise<void> {
  const kept = await tx.all<{ kind: string; subject: string }>(
    `select kind, subject from facts where workspace = ? group by kind, subject order by max(event) desc`,
    [workspace],
  );
  for (const { kind, subject } of kept.slice(most)) await dropFact(tx, { workspace, kind: kind as FactKind, subject });
}

/** Ids of the facts that an agent was shown since its context began. */
export async function listShownFactIds(db: Db, { host, session, agent }: AgentKey): Promise<ReadonlySet<string>> {
  const rows = await db.all<{ kind: string; subject: string }>(
    `select kind, subject from shown
     where session = ? and host = ? and coalesce(agent, '') = ? and kind in ('start', 'fact') order by id`,
    [session, host, agent ?? ""],
  );
  const began = rows.findLastIndex((row) => row.kind === "start") + 1;
  return new Set(rows.slice(began).map((row) => row.subject));
}

/** How often a fact came with a call, and how many of those calls failed anyway. */
export interface FactCallCount {
  readonly fact: string;
  /** False: the session was in the control group and not shown the fact. */
  readonly wasShown: boolean;
  readonly calls: number;
  readonly failed: number;
}

export async function countFactCalls(db: Db): Promise<readonly FactCallCount[]> {
  const rows = await db.all<{ fact: string; level: string; calls: SqlValue; failed: SqlValue }>(
    `select s.subject as fact, s.level, count(*) as calls,
       sum(case when e.outcome = 'failed' and e.benign = 0 then 1 else 0 end) as failed
     from shown s left join events e on e.session = s.session and e.host = s.host and e.uid = s.call
     where s.kind = 'fact' and s.moment = 'before-call' group by s.subject, s.level order by s.subject, s.level`,
  );
  return rows.map(({ fact, level, calls, failed }) => ({
    fact,
    wasShown: level !== "watch",
    calls: Number(calls),
    failed: Number(failed),
  }));
}

/** The id of a stored event; null if it is not stored. */
export async function findEventId(
  db: Db,
  { session, host, uid }: Pick<NewEvent, "session" | "host" | "uid">,
): Promise<number | null> {
  const row = await db.get<{ id: number }>("select id from events where session = ? and host = ? and uid = ?", [
    session,
    host,
    uid,
  ]);
  return row?.id ?? null;
}

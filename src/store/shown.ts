import type { Level } from "../domain/rule/rule.ts";
import type { Db } from "./engine/db.ts";

export type ShownMoment = "session-start" | "prompt" | "before-call" | "after-failure" | "stop";

/** What may be put before a session. `start` marks where its context began anew: what came before is gone from it. */
export type ShownKind = "rule" | "memory" | "entry" | "handoff" | "session" | "reminder" | "identity" | "start";

/** What was put in front of which session, and when. */
export interface Shown {
  readonly at: number;
  readonly host: string;
  readonly session: string;
  readonly rule: string;
  readonly moment: ShownMoment;
  readonly level: Level;
  readonly tokens: number;
}

/** The same, of anything. */
export interface ShownPart {
  readonly kind: ShownKind;
  readonly subject: string;
  readonly level: Level;
  readonly tokens: number;
}

export async function recordParts(
  db: Db,
  to: Pick<Shown, "at" | "host" | "session" | "moment">,
  parts: readonly ShownPart[],
): Promise<void> {
  await db.insertMany(
    { table: "shown", columns: ["at", "host", "session", "kind", "subject", "moment", "level", "tokens"] },
    parts.map((one) => [to.at, to.host, to.session, one.kind, one.subject, to.moment, one.level, one.tokens]),
  );
}

/** The rules said to a session with the call they warn against. Told at its start they count for nothing here: at the call is where they work. */
export async function rulesShownTo(db: Db, host: string, session: string): Promise<Set<string>> {
  const rows = await db.all<{ subject: string }>(
    `select distinct subject from shown where session = ? and host = ? and kind = 'rule'
     and moment in ('before-call', 'after-failure')`,
    [session, host],
  );
  return new Set(rows.map((row) => row.subject));
}

export interface ShownSoFar {
  /** `kind subject`, of everything its context still holds. */
  readonly parts: ReadonlySet<string>;
  readonly tokens: number;
}

/** What a session has before it, since its context last began anew. */
export async function shownTo(db: Db, host: string, session: string): Promise<ShownSoFar> {
  const rows = await db.all<{ kind: string; subject: string; tokens: number }>(
    "select kind, subject, tokens from shown where session = ? and host = ? order by id",
    [session, host],
  );
  const since = rows.slice(rows.findLastIndex((row) => row.kind === "start") + 1);
  return {
    parts: new Set(since.map((row) => `${row.kind} ${row.subject}`)),
    tokens: since.reduce((sum, row) => sum + row.tokens, 0),
  };
}

/** When each rule was last put before anybody. */
export async function lastShownAt(db: Db): Promise<ReadonlyMap<string, number>> {
  const rows = await db.all<{ rule: string; at: number }>(
    "select subject as rule, max(at) as at from shown where kind = 'rule' group by subject",
  );
  return new Map(rows.map((row) => [row.rule, row.at]));
}

/** A rule that was put before a session, and what the session made of it once it was counted. */
export interface Showing extends Shown {
  /** Null where the rule was forgotten since. */
  readonly text: string | null;
  /** Null until the session has gone quiet and was counted. */
  readonly broken: boolean | null;
}

/** Newest first; of one rule, of one session, or of all. */
export async function listShown(
  db: Db,
  wanted: { readonly rule?: string | undefined; readonly session?: string | undefined; readonly limit: number },
): Promise<Showing[]> {
  const of = [
    ...(wanted.rule === undefined ? [] : [["s.subject = ?", wanted.rule] as const]),
    ...(wanted.session === undefined ? [] : [["s.session = ?", wanted.session] as const]),
  ];
  const where = ["s.kind = 'rule'", ...of.map(([test]) => test)].join(" and ");
  const rows = await db.all<Omit<Showing, "broken"> & { broken: number | null }>(
    `select s.at, s.host, s.session, s.subject as rule, s.moment, s.level, s.tokens, rules.text, r.broken
     from shown s
     left join rules on rules.id = s.subject
     left join reinforced r on r.rule = s.subject and r.session = s.session and r.host = s.host
     where ${where} order by s.id desc limit ?`,
    [...of.map(([, value]) => value), wanted.limit],
  );
  return rows.map((row) => ({ ...row, broken: row.broken === null ? null : row.broken === 1 }));
}

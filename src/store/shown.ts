import type { Level } from "../domain/rule.ts";
import type { Db } from "./db.ts";

/** What was put in front of which session, and when. */
export interface Shown {
  readonly at: number;
  readonly host: string;
  readonly session: string;
  readonly rule: string;
  readonly moment: "session-start" | "prompt" | "before-call" | "after-failure" | "stop";
  readonly level: Level;
  readonly tokens: number;
}

export async function recordShown(db: Db, shown: Shown): Promise<void> {
  await db.run("insert into shown (at, host, session, rule, moment, level, tokens) values (?, ?, ?, ?, ?, ?, ?)", [
    shown.at,
    shown.host,
    shown.session,
    shown.rule,
    shown.moment,
    shown.level,
    shown.tokens,
  ]);
}

export async function rulesShownTo(db: Db, host: string, session: string): Promise<Set<string>> {
  const rows = await db.all<{ rule: string }>("select distinct rule from shown where session = ? and host = ?", [
    session,
    host,
  ]);
  return new Set(rows.map((row) => row.rule));
}

/** When each rule was last put before anybody. */
export async function lastShownAt(db: Db): Promise<ReadonlyMap<string, number>> {
  const rows = await db.all<{ rule: string; at: number }>("select rule, max(at) as at from shown group by rule");
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
    ...(wanted.rule === undefined ? [] : [["s.rule = ?", wanted.rule] as const]),
    ...(wanted.session === undefined ? [] : [["s.session = ?", wanted.session] as const]),
  ];
  const where = of.length === 0 ? "" : `where ${of.map(([test]) => test).join(" and ")}`;
  const rows = await db.all<Omit<Showing, "broken"> & { broken: number | null }>(
    `select s.at, s.host, s.session, s.rule, s.moment, s.level, s.tokens, rules.text, r.broken
     from shown s
     left join rules on rules.id = s.rule
     left join reinforced r on r.rule = s.rule and r.session = s.session and r.host = s.host
     ${where} order by s.id desc limit ?`,
    [...of.map(([, value]) => value), wanted.limit],
  );
  return rows.map((row) => ({ ...row, broken: row.broken === null ? null : row.broken === 1 }));
}

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

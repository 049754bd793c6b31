import type { Db } from "./engine/db.ts";

/** That a session's encounter with a rule was counted, once: followed or broken. */
export interface Reinforcement {
  readonly rule: string;
  readonly host: string;
  readonly session: string;
  readonly at: number;
  readonly broken: boolean;
}

/** Rules shown to sessions whose encounter was not counted yet, with the first time and moment; sessions active since are left for later. */
export async function encountersToCount(
  db: Db,
  quietSince: number,
): Promise<
  readonly {
    readonly rule: string;
    readonly host: string;
    readonly session: string;
    readonly at: number;
    readonly beforeCall: boolean;
  }[]
> {
  const rows = await db.all<{ rule: string; host: string; session: string; at: number; moment: string }>(
    `select s.subject as rule, s.host, s.session, s.at, s.moment from shown s
     join sessions on sessions.id = s.session and sessions.host = s.host
     where s.id = (select min(f.id) from shown f where f.session = s.session and f.subject = s.subject and f.host = s.host and f.kind = 'rule')
       and (sessions.ended_at is not null or sessions.last_at < ?)
       and not exists (select 1 from reinforced r where r.rule = s.subject and r.session = s.session and r.host = s.host)
     order by s.id`,
    [quietSince],
  );
  return rows.map(({ moment, ...row }) => ({ ...row, beforeCall: moment === "before-call" }));
}

export async function addReinforcements(tx: Db, rows: readonly Reinforcement[]): Promise<void> {
  await tx.insertMany(
    {
      table: "reinforced",
      columns: ["rule", "host", "session", "at", "broken"],
      tail: "on conflict (rule, session, host) do nothing",
    },
    rows.map((one) => [one.rule, one.host, one.session, one.at, one.broken ? 1 : 0]),
  );
}

export async function reinforcementsOf(db: Db, rule: string): Promise<Reinforcement[]> {
  const rows = await db.all<Omit<Reinforcement, "broken"> & { broken: number }>(
    "select rule, host, session, at, broken from reinforced where rule = ? order by at, session",
    [rule],
  );
  return rows.map((row) => ({ ...row, broken: row.broken === 1 }));
}

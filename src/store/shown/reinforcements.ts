import type { DeliveryTally } from "../../domain/rule/delivery/compare-deliveries.ts";
import { deliveryKinds, type Delivery } from "../../domain/rule/delivery/delivery.ts";
import type { Db } from "../engine/db.ts";

/** The counted result of a session that was shown a rule: followed, broken or contradicted. */
export interface Reinforcement {
  readonly rule: string;
  readonly host: string;
  readonly session: string;
  readonly at: number;
  /** Null: the session made the call anyway and it worked, which neither follows nor breaks the rule. */
  readonly broken: boolean | null;
  /** The strictest delivery to the session; null if not recorded. */
  readonly delivery: Delivery | null;
}

/** A rule that was shown to a session, and when first. */
export interface PendingEncounter extends Pick<Reinforcement, "rule" | "host" | "session" | "at"> {
  /** True if that was with a call that ran: the call was already decided. */
  readonly atCall: boolean;
  readonly delivery: Delivery;
}

/** Encounters that are not counted yet, without sessions active since. */
export async function listPendingEncounters(db: Db, quietSince: number): Promise<readonly PendingEncounter[]> {
  type Row = Omit<PendingEncounter, "atCall" | "delivery"> & { moment: string; delivery: Delivery; hardest: number };
  const rows = await db.all<Row>(
    `select s.subject as rule, s.host, s.session, s.at, s.moment, s.delivery,
       (select max(case d.delivery when 'note' then 0 when 'hold' then 1 when 'ask' then 2 else 3 end) from shown d
        where d.session = s.session and d.subject = s.subject and d.host = s.host and d.kind = 'rule') as hardest
     from shown s
     join sessions on sessions.id = s.session and sessions.host = s.host
     where s.id = (select min(f.id) from shown f where f.session = s.session and f.subject = s.subject and f.host = s.host and f.kind = 'rule')
       and (sessions.ended_at is not null or sessions.last_at < ?)
       and not exists (select 1 from reinforced r where r.rule = s.subject and r.session = s.session and r.host = s.host)
     order by s.id`,
    [quietSince],
  );
  return rows.map(({ moment, delivery, hardest, ...row }) => ({
    ...row,
    atCall: moment === "before-call" && (delivery === "note" || delivery === "ask"),
    delivery: deliveryKinds[hardest] ?? "note",
  }));
}

export async function addReinforcements(tx: Db, rows: readonly Reinforcement[]): Promise<void> {
  await tx.insertMany(
    {
      table: "reinforced",
      columns: ["rule", "host", "session", "at", "broken", "delivery"],
      tail: "on conflict (rule, session, host) do nothing",
    },
    rows.map((one) => [
      one.rule,
      one.host,
      one.session,
      one.at,
      one.broken === null ? CONTRADICTED : one.broken ? 1 : 0,
      one.delivery,
    ]),
  );
}

export async function listReinforcements(db: Db, rule: string): Promise<Reinforcement[]> {
  const rows = await db.all<Omit<Reinforcement, "broken"> & { broken: number }>(
    "select rule, host, session, at, broken, delivery from reinforced where rule = ? order by at, session",
    [rule],
  );
  return rows.map((row) => ({ ...row, broken: row.broken === CONTRADICTED ? null : row.broken === 1 }));
}

/** Stored in place of 0 (followed) and 1 (broken). */
const CONTRADICTED = 2;

/** How many sessions followed the rule, by delivery; without those where it was wrong or no delivery is recorded. */
export async function tallyDeliveries(db: Db, rule: string): Promise<readonly DeliveryTally[]> {
  const rows = await db.all<{ delivery: Delivery; sessions: number; broken: number }>(
    `select delivery, count(*) as sessions, sum(broken) as broken from reinforced
     where rule = ? and delivery is not null and broken <> ? group by delivery`,
    [rule, CONTRADICTED],
  );
  return rows.map(({ delivery, sessions, broken }) => {
    return { delivery, sessions: Number(sessions), kept: Number(sessions) - Number(broken) };
  });
}

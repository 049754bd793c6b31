import { type BudgetKey, type Cap, type CapKind, capId } from "../../domain/model/caps.ts";
import { toDollars } from "../../domain/model/money.ts";
import type { Db } from "../engine/db.ts";
import type { BudgetRow, HeldAmount, HeldUntil } from "./budgets.ts";

/** All that decides whether an amount fits. */
export interface MoneyView {
  /** One for each spender, day and process, with the first end of a lease among them. */
  readonly held: readonly (HeldAmount & HeldUntil)[];
  readonly budgets: readonly BudgetRow[];
  /** Those that the owner set. */
  readonly caps: readonly Cap[];
}

/** In one question to the store: it is asked before every call, while others wait for the lock. */
export async function readMoneyView(tx: Db, keys: readonly BudgetKey[]): Promise<MoneyView> {
  const each = (condition: string) => keys.map(() => condition).join(" or ");
  const rows = await tx.all<ViewRow>(
    `select 'held' as what, agent as one, job as two, goal as three, holder as four, day, list_price as flag,
       cast(sum(amount_nanos) as bigint) as amount, min(until) as other
     from model_reservations where state = 'held' group by agent, job, goal, holder, day, list_price
     union all
     select 'budget', kind, name, null, null, day, list_price, spent_nanos, lost_nanos from model_budgets
       where ${each("(kind = ? and name = ? and day = ?)")}
     union all
     select 'cap', kind, name, counts, null, extension_day, strict, limit_nanos, extension_nanos from model_caps
       where ${each("(kind = ? and name = ?)")}`,
    [...keys.flatMap(({ kind, name, day }) => [kind, name, day]), ...keys.flatMap(({ kind, name }) => [kind, name])],
  );
  const of = (what: ViewRow["what"]) => rows.filter((row) => row.what === what);
  return { held: of("held").map(toHeld), budgets: of("budget").map(toBudget), caps: of("cap").map(toCap) };
}

interface ViewRow {
  readonly what: "held" | "budget" | "cap";
  readonly one: string;
  readonly two: string | null;
  readonly three: string | null;
  readonly four: string | null;
  readonly day: string | null;
  readonly flag: number;
  readonly amount: number | null;
  readonly other: number | null;
}

function toHeld(row: ViewRow): MoneyView["held"][number] {
  return {
    agent: row.one,
    job: row.two,
    goal: row.three,
    day: row.day ?? "",
    list_price: row.flag,
    amount_nanos: row.amount ?? 0,
    until: row.other ?? 0,
    holder: row.four,
  };
}

function toBudget(row: ViewRow): BudgetRow {
  return {
    kind: row.one as CapKind,
    name: row.two ?? "",
    day: row.day ?? "",
    list_price: row.flag,
    spent_nanos: row.amount ?? 0,
    lost_nanos: row.other ?? 0,
  };
}

function toCap(row: ViewRow): Cap {
  const [kind, name] = [row.one as CapKind, row.two ?? ""];
  return {
    id: capId(kind, name),
    kind,
    name,
    limit: row.amount === null ? null : toDollars(row.amount),
    counts: row.three as Cap["counts"],
    isStrict: row.flag === 1,
    extension: row.day === null ? null : { day: row.day, amount: toDollars(row.other ?? 0) },
  };
}

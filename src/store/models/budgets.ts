import { type Budget, type BudgetKey, type Cap, emptyBudget } from "../../domain/model/caps.ts";
import { listGoneProcesses } from "../../lib/process-ref.ts";
import type { Db } from "../engine/db.ts";

/** What was spent, and what was lost, for one cap. Calls at list price have sums of their own. */
export interface BudgetRow extends BudgetKey {
  readonly list_price: number;
  readonly spent_nanos: number;
  readonly lost_nanos: number;
}

export function findBudgetRows(db: Db, keys: readonly BudgetKey[]): Promise<BudgetRow[]> {
  const conditions = keys.map(() => "(kind = ? and name = ? and day = ?)").join(" or ");
  return db.all<BudgetRow>(
    `select kind, name, day, list_price, spent_nanos, lost_nanos from model_budgets where ${conditions}`,
    keys.flatMap(({ kind, name, day }) => [kind, name, day]),
  );
}

export interface BudgetChange {
  readonly keys: readonly BudgetKey[];
  readonly listPrice: boolean;
  readonly spent: number;
  readonly lost: number;
}

/** Only under the lock of money. */
export async function changeBudgets(tx: Db, { keys, listPrice, spent, lost }: BudgetChange): Promise<void> {
  if (spent === 0 && lost === 0) return;
  await tx.insertMany(
    {
      table: "model_budgets",
      columns: ["kind", "name", "day", "list_price", "spent_nanos", "lost_nanos"],
      tail: `on conflict (kind, name, day, list_price) do update set
        spent_nanos = model_budgets.spent_nanos + excluded.spent_nanos,
        lost_nanos = model_budgets.lost_nanos + excluded.lost_nanos`,
    },
    keys.map(({ kind, name, day }) => [kind, name, day, listPrice ? 1 : 0, spent, lost]),
  );
}

/** What counts against a cap. */
export function budgetOf(
  { kind, name, day }: BudgetKey,
  counts: Cap["counts"],
  rows: readonly BudgetRow[],
  held: readonly HeldAmount[],
): Budget {
  const isCounted = (listPrice: number) => counts === "all" || listPrice === 0;
  const stored = rows
    .filter((row) => row.kind === kind && row.name === name && row.day === day && isCounted(row.list_price))
    .reduce(
      (sum, row) => ({ ...sum, spent: sum.spent + row.spent_nanos, lost: sum.lost + row.lost_nanos }),
      emptyBudget,
    );
  const reserved = held
    .filter((one) => isCounted(one.list_price) && belongsTo(one, { kind, name, day }))
    .reduce((sum, one) => sum + one.amount_nanos, 0);
  return { ...stored, reserved };
}

export interface HeldAmount {
  readonly agent: string;
  readonly job: string | null;
  readonly goal: string | null;
  readonly day: string;
  readonly list_price: number;
  readonly amount_nanos: number;
}

/** A reservation ends with its lease, or with its process. */
export interface HeldUntil {
  readonly until: number;
  readonly holder: string | null;
}

export function splitEnded<T extends HeldUntil>(
  held: readonly T[],
  now: number,
): { readonly held: readonly T[]; readonly ended: readonly T[] } {
  const gone = listGoneProcesses(held.map(({ holder }) => holder));
  const hasEnded = ({ until, holder }: T) => until <= now || (holder !== null && gone.includes(holder));
  return { held: held.filter((one) => !hasEnded(one)), ended: held.filter(hasEnded) };
}

function belongsTo(held: HeldAmount, { kind, name, day }: BudgetKey): boolean {
  if (kind === "day") return held.day === day;
  if (kind === "agent") return held.day === day && held.agent === name;
  return held[kind] === name;
}

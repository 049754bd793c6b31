import { type Budget, type Cap, type CapKind, defaultDayCap, spendingDay } from "../../domain/model/caps.ts";
import type { Db } from "../engine/db.ts";
import { listCaps } from "../nouns/caps.ts";
import { type HeldAmount, type HeldUntil, budgetOf, findBudgetRows, splitEnded } from "./budgets.ts";

/** A cap, and what counts against it today; of a job or a goal, all there ever was. In billionths of a dollar. */
export interface CapUsage extends Budget {
  readonly cap: Cap;
  /** It holds because the owner set none. */
  readonly isDefault: boolean;
}

/** The day's first, then those the owner set. Reservations whose lease or process has ended count as lost already. */
export function listCapUsage(db: Db, now: number): Promise<readonly CapUsage[]> {
  return db.snapshot(async (view) => {
    const set = await listCaps(view);
    const isDefault = !set.some(({ kind }) => kind === "day");
    const caps = [...(isDefault ? [defaultDayCap] : []), ...set].sort(
      (a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || (a.name < b.name ? -1 : 1),
    );
    const day = spendingDay(now);
    const keys = caps.map(({ kind, name }) => ({ kind, name, day: kind === "day" || kind === "agent" ? day : "" }));
    const rows = await findBudgetRows(view, keys);
    const open = await view.all<HeldAmount & HeldUntil>(
      "select agent, job, goal, day, list_price, amount_nanos, until, holder from model_reservations where state = 'held'",
    );
    const { held, ended } = splitEnded(open, now);
    return caps.map((cap, at): CapUsage => {
      const key = keys[at] ?? { kind: cap.kind, name: cap.name, day };
      const budget = budgetOf(key, cap.counts, rows, held);
      const late = budgetOf(key, cap.counts, [], ended).reserved;
      return { cap, isDefault: isDefault && cap.kind === "day", ...budget, lost: budget.lost + late };
    });
  });
}

const order: readonly CapKind[] = ["day", "agent", "job", "goal"];

/** What calls under way hold, and what may be lost in these days, in billionths of a dollar. */
export async function sumReservations(
  db: Db,
  of: { readonly since: string; readonly until: string; readonly now: number },
): Promise<{ readonly held: number; readonly lost: number }> {
  const open = await db.all<HeldUntil & { readonly amount_nanos: number }>(
    "select amount_nanos, until, holder from model_reservations where state = 'held' and day >= ? and day <= ?",
    [of.since, of.until],
  );
  const { held, ended } = splitEnded(open, of.now);
  const sum = (rows: readonly { readonly amount_nanos: number }[]) =>
    rows.reduce((all, one) => all + one.amount_nanos, 0);
  const stored = await db.get<{ lost: number }>(
    `select cast(coalesce(sum(lost_nanos), 0) as bigint) as lost from model_budgets
     where kind = 'day' and name = '' and day >= ? and day <= ?`,
    [of.since, of.until],
  );
  return { held: sum(held), lost: (stored?.lost ?? 0) + sum(ended) };
}

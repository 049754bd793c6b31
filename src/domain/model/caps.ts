import { formatDollars, formatDollarsUp, toDollars, toNanos } from "./money.ts";

/** What a cap limits: all calls of a day, one agent's calls of a day, one job, or one goal. */
export const capKinds = ["day", "agent", "job", "goal"] as const;
export type CapKind = (typeof capKinds)[number];

/** A limit on what models may cost. It is journalled, and only the owner changes it. */
export interface Cap {
  /** `day`, `agent NAME`, `job NAME`, `goal NAME`. */
  readonly id: string;
  readonly kind: CapKind;
  /** Empty for `day`. */
  readonly name: string;
  /** In dollars; null: no limit. */
  readonly limit: number | null;
  /** `paid`: calls paid by a subscription do not count, because only their list price is known. */
  readonly counts: "all" | "paid";
  /** True: lost money counts at once. False: it counts only where it exceeds the limit. */
  readonly isStrict: boolean;
  /** An increase for one day. Extending a job or a goal raises the limit itself. */
  readonly extension: { readonly day: string; readonly amount: number } | null;
}

/** Applies until the owner sets a cap for the day. Calls paid by a subscription do not count, because they cost nothing extra. */
export const defaultDayCap: Cap = {
  id: "day",
  kind: "day",
  name: "",
  limit: 20,
  counts: "paid",
  isStrict: false,
  extension: null,
};

export function capId(kind: CapKind, name: string): string {
  return kind === "day" ? "day" : `${kind} ${name}`;
}

/** Whose caps count a call. */
export interface Spender {
  readonly agent: string;
  readonly job: string | null;
  readonly goal: string | null;
}

/** A sum that a call is part of. Days are UTC days, the same on every machine; jobs and goals have no day. */
export interface BudgetKey {
  readonly kind: CapKind;
  readonly name: string;
  readonly day: string;
}

export function budgetKeys(spender: Spender, day: string): readonly BudgetKey[] {
  return [
    { kind: "day", name: "", day },
    { kind: "agent", name: spender.agent, day },
    ...(spender.job === null ? [] : [{ kind: "job" as const, name: spender.job, day: "" }]),
    ...(spender.goal === null ? [] : [{ kind: "goal" as const, name: spender.goal, day: "" }]),
  ];
}

/** `2026-11-17`, in UTC. */
export function spendingDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** What counts against one cap, in billionths of a dollar. */
export interface Budget {
  readonly spent: number;
  /** Held by calls under way. */
  readonly reserved: number;
  /** Reserved by processes that died or hung before they settled. It may have been spent. */
  readonly lost: number;
}

export const emptyBudget: Budget = { spent: 0, reserved: 0, lost: 0 };

/** In billionths of a dollar; null: no limit. */
export function limitOn(cap: Cap, day: string): number | null {
  if (cap.limit === null) return null;
  return toNanos(cap.limit) + (cap.extension?.day === day ? toNanos(cap.extension.amount) : 0);
}

/**
 * How much of a limit is used. Lost money up to the amount of the limit does not count, because a reservation is far above the
 * usual cost, and most calls of a dead process were not answered. Lost money beyond that counts, so a program that keeps dying
 * spends at most twice the limit.
 */
export function usedOf({ spent, reserved, lost }: Budget, limit: number, isStrict: boolean): number {
  return spent + reserved + countedLost(lost, limit, isStrict);
}

function countedLost(lost: number, limit: number, isStrict: boolean): number {
  return isStrict ? lost : Math.max(0, lost - limit);
}

/** True if nothing is left under a cap. */
export function isCapUsedUp(cap: Cap, budget: Budget, day: string): boolean {
  const limit = limitOn(cap, day);
  return limit !== null && usedOf(budget, limit, cap.isStrict) >= limit;
}

/** Why a call did not fit under a cap, in dollars. */
export interface CapHit {
  readonly cap: string;
  readonly limit: number;
  readonly spent: number;
  readonly reserved: number;
  /** The part of the lost money that counts. */
  readonly lost: number;
  readonly needed: number;
  /** The model, if its price is unknown. */
  readonly unpriced: string | null;
  /** The command that extends the cap. */
  readonly extend: string;
}

/** Null if the amount fits. An amount of 0 always fits. */
export function checkCap(cap: Cap, budget: Budget, amount: number, day: string): CapHit | null {
  const limit = limitOn(cap, day);
  if (limit === null || amount === 0) return null;
  const missing = usedOf(budget, limit, cap.isStrict) + amount - limit;
  if (missing <= 0) return null;
  return {
    cap: cap.id,
    limit: toDollars(limit),
    spent: toDollars(budget.spent),
    reserved: toDollars(budget.reserved),
    lost: toDollars(countedLost(budget.lost, limit, cap.isStrict)),
    needed: toDollars(amount),
    unpriced: null,
    extend: `oldhand models caps extend ${capWords(cap)} ${suggestExtension(toDollars(missing), toDollars(amount))}`,
  };
}

/**
 * The same for a model whose price is unknown, with its name. The amount is far too high then, so the command allows this call
 * only: its owner should look at the name first.
 */
export function markUnpriced(hit: CapHit, model: string | null): CapHit {
  if (model === null) return hit;
  const { limit, spent, reserved, lost, needed } = hit;
  const amount = formatAmount(Math.max(spent + reserved + lost + needed - limit, needed));
  return { ...hit, unpriced: model, extend: hit.extend.replace(/\S+$/, amount) };
}

/** A cap of which so much is used is worth a warning. */
const NEARLY = 0.8;

/**
 * One sentence if most of a cap is used; null otherwise. Reservations do not count, because most of their money comes back.
 * Amounts are in billionths of a dollar.
 */
export function warnOfCap(cap: Cap, budget: Budget, day: string): string | null {
  const limit = limitOn(cap, day);
  if (limit === null || limit === 0) return null;
  const used = usedOf({ ...budget, reserved: 0 }, limit, cap.isStrict);
  if (used < limit * NEARLY) return null;
  const lost = countedLost(budget.lost, limit, cap.isStrict);
  const sum = [
    `${formatDollars(toDollars(budget.spent))} spent`,
    ...(lost > 0 ? [`up to ${formatDollars(toDollars(lost))} lost with processes that ended`] : []),
  ].join(" and ");
  return `${Math.floor((used / limit) * 100)} % of the cap ${cap.id} is used: ${sum}, of ${formatDollars(toDollars(limit))}; oldhand models caps extend ${capWords(cap)} AMOUNT raises it`;
}

/** One sentence for a person: which cap, every part of the sum that exceeds it, and what to do. */
export function explainCapHit(hit: CapHit): string {
  const parts = [
    `${formatDollars(hit.spent)} spent`,
    ...(hit.reserved > 0 ? [`${formatDollars(hit.reserved)} reserved by calls under way`] : []),
    ...(hit.lost > 0 ? [`up to ${formatDollars(hit.lost)} lost with processes that ended`] : []),
    `and this call may cost up to ${formatDollarsUp(hit.needed)}`,
  ];
  const unpriced =
    hit.unpriced === null
      ? ""
      : ` (the price of ${hit.unpriced} is unknown, so it counts at the highest known price; check its name)`;
  return `the cap ${hit.cap} is ${formatDollars(hit.limit)}: ${parts.join(", ")}${unpriced}`;
}

/**
 * The same with the command that extends the cap, where there is no place of its own for it. `before`: a screen wraps lines, and
 * a command can only be copied from a line of its own.
 */
export function explainCapHitWithCommand(hit: CapHit, before: " " | "\n" = " "): string {
  const what = hit.unpriced === null ? `it and ${CALLS_AHEAD - 1} more like it` : "it";
  return `${explainCapHit(hit)}; to allow ${what}:${before}${hit.extend}`;
}

/** For how many calls like the one that was stopped a proposed extension is enough: with one, the next is stopped again. */
const CALLS_AHEAD = 5;

/** What this call and the next ones may cost at most; more if the cap is exceeded already. In dollars. */
function suggestExtension(missing: number, needed: number): string {
  return formatAmount(Math.max(missing, needed) + (CALLS_AHEAD - 1) * needed);
}

function formatAmount(dollars: number): string {
  return formatDollarsUp(dollars).replaceAll(/[$,]/g, "").replace(/\.00$/, "");
}

/** As typed in a shell. */
function capWords({ kind, name }: Pick<Cap, "kind" | "name">): string {
  if (kind === "day") return "day";
  return `${kind} ${/^[\w.@/:][\w.@/:-]*$/.test(name) ? name : `'${name.replaceAll("'", String.raw`'\''`)}'`}`;
}

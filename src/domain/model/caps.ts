import { formatDollars, toDollars, toNanos } from "./money.ts";

/** What a cap is for: all calls of a day, those of one agent on a day, those of one job, those of one goal. */
export const capKinds = ["day", "agent", "job", "goal"] as const;
export type CapKind = (typeof capKinds)[number];

/** A limit of what models may cost. A journalled noun: only the owner changes it. */
export interface Cap {
  /** `day`, `agent NAME`, `job NAME`, `goal NAME`. */
  readonly id: string;
  readonly kind: CapKind;
  /** Empty for `day`. */
  readonly name: string;
  /** In dollars; null: no limit. */
  readonly limit: number | null;
  /** `paid`: calls that a subscription pays for do not count; they are only known at list price. */
  readonly counts: "all" | "paid";
  /** What processes that died may have spent counts at once, and not only beyond the amount of the limit. */
  readonly isStrict: boolean;
  /** More for one day. Of a job or a goal, an extension raises the limit itself. */
  readonly extension: { readonly day: string; readonly amount: number } | null;
}

/** Holds until the owner sets a cap for the day: $20. A subscription's calls do not count, because they cost nothing more. */
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

/** Who pays: each cap that applies counts the call. */
export interface Spender {
  readonly agent: string;
  readonly job: string | null;
  readonly goal: string | null;
}

/** Which sums a call is part of. A day is a day in UTC, the same on every machine; jobs and goals have no day. */
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

/** What one cap has to count, in billionths of a dollar. */
export interface Budget {
  readonly spent: number;
  /** Held by calls under way. */
  readonly reserved: number;
  /** Reserved by processes that died, or stopped answering, before they settled: it may have been spent. */
  readonly lost: number;
}

export const emptyBudget: Budget = { spent: 0, reserved: 0, lost: 0 };

/** In billionths of a dollar; null: none. */
export function limitOn(cap: Cap, day: string): number | null {
  if (cap.limit === null) return null;
  return toNanos(cap.limit) + (cap.extension?.day === day ? toNanos(cap.extension.amount) : 0);
}

/**
 * How much of a limit is used. What was lost is forgiven up to the amount of the limit, because a reservation is far above
 * the usual cost, and most calls of a process that dies were not answered. Beyond that it counts: a program that dies
 * again and again spends at most twice the limit.
 */
export function usedOf({ spent, reserved, lost }: Budget, limit: number, isStrict: boolean): number {
  return spent + reserved + (isStrict ? lost : Math.max(0, lost - limit));
}

/** A call that did not fit, for a person: in dollars. */
export interface CapHit {
  readonly cap: string;
  readonly limit: number;
  readonly spent: number;
  readonly reserved: number;
  readonly needed: number;
  /** What to type. */
  readonly extend: string;
}

/** Null if the amount fits. Nothing is free to be stopped: an amount of 0 always fits. */
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
    needed: toDollars(amount),
    extend: `oldhand models caps extend ${capWords(cap)} ${suggestExtension(missing, limit)}`,
  };
}

/** One sentence: which cap, how much, and what to do. */
export function explainCapHit(hit: CapHit): string {
  const held = hit.reserved > 0 ? ` and ${formatDollars(hit.reserved)} reserved by calls under way` : "";
  return `the cap ${hit.cap} is ${formatDollars(hit.limit)}: ${formatDollars(hit.spent)} spent${held}, and this call may cost up to ${formatDollars(hit.needed)}; to extend it: ${hit.extend}`;
}

/** Enough for this call, and at least half the limit, so that the next one is not stopped at once. Whole cents. */
function suggestExtension(missing: number, limit: number): string {
  const cents = Math.ceil(toDollars(Math.max(missing, limit / 2)) * 100 - 1e-9);
  return (cents / 100).toFixed(2).replace(/\.00$/, "");
}

/** As typed in a shell. */
function capWords({ kind, name }: Pick<Cap, "kind" | "name">): string {
  if (kind === "day") return "day";
  return `${kind} ${/^[\w.@/:][\w.@/:-]*$/.test(name) ? name : `'${name.replaceAll("'", String.raw`'\''`)}'`}`;
}

import type { ChoiceRule } from "./decide.ts";

/** The steps of a cycle, in their order. A cycle that ended without a word ended in the step that its row names. */
export const cycleSteps = ["orient", "decide", "prepare", "execute", "commit", "verify", "record", "snapshot"] as const;
export type CycleStep = (typeof cycleSteps)[number];

export const cycleActions = ["execute", "decompose", "reflect", "blocked", "idle"] as const;
export type CycleAction = (typeof cycleActions)[number];

/**
 * What came of a cycle: its task was `verified`, `claimed`, `failed` or `deferred` (it did not count); it `planned` tasks,
 * `reflected`, `blocked` a task, found `nothing` to do; or it was `lost`: it ended without a word.
 */
export const cycleOutcomes = [
  "verified",
  "claimed",
  "failed",
  "deferred",
  "planned",
  "reflected",
  "blocked",
  "nothing",
  "lost",
] as const;
export type CycleOutcome = (typeof cycleOutcomes)[number];

/** One pass of orient, decide, execute, record, with exactly one task. */
export interface Cycle {
  readonly id: string;
  /** 1 is the first of this mind. */
  readonly number: number;
  readonly beganAt: number;
  readonly endedAt: number | null;
  /** The process that runs it. */
  readonly worker: string;
  readonly step: CycleStep;
  readonly action: CycleAction | null;
  readonly rule: ChoiceRule | "reflection-due" | "attempts-spent" | null;
  readonly goal: string | null;
  readonly task: string | null;
  readonly attempt: string | null;
  readonly session: string | null;
  readonly model: string | null;
  /** In US dollars. */
  readonly cost: number;
  readonly outcome: CycleOutcome | null;
  readonly reason: string | null;
}

/** What a cycle did, for people. Rows are added and never changed. */
export interface ExecutionEntry {
  readonly id: string;
  readonly at: number;
  readonly cycle: string | null;
  readonly action: string;
  readonly summary: string;
  readonly details: Readonly<Record<string, unknown>>;
  /** How long it took. */
  readonly ms: number | null;
  readonly goal: string | null;
  readonly task: string | null;
  /** The program that it was imported from; null: our own. */
  readonly source: string | null;
}

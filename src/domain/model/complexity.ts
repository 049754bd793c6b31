import type { Complexity } from "../route/tally.ts";

/** The complexity of a task type, used if the caller names none. */
export function complexityOf(taskType: string): Complexity {
  return BY_TASK_TYPE.get(taskType) ?? "moderate";
}

/**
 * How much quality a dollar is worth for tasks of this complexity. Money counts more if any model can do the task, and less if a
 * wrong answer costs more than a call.
 */
export function costWeightFor(complexity: Complexity, moderate: number): number {
  return moderate * WEIGHT_FACTORS[complexity];
}

const BY_TASK_TYPE: ReadonlyMap<string, Complexity> = new Map([
  ["email_routing", "simple"],
  ["triage", "simple"],
  ["summarization", "simple"],
  ["look-up", "simple"],
  ["execute", "moderate"],
  ["plan", "complex"],
  ["document_analysis", "moderate"],
  ["legal_reasoning", "complex"],
  ["code_generation", "complex"],
]);

const WEIGHT_FACTORS: Readonly<Record<Complexity, number>> = { simple: 4, moderate: 1, complex: 0.2 };

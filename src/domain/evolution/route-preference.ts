import type { Complexity } from "../route/tally.ts";
import type { EvolutionKind, EvolutionProposal } from "./evolution.ts";

/** For this kind of task this model goes first, until the owner undoes it. */
export interface RoutePreference {
  /** `complexity taskType`. */
  readonly id: string;
  readonly taskType: string;
  readonly complexity: Complexity;
  readonly model: string;
  readonly insteadOf: string;
  readonly kind: EvolutionKind;
  readonly why: string;
  readonly at: number;
}

export function preferenceId(complexity: Complexity, taskType: string): string {
  return `${complexity} ${taskType}`;
}

export function toPreference(proposal: EvolutionProposal, at: number): RoutePreference {
  const { taskType, complexity, from, to, kind, why } = proposal;
  return { id: preferenceId(complexity, taskType), taskType, complexity, model: to, insteadOf: from, kind, why, at };
}

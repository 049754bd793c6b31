/**
 * How many steps a turn may take. Model calls and tool calls draw on it. A sub-agent has a budget of its own that also draws
 * on the one of its parent, so that nothing escapes the limit by delegating.
 */
export interface StepBudget {
  readonly limit: number;
  used(): number;
  left(): number;
  /** False if it is used up, here or above: nothing was taken. */
  take(): boolean;
  /** Gives one back: the step cost next to nothing, or did not happen. */
  refund(): void;
}

export function newStepBudget(limit: number, parent: StepBudget | null = null): StepBudget {
  let used = 0;
  return {
    limit,
    used: () => used,
    left: () => Math.max(0, Math.min(limit - used, parent?.left() ?? Infinity)),
    take: () => {
      if (used >= limit || parent?.take() === false) return false;
      used++;
      return true;
    },
    refund: () => {
      if (used === 0) return;
      used--;
      parent?.refund();
    },
  };
}

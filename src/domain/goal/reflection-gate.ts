import { HOUR } from "../../lib/clock.ts";
import { plural } from "../../lib/text.ts";
import type { Policy } from "../policy.ts";

/** What the gate must know of the cycles that have ended. */
export interface ReflectionHistory {
  /** When the last reflection ended; null: there was none. */
  readonly reflectedAt: number | null;
  /** There was a cycle that was to reflect, whatever came of it. */
  readonly wasTried: boolean;
  /** It was the newest cycle. */
  readonly isLastReflection: boolean;
  /** Tasks that were worked on since it. Cycles that were deferred or lost do not count. Exact as far as the gate needs it. */
  readonly executed: number;
  /** There is a task to do, or a goal to decompose. */
  readonly isWorkPending: boolean;
}

export interface ReflectionDue {
  readonly due: boolean;
  readonly why: string;
}

/** While there is work, at least so many tasks are worked on between two reflections. */
export const FEWEST_EXECUTIONS = 2;

/**
 * Decides whether the next cycle reflects. The first time, once two tasks were worked on, or all that there is. Then, while each cycle works on a task, one in n cycles reflects, where n is the smallest
 * number for which n cycles take `reflectHours` and n - 1 is at least `reflectExecutions`, or n cycles take `reflectLatestHours`
 * and n - 1 is at least two. So never more than one in three reflects, and the next reflection always comes.
 */
export function findReflectionDue(
  { reflectedAt, wasTried, isLastReflection, executed, isWorkPending }: ReflectionHistory,
  policy: Policy["goals"],
  now: number,
): ReflectionDue {
  const isEnoughToReflect = executed >= FEWEST_EXECUTIONS || (executed > 0 && !isWorkPending);
  if (!wasTried)
    return isEnoughToReflect
      ? { due: true, why: `there was no reflection yet, and ${plural(executed, "task was", "tasks were")} worked on` }
      : { due: false, why: "there is nothing to look back on yet" };
  if (isLastReflection) return { due: false, why: "the last cycle was a reflection" };
  // Also after a reflection that did not end: it must not take the turn of the work again and again.
  if (executed < FEWEST_EXECUTIONS && isWorkPending)
    return { due: false, why: `${formatExecuted(executed)}, and there is work` };
  if (reflectedAt === null) return { due: true, why: "no reflection has ended yet" };
  // A clock that was set back says nothing of the time that has passed; the tasks still do.
  const isClockBack = now < reflectedAt;
  const passed = isClockBack ? Number.POSITIVE_INFINITY : now - reflectedAt;
  const since = isClockBack
    ? "the clock was set back since the last reflection"
    : `the last reflection was ${plural(Math.floor(passed / HOUR), "hour")} ago`;
  const isEnough = passed >= policy.reflectHours * HOUR && executed >= policy.reflectExecutions;
  const isLatest = passed >= policy.reflectLatestHours * HOUR;
  return { due: isEnough || isLatest, why: isLatest && !isClockBack ? since : `${since}; ${formatExecuted(executed)}` };
}

function formatExecuted(executed: number): string {
  return `${plural(executed, "task was", "tasks were")} worked on since`;
}

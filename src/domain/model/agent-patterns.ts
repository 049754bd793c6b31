/** The sums of an agent's calls with one model, for one kind of task. */
export interface PatternSum {
  readonly taskType: string;
  readonly model: string;
  readonly calls: number;
  readonly answered: number;
  readonly failed: number;
  readonly cached: number;
  readonly healed: number;
  readonly cost: number;
  readonly ms: number;
  readonly judged: number;
  readonly quality: number | null;
}

/** A pattern in an agent's own calls, with the number of calls behind it. */
export interface AgentPattern {
  readonly taskType: string;
  readonly kind: "best-model" | "often-fails" | "often-cached";
  readonly model: string | null;
  readonly text: string;
  readonly calls: number;
}

/** A kind of task needs this many calls to show a pattern. */
const MIN_CALLS = 10;
const MIN_JUDGED = 3;
const OFTEN = 0.2;

/** Finds patterns in each kind of task that the agent did often enough. */
export function findAgentPatterns(sums: readonly PatternSum[]): readonly AgentPattern[] {
  const tasks = [...new Set(sums.map(({ taskType }) => taskType))];
  return tasks.flatMap((taskType) => {
    const ofTask = sums.filter((one) => one.taskType === taskType);
    const calls = ofTask.reduce((sum, one) => sum + one.calls, 0);
    return calls < MIN_CALLS ? [] : [...findBestModel(ofTask), ...findFailing(ofTask), ...findCached(ofTask, calls)];
  });
}

function findBestModel(sums: readonly PatternSum[]): readonly AgentPattern[] {
  const judged = sums.filter((one) => one.judged >= MIN_JUDGED && one.quality !== null);
  const [best] = judged.toSorted((a, b) => (b.quality ?? 0) - (a.quality ?? 0) || a.cost / a.calls - b.cost / b.calls);
  if (best === undefined) return [];
  const { taskType, model, judged: count, quality, cost, calls } = best;
  const others = judged.length - 1;
  const text = `${others === 0 ? model : `${model} answers best of ${judged.length} models`}: quality ${digits(quality ?? 0)} over ${count} judged calls of this agent in 90 days, $${digits(cost / calls)} each`;
  return [{ taskType, kind: "best-model", model, text, calls: count }];
}

function findFailing(sums: readonly PatternSum[]): readonly AgentPattern[] {
  return sums
    .filter((one) => one.calls >= MIN_CALLS / 2 && (one.failed + one.healed) / one.calls >= OFTEN)
    .map(({ taskType, model, calls, failed, healed }) => {
      const text = `${failed} of ${calls} calls that ended with ${model} failed, and ${healed} needed another attempt`;
      return { taskType, kind: "often-fails", model, text, calls };
    });
}

function findCached(sums: readonly PatternSum[], calls: number): readonly AgentPattern[] {
  const cached = sums.reduce((sum, one) => sum + one.cached, 0);
  if (cached / calls < OFTEN) return [];
  const text = `${cached} of ${calls} calls were answered from the response cache`;
  return [{ taskType: sums[0]?.taskType ?? "", kind: "often-cached", model: null, text, calls }];
}

function digits(value: number): string {
  return String(Number(value.toPrecision(3)));
}

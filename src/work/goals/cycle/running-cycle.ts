import type { Cycle } from "../../../domain/goal/cycle.ts";
import type { Db } from "../../../store/engine/db.ts";
import { addExecutionEntry } from "../../../store/goals/execution-log.ts";
import { withJournalLock } from "../../../store/journal/journal.ts";
import type { CycleRow } from "./cycle-fence.ts";
import type { CycleContext, CycleParts } from "./agent/cycle-parts.ts";

export interface CycleOptions {
  /** PROVIDER/MODEL for tasks and goals that name none; null: the router chooses. */
  readonly model: string | null;
}

/** What the steps of one cycle share. */
export interface RunningCycle {
  readonly ctx: CycleContext;
  readonly parts: CycleParts;
  readonly row: CycleRow;
  readonly options: CycleOptions;
}

/** Writes what came of the cycle and its line in the log, in one transaction with what `write` adds. Throws if the cycle was lost. */
export async function recordEnd(
  { ctx, row }: RunningCycle,
  end: Partial<Cycle>,
  entry: { readonly summary: string; readonly details?: Readonly<Record<string, unknown>> },
  write: (tx: Db) => Promise<void> = async () => {},
): Promise<void> {
  await row.enter("record");
  await withJournalLock(ctx.db, async (tx) => {
    const at = ctx.clock.now();
    await row.write(end, tx);
    await write(tx);
    const { id, action, goal, task, beganAt, outcome } = row.now();
    await addExecutionEntry(tx, {
      ...{ id: `log_${id}`, at, cycle: id, action: action ?? "idle", summary: entry.summary },
      details: { outcome, ...entry.details },
      ...{ ms: Math.max(0, at - beganAt), goal, task, source: null },
    });
  });
}

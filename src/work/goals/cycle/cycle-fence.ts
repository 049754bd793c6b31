import type { Cycle, CycleStep } from "../../../domain/goal/cycle.ts";
import { SECOND } from "../../../lib/clock.ts";
import { OldhandError } from "../../../lib/errors.ts";
import { updateOpenCycle } from "../../../store/goals/cycles.ts";
import type { Db } from "../../../store/engine/db.ts";
import { acquireLease, type Lease, releaseLease, renewLease } from "../../../store/state/leases.ts";
import type { CycleContext, CycleParts } from "./agent/cycle-parts.ts";

/** Another cycle found this one lost. Nothing that it does then counts, so it writes nothing more. */
export class CycleLost extends Error {}

/** One cycle at a time works on the goals of a mind. */
export const CYCLE_LEASE = "cycle";
const LEASE_MS = 60 * SECOND;

/**
 * Runs `act` while it holds the lease. Its signal aborts when the lease is lost. Returns the holder if another cycle runs. What is
 * written is fenced by the rows of the cycle and the attempt: the lease only says when to stop.
 */
export async function holdCycleLease<T>(
  ctx: CycleContext,
  { worker, sleep }: Pick<CycleParts, "worker" | "sleep">,
  act: (lost: AbortSignal) => Promise<T>,
): Promise<{ readonly kind: "busy"; readonly by: string } | { readonly kind: "ran"; readonly result: T }> {
  const taken = await acquireLease(ctx.db, CYCLE_LEASE, { owner: worker, now: ctx.clock.now(), ttlMs: LEASE_MS });
  if (taken.kind === "taken") return { kind: "busy", by: taken.by };
  const [lost, ended] = [new AbortController(), new AbortController()];
  try {
    const [result] = await Promise.all([
      act(lost.signal).finally(() => ended.abort()),
      keepLease(ctx, sleep, taken.lease, { lost, ended: ended.signal }),
    ]);
    return { kind: "ran", result };
  } finally {
    // A store that does not answer frees the lease by its time.
    await releaseLease(ctx.db, taken.lease).catch(passOutage);
  }
}

async function keepLease(
  { db, clock }: CycleContext,
  sleep: CycleParts["sleep"],
  lease: Lease,
  { lost, ended }: { readonly lost: AbortController; readonly ended: AbortSignal },
): Promise<void> {
  let heardAt = clock.now();
  for (;;) {
    await sleep(LEASE_MS / 4, ended);
    if (ended.aborted) return;
    const now = clock.now();
    const isHeld = await renewLease(db, lease, now + LEASE_MS).catch(passOutage);
    if (isHeld === true) heardAt = now;
    // Without an answer for a whole lease, another cycle may have it.
    if (isHeld === false || now - heardAt > LEASE_MS) return lost.abort("another cycle has taken over");
  }
}

function passOutage(error: unknown): null {
  if (!(error instanceof OldhandError)) throw error;
  return null;
}

/** The row of a cycle, written before each step begins. */
export interface CycleRow {
  now(): Cycle;
  /** Throws `CycleLost` if the cycle has ended meanwhile. */
  write(change: Partial<Cycle>, db?: Db): Promise<void>;
  enter(step: CycleStep): Promise<void>;
}

export function newCycleRow(
  { db, report }: Pick<CycleContext, "db" | "report">,
  begun: Cycle,
  lost: AbortSignal,
): CycleRow {
  let cycle = begun;
  const row: CycleRow = {
    now: () => cycle,
    write: async (change, on = db) => {
      const next = { ...cycle, ...change };
      if (lost.aborted || !(await updateOpenCycle(on, next))) throw new CycleLost();
      cycle = next;
    },
    enter: async (step) => {
      await row.write({ step });
      report({ text: stepTexts[step] });
    },
  };
  return row;
}

export const stepTexts: Readonly<Record<CycleStep, string>> = {
  orient: "looking where the goals stand",
  decide: "choosing what to do",
  prepare: "making a worktree",
  execute: "working",
  commit: "committing the work",
  verify: "running the check",
  record: "recording what came of it",
  snapshot: "writing the snapshot",
};

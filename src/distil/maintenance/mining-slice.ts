import type { Context } from "../../context.ts";
import type { Actor } from "../../domain/actor.ts";
import { throwIfStopped, isStoppedError, stopsAfter, type Stoppable } from "../../lib/stopped.ts";
import { setSliced } from "../../store/state/background.ts";
import { cursors, readCursor, writeCursor } from "../../store/state/cursors.ts";
import { digest } from "../../store/derived/digest.ts";
import { storeMarkedMemories } from "../../store/journal/marked-memories.ts";
import { hasRepeatsAfter, type RepeatKind } from "../../store/derived/repeats.ts";
import { countNewForMiners } from "../counting/count-new-events.ts";
import { listFamiliesToMine } from "../mining/families.ts";
import { minedCursor } from "../mining/mining-window.ts";
import { readRegistries } from "../mining/registries.ts";

export type SliceContext = Pick<Context, "db" | "config" | "clock" | "models">;

/** At most this many calls of failing groups are examined at once. */
const MAX_CALLS = 400;

/** Mines for about `ms` milliseconds, then maintains rules if `maintain` is set. True if nothing is left to do. */
export async function learnForMs(
  ctx: SliceContext,
  { ms, maintain, stop }: { readonly ms: number; readonly maintain: boolean; readonly stop?: Stoppable },
): Promise<boolean> {
  const either = stopsAfter(ms, stop);
  if (!(await runMiningSlice(ctx, either))) return false;
  if (!maintain) return true;
  const { runMaintenanceSlice } = await import("./maintenance-slice.ts");
  return runMaintenanceSlice(ctx, either);
}

/**
 * A slice of what `distil --write` does, for a hook whose host waits. It ends when stopped; the next slice
 * continues. Each piece is one transaction that also moves its cursor, so a slice may be killed at any time,
 * and two concurrent slices do each piece once. `stop` is checked only after a piece of work: otherwise, on a
 * slow machine, no slice would complete its first piece. True if nothing is left to mine.
 */
export async function runMiningSlice(ctx: SliceContext, stop: Stoppable): Promise<boolean> {
  const { db } = ctx;
  setSliced(db);
  try {
    await digest(db, undefined, stop);
    const upTo = await readCursor(db, cursors.digested);
    const reader = { ...ctx, signal: stop };
    await countNewForMiners(reader, []);
    const { reviewAdvice } = await import("../counting/review-advice.ts");
    await reviewAdvice({ ...ctx, actor: hook });
    if (await hasNewEvidence(ctx)) {
      if (await mineFailingFamilies(ctx, stop)) throwIfStopped(stop);
      // Last, because a pattern that is new to its registry is counted in all stored events.
      await countNewForMiners(reader, (await readRegistries(ctx)).bypasses);
      await runOtherMiners(ctx);
    }
    // These counts also decide whether a rule may hold a call.
    const { countRules } = await import("../counting/count-rules.ts");
    await countRules(ctx, null, stop);
    const { recountRules } = await import("../counting/recount-rules.ts");
    await recountRules({ ...ctx, actor: hook });
    const { silenceUnsayableRules } = await import("../counting/silence-unsayable.ts");
    await silenceUnsayableRules({ ...ctx, actor: hook });
    await storeMarkedMemories(db, ctx.config.policy.memory);
    await writeCursor(db, cursors.mined, upTo);
    return true;
  } catch (error) {
    if (isStoppedError(error)) return false;
    throw error;
  }
}

/** True if any miner has new input; if not, no miner is loaded. */
async function hasNewEvidence(ctx: SliceContext): Promise<boolean> {
  if ((await countFailingFamilies(ctx)) > 0) return true;
  for (const kind of kinds)
    if (await hasRepeatsAfter(ctx.db, kind, await readCursor(ctx.db, minedCursor(kind)))) return true;
  return false;
}

const kinds: readonly RepeatKind[] = ["edits", "blocks", "corrections", "recoveries"];

async function countFailingFamilies({ db, config }: SliceContext): Promise<number> {
  return (await listFamiliesToMine(db, { least: config.policy.distil.minCount, fresh: true })).length;
}

/** Mines a few families at a time. True if there were any. */
async function mineFailingFamilies(ctx: SliceContext, stop: Stoppable): Promise<boolean> {
  const { mineAndWrite } = await import("../mining/distil.ts");
  for (let before = Infinity; ;) {
    if (before < Infinity) throwIfStopped(stop);
    const left = await countFailingFamilies(ctx);
    // If mining did not reduce their number, mining again would not either.
    if (left === 0 || left >= before) return before < Infinity;
    before = left;
    await mineAndWrite(asHook(ctx), { only: ["failures"], calls: MAX_CALLS });
  }
}

/** Runs all other miners on what is new since their last run. */
async function runOtherMiners(ctx: SliceContext): Promise<void> {
  const { mineAndWrite } = await import("../mining/distil.ts");
  const { miners } = await import("../mining/proposal.ts");
  await mineAndWrite(asHook(ctx), { only: miners.filter((miner) => miner !== "failures") });
}

/** Mines what agents wrote into the ledger. */
export async function mineLedger(ctx: SliceContext): Promise<void> {
  const { mineAndWrite } = await import("../mining/distil.ts");
  await mineAndWrite(asHook(ctx), { only: ["mistakes"] });
}

function asHook(ctx: SliceContext): Omit<Context, "store"> {
  return { ...ctx, actor: hook, signal: new AbortController().signal, report: () => {} };
}

const hook: Actor = { kind: "hook" };

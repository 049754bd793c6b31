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

/** So many calls of failing groups are looked at in one go. */
const MAX_CALLS = 400;

/** For about so many milliseconds: mines, and where rules are to be kept up as well, goes on with that. True where nothing is left. */
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
 * A slice of what `distil --write` does, for a hook whose host waits: it ends when it is told to, and the next slice goes
 * on from there. Every piece is one transaction that moves its cursor with what it wrote, so that a slice may be killed
 * anywhere, and two at once do each piece once. Whether to end is asked only after a piece of work: on a machine or a link so slow
 * that looking takes all the time, no slice would ever get to its first. True where nothing is left to mine.
 */
export async function runMiningSlice(ctx: SliceContext, stop: Stoppable): Promise<boolean> {
  const { db } = ctx;
  setSliced(db);
  try {
    await digest(db, undefined, stop);
    const upTo = await readCursor(db, cursors.digested);
    const reader = { ...ctx, signal: stop };
    await countNewForMiners(reader, []);
    if (await hasNewEvidence(ctx)) {
      if (await mineFailingFamilies(ctx, stop)) throwIfStopped(stop);
      // Last: a pattern that is new to its registry is sought in all that is stored.
      await countNewForMiners(reader, (await readRegistries(ctx)).bypasses);
      await runOtherMiners(ctx);
    }
    // What a rule says of its calls is also what its hold is judged by.
    const { countRules } = await import("../counting/count-rules.ts");
    await countRules(ctx, null, stop);
    const { recountRules } = await import("../counting/recount-rules.ts");
    await recountRules({ ...ctx, actor: hook });
    await storeMarkedMemories(db, ctx.config.policy.memory);
    await writeCursor(db, cursors.mined, upTo);
    return true;
  } catch (error) {
    if (isStoppedError(error)) return false;
    throw error;
  }
}

/** Whether any miner would find more than the last time; else none is loaded. */
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

/** A few families at a time. Whether there were any. */
async function mineFailingFamilies(ctx: SliceContext, stop: Stoppable): Promise<boolean> {
  const { mineAndWrite } = await import("../mining/distil.ts");
  for (let before = Infinity; ;) {
    if (before < Infinity) throwIfStopped(stop);
    const left = await countFailingFamilies(ctx);
    // Where looking does not make them fewer, looking again does not either.
    if (left === 0 || left >= before) return before < Infinity;
    before = left;
    await mineAndWrite(asHook(ctx), { only: ["failures"], calls: MAX_CALLS });
  }
}

/** What all other miners find, among what came since they last looked. */
async function runOtherMiners(ctx: SliceContext): Promise<void> {
  const { mineAndWrite } = await import("../mining/distil.ts");
  const { miners } = await import("../mining/proposal.ts");
  await mineAndWrite(asHook(ctx), { only: miners.filter((miner) => miner !== "failures") });
}

function asHook(ctx: SliceContext): Omit<Context, "store"> {
  return { ...ctx, actor: hook, signal: new AbortController().signal, report: () => {} };
}

const hook: Actor = { kind: "hook" };

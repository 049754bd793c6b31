import type { Context } from "../context.ts";
import type { Actor } from "../domain/actor.ts";
import { endIfStopped, isStopped, stopsAfter, type Stoppable } from "../lib/stopped.ts";
import { workInSlices } from "../store/background.ts";
import { cursors, readCursor, writeCursor } from "../store/cursors.ts";
import { digest } from "../store/digest.ts";
import { takeMarkedMemories } from "../store/marked-memories.ts";
import { cameSince, type RepeatKind } from "../store/repeats.ts";
import { catchUpAll } from "./catch-up.ts";
import { familiesToMine } from "./families.ts";
import { minedMark } from "./look.ts";
import { registries } from "./registries.ts";

export type SliceContext = Pick<Context, "db" | "config" | "clock" | "models">;

/** So many calls of failing groups are looked at in one go. */
const CALLS = 400;

/** For about so many milliseconds: mines, and where rules are to be kept up as well, goes on with that. True where nothing is left. */
export async function learnFor(
  ctx: SliceContext,
  { ms, maintain, stop }: { readonly ms: number; readonly maintain: boolean; readonly stop?: Stoppable },
): Promise<boolean> {
  const either = stopsAfter(ms, stop);
  if (!(await mineSlice(ctx, either))) return false;
  if (!maintain) return true;
  const { maintainSlice } = await import("./maintain-slice.ts");
  return maintainSlice(ctx, either);
}

/**
 * A slice of what `distil --write` does, for a hook whose host waits: it ends when it is told to, and the next slice goes
 * on from there. Every piece is one transaction that moves its cursor with what it wrote, so that a slice may be killed
 * anywhere, and two at once do each piece once. Whether to end is asked only after a piece of work: on a machine or a link so slow
 * that looking takes all the time, no slice would ever get to its first. True where nothing is left to mine.
 */
export async function mineSlice(ctx: SliceContext, stop: Stoppable): Promise<boolean> {
  const { db } = ctx;
  workInSlices(db);
  try {
    await digest(db, undefined, stop);
    const upTo = await readCursor(db, cursors.digested);
    const reader = { ...ctx, signal: stop };
    await catchUpAll(reader, []);
    if (await hasNews(ctx)) {
      if (await mineFailingFamilies(ctx, stop)) endIfStopped(stop);
      // Last: a pattern that is new to its registry is sought in all that is stored.
      await catchUpAll(reader, (await registries(ctx)).bypasses);
      await mineRest(ctx);
    }
    // What a rule says of its calls is also what its hold is judged by.
    const { countRules } = await import("./count-rules.ts");
    await countRules(ctx, null, stop);
    const { recountRules } = await import("./recount-rules.ts");
    await recountRules({ ...ctx, actor: hook });
    await takeMarkedMemories(db, ctx.config.policy.memory);
    await writeCursor(db, cursors.mined, upTo);
    return true;
  } catch (error) {
    if (isStopped(error)) return false;
    throw error;
  }
}

/** Whether any miner would find more than the last time; else none is loaded. */
async function hasNews(ctx: SliceContext): Promise<boolean> {
  if ((await failingFamilies(ctx)) > 0) return true;
  for (const kind of kinds) if (await cameSince(ctx.db, kind, await readCursor(ctx.db, minedMark(kind)))) return true;
  return false;
}

const kinds: readonly RepeatKind[] = ["edits", "blocks", "corrections", "recoveries"];

async function failingFamilies({ db, config }: SliceContext): Promise<number> {
  return (await familiesToMine(db, { least: config.policy.distil.minCount, fresh: true })).length;
}

/** A few families at a time. Whether there were any. */
async function mineFailingFamilies(ctx: SliceContext, stop: Stoppable): Promise<boolean> {
  const { mineAndWrite } = await import("./distil.ts");
  for (let before = Infinity; ;) {
    if (before < Infinity) endIfStopped(stop);
    const left = await failingFamilies(ctx);
    // Where looking does not make them fewer, looking again does not either.
    if (left === 0 || left >= before) return before < Infinity;
    before = left;
    await mineAndWrite(inNameOfHook(ctx), { only: ["failures"], calls: CALLS });
  }
}

/** What all other miners find, among what came since they last looked. */
async function mineRest(ctx: SliceContext): Promise<void> {
  const { mineAndWrite } = await import("./distil.ts");
  const { miners } = await import("./proposal.ts");
  await mineAndWrite(inNameOfHook(ctx), { only: miners.filter((miner) => miner !== "failures") });
}

function inNameOfHook(ctx: SliceContext): Omit<Context, "store"> {
  return { ...ctx, actor: hook, signal: new AbortController().signal, report: () => {} };
}

const hook: Actor = { kind: "hook" };

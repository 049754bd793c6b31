import type { Context } from "../context.ts";
import type { Actor } from "../domain/actor.ts";
import { endIfStopped, isStopped, stopsAfter, type Stoppable } from "../lib/stopped.ts";
import { workInSlices } from "../store/background.ts";
import { cursors, readCursor, writeCursor } from "../store/cursors.ts";
import { digest } from "../store/digest.ts";
import { cameSince, type RepeatKind } from "../store/repeats.ts";
import { groupsToMine } from "../store/tries.ts";
import { catchUpAll } from "./catch-up.ts";
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
 * anywhere, and two at once do each piece once. True where nothing is left to mine.
 */
export async function mineSlice(ctx: SliceContext, stop: Stoppable): Promise<boolean> {
  const { db } = ctx;
  workInSlices(db);
  try {
    await digest(db, undefined, stop);
    const upTo = await readCursor(db, cursors.digested);
    const { bypasses } = await registries(ctx);
    await catchUpAll({ ...ctx, signal: stop }, bypasses);
    if (await hasNews(ctx)) await mineGroups(ctx, stop);
    await writeCursor(db, cursors.mined, upTo);
    return true;
  } catch (error) {
    if (isStopped(error)) return false;
    throw error;
  }
}

/** Whether any miner would find more than the last time; else none is loaded. */
async function hasNews(ctx: SliceContext): Promise<boolean> {
  if ((await failingGroups(ctx)) > 0) return true;
  for (const kind of kinds) if (await cameSince(ctx.db, kind, await readCursor(ctx.db, minedMark(kind)))) return true;
  return false;
}

const kinds: readonly RepeatKind[] = ["edits", "blocks", "corrections", "recoveries"];

async function failingGroups({ db, config }: SliceContext): Promise<number> {
  return (await groupsToMine(db, config.policy.distil.minCount, true)).length;
}

/** Failures a few groups at a time; with the last of them all that other miners find. */
async function mineGroups(ctx: SliceContext, stop: Stoppable): Promise<void> {
  const { mineAndWrite } = await import("./distil.ts");
  const world = { ...ctx, actor: hook, signal: new AbortController().signal, report: () => {} };
  for (let before = Infinity; ;) {
    endIfStopped(stop);
    const now = await failingGroups(ctx);
    // Where looking does not make them fewer, looking again does not either.
    if (now <= 1 || now >= before) break;
    before = now;
    await mineAndWrite(world, { only: ["failures"], calls: CALLS });
  }
  await mineAndWrite(world, { calls: CALLS });
}

const hook: Actor = { kind: "hook" };

import type { Context } from "../context.ts";
import { MINUTE } from "../lib/clock.ts";
import { messageOf } from "../lib/errors.ts";
import { formatOwner, thisProcess } from "../lib/owner.ts";
import { digest } from "../store/digest.ts";
import { acquireLease, releaseLease } from "../store/leases.ts";
import { maintain } from "./maintain.ts";

/** A session that has lived so long can spare a moment; whether it is due is asked each time, and mostly it is not. */
const EVERY_MS = 10 * MINUTE;
/** The first time sooner: who has only short sessions would never come to it. */
const FIRST_MS = MINUTE;

/** In a process that lives anyway: keeps the rules up when that is due, one process at a time. Nobody need think of it. */
export function keepMaintained(
  ctx: Context,
  say: (line: string) => void,
  everyMs = EVERY_MS,
): { stop(): Promise<void> } {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> = Promise.resolve();
  // One after the other: a slow one is not overtaken by the next.
  const later = (afterMs: number) => {
    if (stopped) return;
    timer = setTimeout(() => {
      // Work in passing: whatever is wrong with it must not end what the process is there for.
      working = once(ctx)
        .catch((error: unknown) => {
          if (!ctx.signal.aborted) say(`not keeping rules up for now: ${messageOf(error)}`);
        })
        .then(() => later(everyMs));
    }, afterMs);
    timer.unref();
  };
  later(Math.min(FIRST_MS, everyMs));
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await working;
    },
  };
}

async function once(ctx: Context): Promise<void> {
  const { db, clock } = ctx;
  const lease = await acquireLease(db, "maintaining", {
    owner: formatOwner(thisProcess()),
    now: clock.now(),
    ttlMs: EVERY_MS,
  });
  if (lease.kind === "taken") return;
  try {
    await digest(db);
    await maintain({ ...ctx, actor: { kind: "maintenance" } }, { write: true, force: false });
  } finally {
    await releaseLease(db, lease.lease);
  }
}

import type { Context } from "../context.ts";
import { MINUTE } from "../lib/clock.ts";
import { formatOwner, thisProcess } from "../lib/owner.ts";
import { endIfStopped, isStopped, type Stoppable } from "../lib/stopped.ts";
import { acquireLease, releaseLease } from "../store/leases.ts";
import { isMaintenanceDue, markMaintained, readStage, writeStage } from "../store/maintained.ts";
import { countRules } from "./count-rules.ts";
import { stages } from "./maintain.ts";

/**
 * A slice of what `maintain --write` does after mining: promotion and decay when that is due, a stage at a time, one
 * process at a time. Whoever stops it, or kills it, leaves the rest to the next. True where nothing is left.
 */
export async function maintainSlice(
  ctx: Pick<Context, "db" | "config" | "clock" | "models">,
  stop: Stoppable,
): Promise<boolean> {
  const { db, clock } = ctx;
  if (!(await isMaintenanceDue(db, clock.now(), ctx.config.policy.distil.maintainHours))) return true;
  const asker = { owner: formatOwner(thisProcess()), now: clock.now(), ttlMs: MINUTE };
  const lease = await acquireLease(db, "maintaining", asker);
  if (lease.kind === "taken") return true;
  try {
    await countRules(ctx, null, stop);
    const world = {
      ...ctx,
      actor: { kind: "maintenance" } as const,
      signal: new AbortController().signal,
      report: () => {},
    };
    for (let at = await readStage(db); at < stages.length; at++) {
      endIfStopped(stop);
      await stages[at]?.(world, { write: true });
      await writeStage(db, at + 1);
    }
    await markMaintained(db, clock.now());
    return true;
  } catch (error) {
    if (isStopped(error)) return false;
    throw error;
  } finally {
    await releaseLease(db, lease.lease);
  }
}

import type { Context } from "../../context.ts";
import { MINUTE } from "../../lib/clock.ts";
import { formatProcessRef, currentProcess } from "../../lib/process-ref.ts";
import { throwIfStopped, isStoppedError, type Stoppable } from "../../lib/stopped.ts";
import { acquireLease, releaseLease } from "../../store/state/leases.ts";
import {
  isMaintenanceDue,
  writeLastMaintenance,
  readMaintenanceStage,
  writeMaintenanceStage,
} from "../../store/state/maintenance-state.ts";
import { countRules } from "../counting/count-rules.ts";
import { maintenanceStages } from "./maintenance.ts";

/**
 * A slice of what `maintain --write` does after mining: promotion and decay when due, one stage at a time, in
 * one process at a time. If it is stopped or killed, the next slice does the rest. True if nothing is left to
 * do.
 */
export async function runMaintenanceSlice(
  ctx: Pick<Context, "db" | "config" | "clock" | "models">,
  stop: Stoppable,
): Promise<boolean> {
  const { db, clock } = ctx;
  if (!(await isMaintenanceDue(db, clock.now(), ctx.config.policy.distil.maintainHours))) return true;
  const asker = { owner: formatProcessRef(currentProcess()), now: clock.now(), ttlMs: MINUTE };
  const lease = await acquireLease(db, "maintaining", asker);
  if (lease.kind === "taken") return true;
  try {
    await countRules(ctx, null, stop);
    const hookCtx = {
      ...ctx,
      actor: { kind: "maintenance" } as const,
      signal: new AbortController().signal,
      report: () => {},
    };
    for (let at = await readMaintenanceStage(db); at < maintenanceStages.length; at++) {
      throwIfStopped(stop);
      await maintenanceStages[at]?.(hookCtx, { write: true });
      await writeMaintenanceStage(db, at + 1);
    }
    await writeLastMaintenance(db, clock.now());
    return true;
  } catch (error) {
    if (isStoppedError(error)) return false;
    throw error;
  } finally {
    await releaseLease(db, lease.lease);
  }
}

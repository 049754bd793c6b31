import type { Context } from "../../context.ts";
import { OldhandError } from "../../lib/errors.ts";
import { hasUnminedEvents } from "../../store/derived/unmined-events.ts";
import { isMaintenanceDue } from "../../store/state/maintenance-state.ts";
import { actOnMarkers } from "../../record/markers/act-on-markers.ts";
import { isSwitchedOff } from "./require-on.ts";

/** Mines what the session brought, for a short time. What is left, other sessions and commands do. */
export async function learnAfterSession(
  ctx: Pick<Context, "db" | "config" | "clock" | "models">,
  workspace: string,
): Promise<void> {
  const { db, clock, config } = ctx;
  if (isSwitchedOff(config, workspace)) return;
  try {
    const maintain = await isMaintenanceDue(db, clock.now(), config.policy.distil.maintainHours);
    if (!maintain && !(await hasUnminedEvents(db))) return;
    const { learnForMs } = await import("../../distil/maintenance/mining-slice.ts");
    await learnForMs(ctx, { ms: SLICE_MS, maintain });
    await actOnMarkers(ctx);
  } catch (error) {
    // Another process writes. Every step is one transaction, and the next slice continues after the last one.
    if (!(error instanceof OldhandError)) throw error;
  }
}

const SLICE_MS = 600;

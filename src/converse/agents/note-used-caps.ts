import type { Context } from "../../context.ts";
import { spendingDay, warnOfCap } from "../../domain/model/caps.ts";
import { DAY } from "../../lib/clock.ts";
import { listCapUsage } from "../../store/models/cap-usage.ts";
import { getValue, putValue } from "../../store/state/kv.ts";

/** Warns of caps that are nearly used, each once a day over all processes. */
export async function noteUsedCaps(
  { db, clock }: Pick<Context, "db" | "clock">,
  agent: string,
): Promise<readonly string[]> {
  const now = clock.now();
  const day = spendingDay(now);
  const warnings: string[] = [];
  for (const { cap, ...budget } of await listCapUsage(db, now)) {
    if (cap.kind === "agent" && cap.name !== agent) continue;
    const warning = warnOfCap(cap, budget, day);
    const key = `${day} ${cap.id}`;
    if (warning === null || (await getValue(db, SPACE, key, now)) !== null) continue;
    await putValue(db, { space: SPACE, key, value: "shown", now, ttlMs: 2 * DAY, maxBytes: 1_000_000 });
    warnings.push(warning);
  }
  return warnings;
}

const SPACE = "cap-warnings";

import { HOUR } from "../../lib/clock.ts";
import type { Db } from "../engine/db.ts";
import { readMeta, writeMeta } from "./meta.ts";

/** When the last complete maintenance ran; 0 if never. */
export async function readLastMaintenance(db: Db): Promise<number> {
  return Number((await readMeta(db, "maintained")) ?? 0);
}

export async function writeLastMaintenance(db: Db, at: number): Promise<void> {
  await writeMeta(db, "maintained", String(at));
  await writeMaintenanceStage(db, 0);
}

/** True if there are rules and the last run is this many hours ago. Two small reads, because hooks call it. */
export async function isMaintenanceDue(db: Db, now: number, hours: number): Promise<boolean> {
  const last = await readLastMaintenance(db);
  if (last > 0 && now - last < hours * HOUR) return false;
  return (await db.get("select 1 as one from rules limit 1")) !== undefined;
}

/** The next stage of a run that is done in slices. */
export async function readMaintenanceStage(db: Db): Promise<number> {
  return Number((await readMeta(db, "maintenance stage")) ?? 0);
}

export function writeMaintenanceStage(db: Db, stage: number): Promise<void> {
  return writeMeta(db, "maintenance stage", String(stage));
}

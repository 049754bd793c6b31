import type { Db } from "../../src/store/engine/db.ts";
import { rewriting, withoutFence } from "../queue/without-fence.ts";

/**
 * What the promises about slots rest on: a slot is marked when it begins; its row and its place in the queue are one
 * transaction; a row that was run is not deleted when a clock goes back.
 */
export const slotFences = ["begun", "transaction", "kept"] as const;
export type SlotFence = (typeof slotFences)[number];

/** The same store, with one fence taken out. */
export function withoutSlotFence(db: Db, fence: SlotFence): Db {
  if (fence === "transaction") return withoutFence(db, fence);
  return rewriting(db, rewrites[fence]);
}

const rewrites: Readonly<Record<Exclude<SlotFence, "transaction">, readonly [string, string]>> = {
  begun: ["set fate = 'running'", "set fate = 'due'"],
  kept: ["and fate = 'missed' and started_at is null", ""],
};

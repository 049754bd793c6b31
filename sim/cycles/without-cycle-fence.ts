import type { Db } from "../../src/store/engine/db.ts";
import { rewriting, withoutFence } from "../queue/without-fence.ts";

/**
 * What the promises about cycles rest on: a cycle and an attempt that ended are not written any more; what came of an attempt is one
 * transaction.
 */
export const cycleFences = ["rows", "transaction"] as const;
export type CycleFenceName = (typeof cycleFences)[number];

/** The same store, with one fence taken out. */
export function withoutCycleFence(db: Db, fence: CycleFenceName): Db {
  if (fence === "transaction") return withoutFence(db, fence);
  const [attempts, cycles] = [" and state = 'open'", " and ended_at is null"];
  return rewriting(rewriting(db, [attempts, ""]), [cycles, ""]);
}

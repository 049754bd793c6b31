import type { SliceContext } from "../../distil/mine-slice.ts";
import { hasUnmined } from "../../store/unmined.ts";

/**
 * Mines for a while, where there is something to mine; the miners are loaded only then. What goes wrong with it is left to
 * the next slice: the host must not notice, and what it told is still to be stored.
 */
export async function learn(ctx: SliceContext, ms: number): Promise<void> {
  try {
    if (!(await hasUnmined(ctx.db))) return;
    const { mineFor } = await import("../../distil/mine-slice.ts");
    await mineFor(ctx, ms);
  } catch {
    // Locked, broken, or a fault of ours: every piece was one transaction, and the next slice goes on from the last.
  }
}

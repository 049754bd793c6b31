import { claudeMem } from "./claude-mem.ts";
import { hermes } from "./hermes.ts";
import { learnedBehavior } from "./learned-behavior.ts";
import { livingBoard } from "./living-board.ts";
import type { OtherStore } from "./other-store.ts";

/** Every product whose store can be imported. To add one, add its file and its entry here. */
export const otherStores: readonly OtherStore[] = [learnedBehavior, livingBoard, hermes, claudeMem];

/** The store named by `from`, or found at the path; null if it is an ordinary file. */
export function findOtherStore(path: string, from: string | null): OtherStore | null {
  if (from !== null) return otherStores.find((store) => store.name === from) ?? null;
  return otherStores.find((store) => store.isAt(path)) ?? null;
}

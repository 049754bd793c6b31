import { claudeMem } from "./claude-mem.ts";
import { hermes } from "./hermes.ts";
import { learnedBehavior } from "./learned-behavior.ts";
import { livingBoard } from "./living-board.ts";
import type { OtherStore } from "./other-store.ts";

/** Every product whose store can be brought in; a new one is its file and a line here. */
export const otherStores: readonly OtherStore[] = [learnedBehavior, livingBoard, hermes, claudeMem];

/** The one that is meant, or that is found at the path; null where it is a file like any other. */
export function findOtherStore(path: string, from: string | null): OtherStore | null {
  if (from !== null) return otherStores.find((store) => store.name === from) ?? null;
  return otherStores.find((store) => store.isAt(path)) ?? null;
}

import { describe, expect, it } from "vitest";
import type { Snapshot } from "../../src/domain/goal/snapshot.ts";
import { addSnapshot, readLastSnapshot } from "../../src/store/goals/snapshots.ts";
import { stores, withStore } from "../stores.ts";

const snapshot = (id: string, at: number, cycleCount: number, source: string | null = null): Snapshot => ({
  ...{ id, at, cycleCount, content: id, source, currentFocus: null },
  ...{ activeGoals: [], recentOutcomes: [], openBlockers: [], keyLearnings: [] },
});

describe.each(stores)("the last snapshot on $name", (kind) => {
  it("is that of the last cycle, although an earlier one was written by a clock that was ahead, and one was imported", () =>
    withStore(kind, async ({ db }) => {
      await addSnapshot(db, snapshot("ahead", 9_000, 1));
      await addSnapshot(db, snapshot("last", 5_000, 2));
      await addSnapshot(db, snapshot("imported", 9_500, 70, "living-board"));
      expect((await readLastSnapshot(db))?.id).toBe("last");
    }));
});

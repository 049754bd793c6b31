import { describe, expect, it } from "vitest";
import { HOUR } from "../../src/lib/clock.ts";
import { listCycles } from "../../src/store/goals/cycles.ts";
import { isReflectionDue } from "../../src/work/goals/reflect/reflect-by-hand.ts";
import { withReflections } from "../goals/reflect-place.ts";
import { stores } from "../stores.ts";

/** Cycles at a steady cadence, each of which works on a task unless a reflection is due. Everything goes through the tables. */
describe.each(stores)("cycles with work to do on $name", (kind) => {
  it.each([
    ["5 minutes", 1 / 12, 200, 96],
    ["an hour", 1, 64, 8],
    ["a day", 24, 30, 3],
  ])("each %s reflect once in so many", (_name, hours, count, period) =>
    withReflections(kind, async (place) => {
      await place.task(await place.goal("ship"), "one");
      for (let at = 0; at < count; at++) {
        if ((await isReflectionDue(place.ctx)).due) await place.reflect();
        else await place.cycle({ action: "execute", outcome: "verified" });
        place.clock.advance(hours * HOUR);
      }
      const cycles = (await listCycles(place.ctx.db)).toReversed();
      const reflections = cycles.flatMap(({ action, number }) => (action === "reflect" ? [number - 1] : []));
      expect(reflections).toEqual(Array.from({ length: Math.ceil((count - 2) / period) }, (_, at) => 2 + at * period));
    }),
  );

  it("reflect every two days if there is nothing to do, and never twice in a row", () =>
    withReflections(kind, async (place) => {
      await place.cycle({ action: "execute", outcome: "verified" });
      for (let at = 0; at < 24 * 8; at++) {
        if ((await isReflectionDue(place.ctx)).due) await place.reflect();
        else await place.cycle({ action: "idle", outcome: "nothing" });
        place.clock.advance(HOUR);
      }
      const cycles = (await listCycles(place.ctx.db)).toReversed();
      const reflections = cycles.flatMap(({ action, number }) => (action === "reflect" ? [number - 1] : []));
      expect(reflections).toEqual([1, 49, 97, 145]);
    }));
});

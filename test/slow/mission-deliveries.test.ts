import { expect, it } from "vitest";
import { measureDeliveries } from "../../bench/mission-deliveries.ts";

it.each([
  ["sure", { fails: 0.95, obeys: 0.9, believes: 0.95 }],
  ["doubted", { fails: 0.85, obeys: 0.6, believes: 0.95 }],
])(
  "of rules that are %s, every delivery is better than nothing, and the default is no worse than notes or holds",
  async (_, shares) => {
    for (const { kind, ways, defaultSaves } of await measureDeliveries({ seeds: 8, sessions: 30, ...shares })) {
      const [nothing, note, hold, byLaw] = ways;
      expect([nothing?.way, note?.way, hold?.way, byLaw?.way]).toEqual(["nothing", "note", "hold", "default"]);
      // The whole interval of the savings is above zero.
      for (const what of ["failures", "calls", "seconds", "cost"] as const)
        for (const one of [note, hold, byLaw])
          expect(one?.lessThanNothing[what].low, `${kind} ${what} by ${one?.way}`).toBeGreaterThan(0);
      expect(hold?.failures.high).toBeLessThan(note?.failures.low ?? 0);
      for (const [than, saved] of Object.entries(defaultSaves))
        expect(saved.high, `${kind}: the default against ${than}`).toBeGreaterThanOrEqual(0);
    }
  },
  600_000,
);

it("the default holds what is slow, and leaves short failures to notes", async () => {
  const mission = { seeds: 2, sessions: 20, fails: 0.95, obeys: 0.9, believes: 0.95 };
  for (const { kind, ways } of await measureDeliveries(mission)) {
    const [, note, hold, byLaw] = ways;
    expect(byLaw?.cost).toEqual((kind === "slow" ? hold : note)?.cost);
  }
}, 300_000);

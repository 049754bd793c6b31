import { expect, it } from "vitest";
import { measureDeliveries } from "../../bench/mission-deliveries.ts";

it("of the same rules, a hold leaves fewest failures and spends fewest tokens; a note is better than nothing", async () => {
  const mission = { seeds: 8, sessions: 30, fails: 0.95, obeys: 0.9, believes: 0.95 };
  for (const { kind, ways } of await measureDeliveries(mission)) {
    const [nothing, note, hold] = ways;
    expect([nothing?.way, note?.way, hold?.way]).toEqual(["nothing", "note", "hold"]);
    for (const what of ["failures", "calls", "tokens", "seconds"] as const) {
      // The whole interval of what is saved: neither delivery is worse than nothing.
      expect(note?.lessThanNothing[what].low, `${kind} ${what} by notes`).toBeGreaterThan(0);
      expect(hold?.lessThanNothing[what].low, `${kind} ${what} by holds`).toBeGreaterThan(0);
    }
    expect(hold?.failures.high).toBeLessThan(note?.failures.low ?? 0);
    expect(hold?.tokens.high).toBeLessThan(note?.tokens.low ?? 0);
    // What a hold costs: one call more for who means it, or where the rule is wrong.
    expect(hold?.calls.mean).toBeLessThan(1.05 * (note?.calls.mean ?? 0));
  }
}, 300_000);

import { describe, expect, it } from "vitest";
import { callsPerOpportunity, toOpportunities, showsOnlyByAttempts } from "./exposure.ts";

describe("a situation that shows only by the mistake itself", () => {
  it("is one in which nearly every opportunity was an attempt", () => {
    expect(showsOnlyByAttempts({ opportunities: 40, attempts: 40 })).toBe(true);
    expect(showsOnlyByAttempts({ opportunities: 40, attempts: 38 })).toBe(true);
    expect(showsOnlyByAttempts({ opportunities: 40, attempts: 30 })).toBe(false);
    expect(showsOnlyByAttempts({ opportunities: 0, attempts: 0 })).toBe(false);
  });

  it("is measured by how much is done: one opportunity in five was used before the rule", () => {
    const before = [
      { calls: 60, attempts: 4 },
      { calls: 40, attempts: 6 },
    ];
    expect(callsPerOpportunity(before)).toBe(2);
    expect(callsPerOpportunity([{ calls: 3, attempts: 3 }])).toBe(1);
    expect(callsPerOpportunity([])).toBe(1);
  });

  it("counts a session's calls as opportunities, at least one and not without end, and never more attempts than those", () => {
    expect(toOpportunities({ calls: 20, attempts: 3 }, 2)).toEqual({ opportunities: 10, attempts: 3 });
    expect(toOpportunities({ calls: 1, attempts: 0 }, 50)).toEqual({ opportunities: 1, attempts: 0 });
    expect(toOpportunities({ calls: 9_000, attempts: 30 }, 2)).toEqual({ opportunities: 12, attempts: 12 });
  });
});

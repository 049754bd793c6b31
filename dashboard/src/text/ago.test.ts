import { describe, expect, it } from "vitest";
import { formatAgo, formatSpan } from "./ago.ts";

const now = Date.UTC(2026, 5, 15, 12);

describe("ago", () => {
  it("grows coarser with distance", () => {
    const steps = [0, 45_000, 200_000, 5 * 3_600_000, 9 * 86_400_000];
    expect(steps.map((past) => formatAgo(now - past, now))).toEqual([
      "just now",
      "45 s ago",
      "3 min ago",
      "5 h ago",
      "9 d ago",
    ]);
  });

  it("names the date from a month on, and the year where it is another", () => {
    expect(formatAgo(Date.UTC(2026, 1, 3, 12), now)).toBe("3 Feb");
    expect(formatAgo(Date.UTC(2024, 1, 3, 12), now)).toBe("3 Feb 2024");
  });

  it("takes a clock that is a little ahead for now", () => {
    expect(formatAgo(now + 20_000, now)).toBe("just now");
  });
});

describe("span", () => {
  it("says how long something took", () => {
    expect([12, 1500, 42_000, 12 * 60_000, 200 * 60_000, 7_200_000].map(formatSpan)).toEqual([
      "12 ms",
      "1.5 s",
      "42 s",
      "12 min",
      "3 h 20 min",
      "2 h",
    ]);
  });
});

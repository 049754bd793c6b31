import { describe, expect, it } from "vitest";
import { HOUR, MINUTE } from "./clock.ts";
import { parseMoment } from "./moment.ts";

const now = new Date(2026, 4, 1, 12, 0, 30).getTime();

describe("a time that a person types", () => {
  it("is a span from now, the next time of a day here, or a date", () => {
    expect(parseMoment("10m", now)).toBe(now + 10 * MINUTE);
    expect(parseMoment("2h", now)).toBe(now + 2 * HOUR);
    expect(parseMoment("18:00", now)).toBe(new Date(2026, 4, 1, 18, 0).getTime());
    expect(parseMoment("9:30", now)).toBe(new Date(2026, 4, 2, 9, 30).getTime());
    expect(parseMoment("2026-06-01T00:00:00Z", now)).toBe(Date.parse("2026-06-01T00:00:00Z"));
  });

  it.each(["", "soon", "25:00", "10 minutes", "18:60"])("is not %j", (text) => {
    expect(parseMoment(text, now)).toBeNull();
  });
});

import { describe, expect, it } from "vitest";
import { formatZoned } from "./zoned-time.ts";

describe("a time in a zone", () => {
  it.each([
    ["UTC", "2026-05-01T12:00:00Z"],
    ["Asia/Tokyo", "2026-05-01T21:00:00+09:00"],
    ["America/New_York", "2026-05-01T08:00:00-04:00"],
    ["Asia/Kathmandu", "2026-05-01T17:45:00+05:45"],
  ])("of %s is %s", (zone, text) => {
    const at = Date.parse("2026-05-01T12:00:00Z");
    expect(formatZoned(at, zone)).toBe(text);
    expect(Date.parse(formatZoned(at, zone))).toBe(at);
  });
});

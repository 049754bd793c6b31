import { describe, expect, it } from "vitest";
import { HOUR } from "../lib/clock.ts";
import { isZone, listDays, startOfDays } from "./days.ts";

const at = (text: string) => Date.parse(text);

describe("the days of a stretch of time", () => {
  it("begin and end at midnight in UTC", () => {
    expect(listDays(at("2026-11-15T13:00:00Z"), at("2026-11-17T01:00:00Z"), "UTC")).toEqual([
      { day: "2026-11-15", since: at("2026-11-15T00:00:00Z"), until: at("2026-11-16T00:00:00Z") },
      { day: "2026-11-16", since: at("2026-11-16T00:00:00Z"), until: at("2026-11-17T00:00:00Z") },
      { day: "2026-11-17", since: at("2026-11-17T00:00:00Z"), until: at("2026-11-18T00:00:00Z") },
    ]);
  });

  it("begin at midnight where the person lives, also half an hour off", () => {
    const [first] = listDays(at("2026-11-16T02:00:00Z"), at("2026-11-16T02:00:00Z"), "America/Los_Angeles");
    expect(first).toEqual({
      day: "2026-11-15",
      since: at("2026-11-15T08:00:00Z"),
      until: at("2026-11-16T08:00:00Z"),
    });
    const [india] = listDays(at("2026-11-15T18:31:00Z"), at("2026-11-15T18:31:00Z"), "Asia/Kolkata");
    expect(india).toMatchObject({ day: "2026-11-16", since: at("2026-11-15T18:30:00Z") });
  });

  it("are 25 and 23 hours long when the clocks change, and leave no gap", () => {
    const autumn = listDays(at("2026-10-24T12:00:00Z"), at("2026-10-26T12:00:00Z"), "Europe/Berlin");
    expect(autumn.map(({ day, since, until }) => [day, (until - since) / HOUR])).toEqual([
      ["2026-10-24", 24],
      ["2026-10-25", 25],
      ["2026-10-26", 24],
    ]);
    const spring = listDays(at("2026-03-28T12:00:00Z"), at("2026-03-30T12:00:00Z"), "Europe/Berlin");
    expect(spring.map(({ until, since }) => (until - since) / HOUR)).toEqual([24, 23, 24]);
    for (const days of [autumn, spring])
      for (const [index, day] of days.entries()) expect(days[index + 1]?.since ?? day.until).toBe(day.until);
  });

  it("count back from today, today counted in", () => {
    expect(startOfDays(1, at("2026-11-17T10:00:00Z"), "UTC")).toBe(at("2026-11-17T00:00:00Z"));
    expect(startOfDays(14, at("2026-11-17T10:00:00Z"), "UTC")).toBe(at("2026-11-04T00:00:00Z"));
    expect(startOfDays(2, at("2026-10-25T22:00:00Z"), "Europe/Berlin")).toBe(at("2026-10-23T22:00:00Z"));
  });
});

describe("a time zone", () => {
  it("is known by its name or not at all", () => {
    expect(isZone("Europe/Berlin")).toBe(true);
    expect(isZone("Middle/Earth")).toBe(false);
  });
});

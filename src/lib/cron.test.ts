import { describe, expect, it } from "vitest";
import { findScheduleFault, listDueTimes, nextDueTime } from "./cron.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const at = (text: string) => Date.parse(text);
const isoOf = (times: readonly number[]) => times.map((time) => new Date(time).toISOString());

describe("due times", () => {
  it("begin after the given time and end with the last one, which counts", () => {
    const times = listDueTimes(
      { cron: "0 9 * * *", zone: "UTC" },
      { after: at("2026-05-01T09:00Z"), until: at("2026-05-03T09:00Z") },
    );
    expect(isoOf(times)).toEqual(["2026-05-02T09:00:00.000Z", "2026-05-03T09:00:00.000Z"]);
  });

  it("of a time that a clock skips are due when the gap ends, once", () => {
    const night = listDueTimes(
      { cron: "30 2 * * *", zone: "Europe/Berlin" },
      { after: at("2026-03-28T12:00Z"), until: at("2026-03-30T12:00Z") },
    );
    expect(isoOf(night)).toEqual(["2026-03-29T01:00:00.000Z", "2026-03-30T00:30:00.000Z"]);
  });

  it("of a time that comes twice are due once, and every half hour in both hours", () => {
    const between = { after: at("2026-10-24T23:45Z"), until: at("2026-10-25T01:45Z") };
    const zone = "Europe/Berlin";
    expect(isoOf(listDueTimes({ cron: "30 2 * * *", zone }, between))).toEqual(["2026-10-25T00:30:00.000Z"]);
    expect(isoOf(listDueTimes({ cron: "*/30 * * * *", zone }, between))).toEqual([
      "2026-10-25T00:00:00.000Z",
      "2026-10-25T00:30:00.000Z",
      "2026-10-25T01:00:00.000Z",
      "2026-10-25T01:30:00.000Z",
    ]);
  });

  it("can be limited in number, oldest first", () => {
    const times = listDueTimes(
      { cron: "* * * * *", zone: "UTC" },
      { after: at("2026-05-01T00:00Z"), until: at("2026-05-01T12:00Z"), limit: 2 },
    );
    expect(isoOf(times)).toEqual(["2026-05-01T00:01:00.000Z", "2026-05-01T00:02:00.000Z"]);
  });

  // Compared with a search through every minute of some weeks, which uses the calendar of the zone and no cron expression.
  it.each([
    ["America/New_York", "2026-03-01T00:00Z"],
    ["America/New_York", "2026-10-25T00:00Z"],
    ["Europe/Berlin", "2026-03-22T00:00Z"],
    ["Europe/Berlin", "2026-10-18T00:00Z"],
    ["Australia/Lord_Howe", "2026-03-29T00:00Z"],
    ["Asia/Kathmandu", "2026-12-25T00:00Z"],
  ])("by steps and by weekdays are those of the calendar in %s, two weeks from %s", (zone, first) => {
    const after = at(first);
    const until = after + 14 * 24 * HOUR;
    const localMinute = localClock(zone);
    const expected = { steps: [] as number[], weekdays: [] as number[] };
    for (let time = after + MINUTE; time <= until; time += MINUTE) {
      const local = new Date(localMinute(time));
      if (local.getUTCMinutes() % 20 === 0) expected.steps.push(time);
      // Noon on weekdays never falls into a change of the clock.
      if (local.getUTCHours() === 12 && local.getUTCMinutes() === 5 && local.getUTCDay() % 6 !== 0)
        expected.weekdays.push(time);
    }
    expect(listDueTimes({ cron: "*/20 * * * *", zone }, { after, until })).toEqual(expected.steps);
    expect(listDueTimes({ cron: "5 12 * * 1-5", zone }, { after, until })).toEqual(expected.weekdays);
  });

  it("have no end, unless the date does not exist", () => {
    expect(nextDueTime({ cron: "0 0 29 2 *", zone: "UTC" }, at("2026-03-01T00:00Z"))).toBe(at("2028-02-29T00:00Z"));
    expect(nextDueTime({ cron: "0 0 30 2 *", zone: "UTC" }, at("2026-03-01T00:00Z"))).toBeNull();
  });
});

describe("a schedule's fault", () => {
  it.each([
    [{ cron: "0 9 * * 1-5", zone: "Europe/Berlin" }, null],
    [{ cron: "@daily", zone: "UTC" }, null],
    [{ cron: "61 * * * *", zone: "UTC" }, "is not a cron expression: 61 is not a minute"],
    [{ cron: "0 9 * * 1-9", zone: "UTC" }, "8 is not a weekday"],
    [{ cron: "0 9 * * MO-XX", zone: "UTC" }, '"MO-XX" in its field 5 (weekday) cannot be read'],
    [{ cron: "every day", zone: "UTC" }, "is not a cron expression: it has 2 fields, and needs five"],
    [{ cron: "0 0 9 * * * 2030", zone: "UTC" }, "it has 7 fields, and needs five"],
    [{ cron: "0 0 9 * * *", zone: "UTC" }, null],
    [{ cron: "0 0 L * *", zone: "UTC" }, null],
    [{ cron: "0 9 5L * *", zone: "UTC" }, '"5L" belongs into the weekday field'],
    [{ cron: "0 9 1,7L * *", zone: "UTC" }, '"7L" belongs into the weekday field'],
    [{ cron: "0 9 1-5L * *", zone: "UTC" }, '"1-5L" cannot be read: in the day field, L stands alone'],
    [{ cron: "0 0 9 15L * *", zone: "UTC" }, '"15L" cannot be read: in the day field, L stands alone'],
    [{ cron: "0 9 1,L * *", zone: "UTC" }, null],
    [{ cron: "0 9 LW * *", zone: "UTC" }, null],
    [{ cron: "0 9 * * 5L,MON#2", zone: "UTC" }, null],
    [{ cron: "0 9 * * 1-5#2", zone: "UTC" }, '"1-5#2" cannot be read: # follows one weekday, such as 5#2'],
    [{ cron: "0 9 * * MON-FRIL", zone: "UTC" }, '"MON-FRIL" cannot be read: L follows one weekday, such as 5L'],
    [{ cron: "0 9 32 * *", zone: "UTC" }, "32 is not a day (1-31)"],
    [{ cron: "0 9 0 * *", zone: "UTC" }, "0 is not a day (1-31)"],
    [{ cron: "0 9 * 13 *", zone: "UTC" }, "13 is not a month (1-12)"],
    [{ cron: "@reboot", zone: "UTC" }, "@hourly, @daily, @weekly"],
    [{ cron: "*/0 * * * *", zone: "UTC" }, '"*/0" in its field 1 (minute) has a step of 0'],
    [{ cron: "-1 * * * *", zone: "UTC" }, '"-1" in its field 1 (minute) cannot be read'],
    [{ cron: "0 30-10 * * *", zone: "UTC" }, '"30-10" in its field 2 (hour) goes backwards'],
    [{ cron: "0 0 30 2 *", zone: "UTC" }, "is never due"],
    [{ cron: "0 9 * * *", zone: "Mars/Olympus" }, "is not a time zone"],
  ])("of %j: %s", (schedule, fault) => {
    const found = findScheduleFault(schedule, at("2026-05-01T00:00Z"));
    if (fault === null) expect(found).toBeNull();
    else expect(found).toContain(fault);
  });
});

/** Maps a time to the local time of a zone, as if that were UTC. The offset changes at whole half hours only. */
function localClock(zone: string): (time: number) => number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  });
  const offsets = new Map<number, number>();
  return (time) => {
    const half = Math.floor(time / (HOUR / 2)) * (HOUR / 2);
    let offset = offsets.get(half);
    if (offset === undefined) {
      const part = Object.fromEntries(format.formatToParts(half).map(({ type, value }) => [type, Number(value)]));
      offset = Date.UTC(part["year"] ?? 0, (part["month"] ?? 1) - 1, part["day"], part["hour"], part["minute"]) - half;
      offsets.set(half, offset);
    }
    return time + offset;
  };
}

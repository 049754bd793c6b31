import { describe, expect, it } from "vitest";
import { DAY } from "../../lib/clock.ts";
import { computeHostState } from "./integration.ts";

const now = 100 * DAY;
const silentDays = 7;

describe("stateOf", () => {
  it("is not installed without our hooks, whatever was heard before", () => {
    expect(computeHostState(false, { lastAt: now, now, silentDays })).toBe("not installed");
  });

  it("tells a host that never spoke from one that has gone quiet", () => {
    expect(computeHostState(true, { lastAt: null, now, silentDays })).toBe("installed, never heard");
    expect(computeHostState(true, { lastAt: now - 8 * DAY, now, silentDays })).toBe("silent");
  });

  it("is watching until the days are over after which a host counts as silent", () => {
    expect(computeHostState(true, { lastAt: now - 7 * DAY, now, silentDays })).toBe("watching");
    expect(computeHostState(true, { lastAt: now - 7 * DAY, now, silentDays: 6 })).toBe("silent");
  });

  it("claims no silence when the mind could not be asked", () => {
    expect(computeHostState(true, undefined)).toBe("watching");
  });
});

import { describe, expect, it } from "vitest";
import { DAY } from "../lib/clock.ts";
import { stateOf } from "./wired.ts";

const now = 100 * DAY;

describe("stateOf", () => {
  it("is not installed without our hooks, whatever was heard before", () => {
    expect(stateOf(false, { lastAt: now, now })).toBe("not installed");
  });

  it("tells a host that never spoke from one that has gone quiet", () => {
    expect(stateOf(true, { lastAt: null, now })).toBe("installed, never heard");
    expect(stateOf(true, { lastAt: now - 8 * DAY, now })).toBe("silent");
  });

  it("is watching for a week after the last event", () => {
    expect(stateOf(true, { lastAt: now - 7 * DAY, now })).toBe("watching");
  });

  it("claims no silence when the mind could not be asked", () => {
    expect(stateOf(true, undefined)).toBe("watching");
  });
});

import { describe, expect, it } from "vitest";
import { findNeighbour, computePause } from "./use-replay.ts";

const events = [
  { seq: 3, at: "2026-01-01T00:00:00Z" },
  { seq: 7, at: "2026-01-01T00:00:30Z" },
  { seq: 9, at: "2026-01-01T08:00:00Z" },
];

describe("neighbour", () => {
  it("goes on from an event, and begins at the first", () => {
    expect(findNeighbour(events, null, "next")).toBe(3);
    expect(findNeighbour(events, 3, "next")).toBe(7);
    expect(findNeighbour(events, 9, "previous")).toBe(7);
  });

  it("follows the order in which things happened, also where one of them was read late", () => {
    const late = [{ seq: 3 }, { seq: 8 }, { seq: 7 }, { seq: 9 }];
    expect(findNeighbour(late, 3, "next")).toBe(8);
    expect(findNeighbour(late, 8, "next")).toBe(7);
    expect(findNeighbour(late, 7, "previous")).toBe(8);
  });

  it("ends where the events end", () => {
    expect(findNeighbour(events, 9, "next")).toBeNull();
    expect(findNeighbour(events, 3, "previous")).toBeNull();
    expect(findNeighbour(events, null, "previous")).toBeNull();
  });
});

describe("pauseAfter", () => {
  it("waits longer where more time passed, but nobody waits for a night", () => {
    expect(computePause(events, 3)).toBe(1_500);
    expect(computePause(events, 7)).toBe(2_400);
  });

  it("does not hurry over the last event", () => {
    expect(computePause(events, 9)).toBe(1_000);
  });
});

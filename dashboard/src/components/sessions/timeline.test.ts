import { describe, expect, it } from "vitest";
import type { SessionEvent } from "../../api/contract.ts";
import { computeTimeline } from "./timeline.ts";

const MINUTE = 60_000;

describe("timelineOf", () => {
  it("has one mark for each event while there is room, from the left edge to the right", () => {
    const { marks } = computeTimeline([event(1, 0), event(2, 1), event(3, 2)], 10);
    expect(marks.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(marks.map(({ x }) => x)).toEqual([0, expect.closeTo(0.5), expect.closeTo(1)]);
  });

  it("cuts a night short and says how long it was", () => {
    const { marks, gaps } = computeTimeline([event(1, 0), event(2, 1), event(3, 601), event(4, 602)], 10);
    expect(gaps).toHaveLength(1);
    expect(gaps[0]?.ms).toBe(600 * MINUTE);
    expect(marks[1]?.x).toBeGreaterThan(0.1);
  });

  it("calls nothing a gap that is usual in the session", () => {
    const slow = Array.from({ length: 10 }, (_, index) => event(index, index * 4));
    expect(computeTimeline(slow, 20).gaps).toEqual([]);
  });

  it("lets a failure show among the events it shares a mark with", () => {
    const events = Array.from({ length: 100 }, (_, index) => event(index + 1, index, index === 57 ? "failed" : "ok"));
    const { marks } = computeTimeline(events, 10);
    expect(marks.length).toBeLessThanOrEqual(11);
    expect(marks.filter(({ kind }) => kind === "failure").map(({ seq }) => seq)).toEqual([58]);
  });

  it("keeps events of one moment apart, and stands a clock that ran backwards", () => {
    const { marks } = computeTimeline([event(1, 5), event(2, 5), event(3, 1)], 10);
    const places = marks.map(({ x }) => x);
    expect(new Set(places).size).toBe(3);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  it("is empty for a session without events", () => {
    expect(computeTimeline([], 10)).toEqual({ marks: [], gaps: [] });
  });
});

function event(seq: number, minute: number, outcome: SessionEvent["outcome"] = "ok"): SessionEvent {
  return {
    id: seq,
    seq,
    at: new Date(Date.UTC(2026, 0, 1) + minute * MINUTE).toISOString(),
    kind: "call",
    tool: "Bash",
    summary: "ls",
    input: null,
    outcome,
    benign: false,
    error: null,
    signature: null,
    durationMs: null,
    text: null,
  };
}

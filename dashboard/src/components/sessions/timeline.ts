import type { SessionEvent } from "../../api/contract.ts";
import { isFailedEvent, isStoppedEvent } from "./outcome.ts";

/**
 * Events of a session along time; `x` is from 0 to 1. Long pauses are shortened, so that the work between them is
 * visible.
 */
export type Timeline = {
  readonly marks: readonly Mark[];
  readonly gaps: readonly Gap[];
};

export type MarkKind = "plain" | "ok" | "prompt" | "stopped" | "failure";

export type Mark = {
  readonly kind: MarkKind;
  readonly x: number;
  readonly first: number;
  readonly last: number;
  /** The event to open on a click. */
  readonly seq: number;
};

export type Gap = { readonly from: number; readonly to: number; readonly ms: number };

export function computeTimeline(events: readonly SessionEvent[], most: number): Timeline {
  const steps = computeSteps(events);
  const silence = computeSilence(steps);
  const shortened = steps.map((ms) => Math.min(ms, silence));
  // Keeps simultaneous events apart.
  const apart = Math.max(1, sum(shortened) / Math.max(1, steps.length)) / 4;
  const whole = sum(shortened) + apart * steps.length;
  const places = [0];
  const gaps: Gap[] = [];
  for (const [index, ms] of steps.entries()) {
    const from = places[index] ?? 0;
    const to = from + ((shortened[index] ?? 0) + apart) / whole;
    places.push(to);
    if (ms > silence) gaps.push({ from, to, ms });
  }
  return { marks: makeMarks(events, places, most), gaps };
}

const MINUTE = 60_000;

/** The pause in ms from which a gap is shortened: well above the session's usual pause. */
function computeSilence(steps: readonly number[]): number {
  const usual = steps.toSorted((a, b) => a - b)[Math.floor(steps.length * 0.8)] ?? 0;
  return Math.min(Math.max(2 * MINUTE, 3 * usual), 15 * MINUTE);
}

function computeSteps(events: readonly SessionEvent[]): readonly number[] {
  const times = events.map(({ at }) => Date.parse(at));
  // The order of events counts: if the clock ran backwards between two, the step is 0.
  return times.slice(1).map((time, index) => Math.max(0, time - (times[index] ?? time)) || 0);
}

/** At most `most` marks: events too close to each other share one, which shows the worst of them. */
function makeMarks(events: readonly SessionEvent[], places: readonly number[], most: number): readonly Mark[] {
  const shared = new Map<number, { readonly x: number; readonly events: SessionEvent[] }>();
  for (const [index, event] of events.entries()) {
    const x = places[index] ?? 0;
    const slot = events.length <= most ? index : Math.floor(x * most);
    const known = shared.get(slot);
    if (known) known.events.push(event);
    else shared.set(slot, { x, events: [event] });
  }
  return [...shared.values()].flatMap(({ x, events: group }) => makeMark(x, group) ?? []);
}

function makeMark(x: number, group: readonly SessionEvent[]): Mark | null {
  const first = group[0];
  const last = group.at(-1);
  if (!first || !last) return null;
  const failure = group.find(isFailedEvent);
  const stopped = group.find(isStoppedEvent);
  const prompt = group.find(({ kind }) => kind === "prompt");
  const ok = group.find(({ outcome }) => outcome === "ok");
  return {
    kind: failure ? "failure" : stopped ? "stopped" : prompt ? "prompt" : ok ? "ok" : "plain",
    x,
    first: first.seq,
    last: last.seq,
    seq: (failure ?? stopped ?? prompt ?? first).seq,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

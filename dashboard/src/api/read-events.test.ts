import { describe, expect, it } from "vitest";
import type { Session, SessionEvent } from "./contract.ts";
import type { EventPage } from "./shapes.ts";
import { isSeqInWindow, emptyWindow } from "./event-window.ts";
import { EVENT_PAGE_SIZE, readAround, readEarlier, readNextPage, type ShowSession } from "./read-events.ts";

describe("reading a session", () => {
  it("starts at the beginning when no event is asked for", async () => {
    const { value } = done(await readAround(serverWith(dense(500)), "s", null));
    expect(value.after).toBeNull();
    expect(value.events).toHaveLength(EVENT_PAGE_SIZE);
    expect(value.more).toBe(true);
  });

  it("shows what led to the event asked for", async () => {
    const { value } = done(await readAround(serverWith(dense(900)), "s", 450));
    expect(value.events[0]?.seq).toBeLessThan(450);
    expect(isSeqInWindow(value, 450)).toBe(true);
    expect(value.after).not.toBeNull();
  });

  it("finds what came before even where the numbers of the session lie far apart", async () => {
    const sparse = Array.from({ length: 300 }, (_, index) => index * 5000 + 7);
    const { value } = done(await readAround(serverWith(sparse), "s", sparse[150] ?? 0));
    expect(value.events.filter(({ seq }) => seq < (sparse[150] ?? 0)).length).toBeGreaterThan(10);
    expect(seqs(value.events)).toEqual(contiguous(sparse, value.events));
  });

  it("reads on in both directions until everything is there, without gaps", async () => {
    const all = Array.from({ length: 1500 }, (_, index) => index * 3 + 1);
    const show = serverWith(all);
    let window = done(await readAround(show, "s", 2000)).value;
    while (window.after !== null) {
      window = done(await readEarlier(show, "s", { known: window, enough: 100 })).value;
      expect(seqs(window.events)).toEqual(contiguous(all, window.events));
    }
    while (window.more) {
      const after = window.events.at(-1)?.seq ?? null;
      window = done(await readNextPage(show, "s", { known: window, after })).value;
    }
    expect(seqs(window.events)).toEqual(all);
  });

  it("takes the newer reading of an event that is read again", async () => {
    const before = done(await readAround(serverWith([1, 2]), "s", null)).value;
    const later = serverWith([1, 2, 3], "ok");
    const after = done(await readNextPage(later, "s", { known: before, after: null })).value;
    expect(after.events.map(({ outcome }) => outcome)).toEqual(["ok", "ok", "ok"]);
  });

  it("passes on what the server refused", async () => {
    const problem = { code: "not-found", message: "no such session", hint: null };
    const refusing: ShowSession = async () => ({ kind: "failed", problem });
    expect(await readAround(refusing, "s", 3)).toEqual({ kind: "failed", problem });
  });

  it("covers nothing before anything was read", () => {
    expect(isSeqInWindow(emptyWindow, 1)).toBe(false);
  });
});

function serverWith(numbers: readonly number[], outcome: SessionEvent["outcome"] = null): ShowSession {
  return async ({ limit = 50, after = 0 }) => {
    const rest = numbers.filter((seq) => seq > after);
    const events = rest.slice(0, limit).map((seq) => ({ ...blank, id: seq, seq, outcome }));
    const value: EventPage = { session, events, more: rest.length > limit, next: null };
    return { kind: "done", value };
  };
}

function done<T>(result: { kind: "done"; value: T } | { kind: "failed" }): { value: T } {
  if (result.kind === "failed") throw new Error("expected an answer");
  return result;
}

function dense(n: number): readonly number[] {
  return Array.from({ length: n }, (_, index) => index + 1);
}

function seqs(events: readonly SessionEvent[]): readonly number[] {
  return events.map(({ seq }) => seq);
}

function contiguous(all: readonly number[], events: readonly SessionEvent[]): readonly number[] {
  const start = all.indexOf(events[0]?.seq ?? -1);
  return all.slice(start, start + events.length);
}

const session: Session = {
  id: "s",
  host: "codex",
  title: null,
  workspace: null,
  cwd: null,
  model: null,
  startedAt: "2026-01-01T00:00:00Z",
  lastAt: "2026-01-01T00:00:00Z",
  events: 0,
  failures: 0,
  live: false,
  ended: null,
};

const blank: Omit<SessionEvent, "id" | "seq" | "outcome"> = {
  at: "2026-01-01T00:00:00Z",
  kind: "call",
  tool: "Bash",
  summary: "ls",
  input: null,
  benign: false,
  error: null,
  signature: null,
  durationMs: null,
  text: null,
};

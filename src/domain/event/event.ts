import type { Outcome } from "./outcome.ts";

export const eventKinds = ["session-start", "prompt", "answer", "call", "correction", "stop", "session-end"] as const;
export type EventKind = (typeof eventKinds)[number];

/** One observed thing, as it goes into the store: already redacted and capped. */
export interface NewEvent {
  readonly host: string;
  readonly session: string;
  /** Tells the event from every other of its session; the same one arriving twice is stored once. */
  readonly uid: string;
  /** Its place in the session where the source counts; otherwise its own number serves. */
  readonly seq: number | null;
  readonly at: number;
  readonly kind: EventKind;
  readonly workspace: string | null;
  readonly cwd: string | null;
  readonly tool: string | null;
  /** What a shell call is about: `git push`, `npm test`. */
  readonly head: string | null;
  readonly input: unknown;
  /** The host's own flag, for calls; what it means is read later (`readCall`). */
  readonly ok: boolean | null;
  /** Null for what is no call, and for a call nobody has read yet. */
  readonly outcome: Outcome | null;
  readonly benign: boolean;
  readonly exitCode: number | null;
  readonly error: string | null;
  readonly signature: string | null;
  /** A prompt's words, a correction's, or the beginning of a result. */
  readonly text: string | null;
  readonly model: string | null;
  /** The sub-agent that acted, if one did. */
  readonly agent: string | null;
  readonly durationMs: number | null;
  /** Of the host, where it tells. It is kept with the session, not with the event. */
  readonly hostVersion?: string;
}

export interface Event extends Omit<NewEvent, "seq" | "hostVersion"> {
  readonly id: number;
  readonly seq: number;
}

/** How an event is cited: by the host's own session and place in it. */
export interface Ref {
  readonly session: string;
  readonly seq: number;
}

export function isFailure(event: Pick<Event, "outcome" | "benign">): boolean {
  return event.outcome === "failed" && !event.benign;
}

/** The order in which things happened. A call that was read late from a transcript is stored behind the stop that followed it. */
export function compareByTime(a: Pick<Event, "at" | "seq" | "id">, b: Pick<Event, "at" | "seq" | "id">): number {
  return a.at - b.at || a.seq - b.seq || a.id - b.id;
}

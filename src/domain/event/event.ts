import type { Outcome } from "./outcome.ts";

export const eventKinds = ["session-start", "prompt", "answer", "call", "correction", "stop", "session-end"] as const;
export type EventKind = (typeof eventKinds)[number];

/** One observed event before it is stored, already redacted and capped. */
export interface NewEvent {
  readonly host: string;
  readonly session: string;
  /** Unique within the session; an event that arrives twice is stored once. */
  readonly uid: string;
  /** Its position in the session; null if the source gives none. */
  readonly seq: number | null;
  readonly at: number;
  readonly kind: EventKind;
  readonly workspace: string | null;
  readonly cwd: string | null;
  readonly tool: string | null;
  /** The main command of a shell call: `git push`, `npm test`. */
  readonly head: string | null;
  readonly input: unknown;
  /** The host's flag for a call; `readCall` interprets it later. */
  readonly ok: boolean | null;
  /** Null if it is not a call, or a call that is not read yet. */
  readonly outcome: Outcome | null;
  readonly benign: boolean;
  readonly exitCode: number | null;
  readonly error: string | null;
  readonly signature: string | null;
  /** The text of a prompt or correction, or the beginning of a result. */
  readonly text: string | null;
  readonly model: string | null;
  /** The sub-agent that acted, or null. */
  readonly agent: string | null;
  readonly durationMs: number | null;
  /** The host's version, if known. Stored with the session, not with the event. */
  readonly hostVersion?: string;
}

export interface Event extends Omit<NewEvent, "seq" | "hostVersion"> {
  readonly id: number;
  readonly seq: number;
}

/** A reference to an event: the host's session and the position in it. */
export interface Ref {
  readonly session: string;
  readonly seq: number;
}

export function isFailure(event: Pick<Event, "outcome" | "benign">): boolean {
  return event.outcome === "failed" && !event.benign;
}

/**
 * Orders events by time. Ids are not enough: a call read late from a transcript is stored after the stop that followed
 * it.
 */
export function compareByTime(a: Pick<Event, "at" | "seq" | "id">, b: Pick<Event, "at" | "seq" | "id">): number {
  return a.at - b.at || a.seq - b.seq || a.id - b.id;
}

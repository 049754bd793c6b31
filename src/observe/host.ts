import type { NewEvent } from "../domain/event.ts";
import type { Policy } from "../domain/policy.ts";
import type { Clock } from "../lib/clock.ts";
import type { Db } from "../store/db.ts";
import type { Answer, Moment, Seen } from "./seen.ts";

/** A product whose agent we observe: one folder, one line in the list. */
export interface Host {
  readonly name: string;
  readonly title: string;
  /** Whether it was run against the real product; else all that is known of it is its documentation. */
  readonly verified: boolean;
  /** Loaded for the one host that fired: what the others need costs this one nothing. */
  wire(): Promise<Wire>;
  /** Loaded only by who installs or imports: a hook needs neither. */
  setup(): Promise<Setup>;
}

/** The hook's protocol. Never throws on a payload it does not understand: what cannot be read is nothing seen. */
export interface Wire {
  readonly hears: Hearing;
  decode(payload: unknown, env: Readonly<Record<string, string | undefined>>): readonly Seen[];
  /** What to print; empty prints nothing. */
  encode(seen: Seen, answer: Answer): string;
  /**
   * What to print where there is nothing to say, for a host that takes nothing for a no. It is said whatever became of
   * us, so the payload may be one that was not understood, or undefined where it could not be read at all.
   */
  silence?(payload: unknown): string;
  /** Brings in what no hook tells, from the host's own record of the session. Takes a bounded time, and goes on from there the next time. */
  catchUp?(world: CatchUpWorld, seen: Seen): Promise<void>;
}

/**
 * Where a text reaches the host's model, and how many characters of it. What is due at a moment that is not here waits
 * for the next that is.
 */
export type Hearing = Readonly<Partial<Record<Moment, number>>>;

/** Longer than anything that is said, for hosts of which no bound is known. */
export const UNBOUNDED = 40_000;

/** Whether something may be waiting: then a call is looked at although it went well. */
export function waits(hears: Hearing): boolean {
  return !hears["session-start"] || !hears.prompt || !hears.stop;
}

export interface CatchUpWorld {
  readonly db: Db;
  readonly clock: Clock;
  readonly policy: Policy["observe"];
}

export interface Setup {
  /** Whether the product seems to be on this machine, and where its files are. */
  find(place: Place): Found | null;
  /** What installing would write, as whole files: shown first, then written by one hand. */
  plan(place: Place): readonly PlannedFile[];
  /** A file's text without what installing put there, for files that others wrote to since. Null: it cannot be read. */
  without?(text: string): string | null;
  /** What only the host knows about hooks of ours that are installed: that its user has yet to allow them, say. */
  findings?(place: Place): readonly Finding[];
  /** Transcripts that are there to be imported, oldest first. */
  transcripts(place: Place): readonly string[];
  /** Whether a file that begins with this record is one of them. */
  isTranscript?(first: Readonly<Record<string, unknown>>): boolean;
  /** Reads one line or record of a transcript after the other. */
  readTranscript(path: string, policy: Policy["observe"]): AsyncIterable<TranscriptItem>;
}

export type TranscriptItem = Omit<NewEvent, "workspace">;

export interface Place {
  /** The user's home folder. */
  readonly userHome: string;
  /** The mind's home: what a host needs to run us may be put there. */
  readonly home: string;
  /** One repository only, instead of everywhere. */
  readonly project: string | null;
  /** The program and its arguments that a hook runs. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

export interface Found {
  readonly version: string | null;
  readonly folder: string;
}

/** A file as it shall be. `before` is what is there now; null where there is none. */
export interface PlannedFile {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly why: string;
}

/** Something to tell about how things stand; `hint` is what to do about it. */
export interface Finding {
  readonly level: "ok" | "note" | "problem";
  readonly what: string;
  readonly hint: string | null;
}

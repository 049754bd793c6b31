import { sinceStart } from "../../lib/clock.ts";
import { withTimeout } from "../../lib/with-timeout.ts";

/** The limit for a store that is too slow: a locked table, a hanging connection. The host must not wait longer. */
export const PATIENCE_MS = 200;

/** A server behind a network needs several round trips: four to connect, about as many for a call that a rule matches. */
export const SERVER_PATIENCE_MS = 600;
/** Also on a busy machine no call waits longer for a server: the local copy of the rules decides then. */
const MOST_SERVER_MS = 1_000;

/** A server behind a network needs many round trips for the text of a session start, which is read once per session. */
const SERVER_START_PATIENCE_MS = 1_000;

/** Time for mining at session start and after a turn, and the minimum at session end. No tool call waits for it. */
export const LEARNING_SLICE = { ms: 150, graceMs: 100 } as const;
/** When no host waits for the slice, a slow store may take longer. */
export const IDLE_LEARNING_SLICE = { ms: 150, graceMs: 10_000 } as const;

export function withinPatience<T>(work: Promise<T>, ms: number): Promise<T> {
  return withTimeout(work, ms, () => new StoreTooSlow("the store takes too long"));
}

export class StoreTooSlow extends Error {}

/** Hosts wait longest at session end, so even a store behind a slow connection can be reached then. */
const END_PATIENCE_MS = 500;

export interface Wait {
  readonly at: "start" | "end" | "other";
  /** True if the store is a server, false for a file. */
  readonly isServer: boolean;
  /** How many times slower than usual the machine is now. */
  readonly slowness: number;
  /** True if the server has hung lately: most hooks then wait no longer than for a file. */
  readonly hasHung?: boolean | undefined;
}

/**
 * How long a hook waits for the store. The limit is for a store that hangs: where everything takes longer, because the
 * machine is busy, so does a store that works.
 */
export function patienceFor({ at, isServer, slowness, hasHung = false }: Wait): number {
  const atCall = isServer && !hasHung ? SERVER_PATIENCE_MS : PATIENCE_MS;
  const quiet = at === "end" ? END_PATIENCE_MS : at === "start" && isServer ? SERVER_START_PATIENCE_MS : atCall;
  const patience = scalePatience(quiet, slowness);
  return at === "other" && isServer ? Math.min(patience, MOST_SERVER_MS) : patience;
}

/** Where everything takes longer, because the machine is busy. */
export function scalePatience(quietMs: number, slowness: number): number {
  return Math.round(quietMs * Math.min(MOST_SLOWNESS, Math.max(1, slowness)));
}

const MOST_SLOWNESS = 4;

/** For a process that handles one call, before it waits for anything: its own start shows how busy the machine is. */
export function measureSlowness(): number {
  return sinceStart() / USUAL_START_MS;
}

/** What a hook's start takes on a quiet machine, with room to spare. */
const USUAL_START_MS = 100;

/** The host waits for the whole process: if its start was slow, less time is left for waiting on other writers. */
export function remainingPatience(busyMs: number): number {
  return Math.min(busyMs, Math.max(LEAST_MS, WHOLE_MS - sinceStart()));
}

const WHOLE_MS = 200;
const LEAST_MS = 20;

import { plural } from "../lib/text.ts";
import { readUnreached, UNREACHED_DAYS } from "../lib/unreached.ts";

/** The hooks of the last days that the server did not answer in time, on this machine. */
export interface UnreachedSummary {
  readonly days: number;
  readonly hooks: number;
  /** Calls that the local copy of the rules stopped, and those that it let pass. */
  readonly stopped: number;
  readonly passed: number;
  /** Calls that ran unjudged, because the copy was missing, too old or damaged. */
  readonly unjudged: number;
  readonly slow: number;
  readonly refused: number;
  readonly failed: number;
  /** The same in a sentence; null if there were none. */
  readonly text: string | null;
}

export function summariseUnreached(home: string, now: number): UnreachedSummary {
  const { total, kinds, reasons } = readUnreached(home, now);
  const unjudged = kinds.missing + kinds.old + kinds.damaged;
  const counts = { days: UNREACHED_DAYS, hooks: total, stopped: kinds.stopped, passed: kinds.passed, unjudged };
  const listed = (parts: readonly (readonly [number, string])[]) =>
    parts.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`])).join(", ");
  const why = listed([
    [reasons.slow, "too slow"],
    [reasons.refused, "refused"],
    [reasons.failed, "failed"],
  ]);
  const came = listed([
    [kinds.stopped, "stopped by the local copy of the rules"],
    [kinds.passed, "judged by it and passed"],
    [kinds.missing, "unjudged for want of a copy"],
    [kinds.old, "unjudged because the copy was too old"],
    [kinds.damaged, "with a damaged copy"],
    [kinds.unsaid, "at other moments, with nothing said"],
  ]);
  const text = `the database did not answer ${plural(total, "hook")} in the last ${UNREACHED_DAYS} days (${why}): ${came}`;
  return { ...counts, ...reasons, text: total === 0 ? null : text };
}

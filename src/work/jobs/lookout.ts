import { ATTENDED_MS } from "../../domain/work/slot.ts";
import { SECOND } from "../../lib/clock.ts";

/** What a worker knows of times in which it could not look for due slots. */
export interface Lookout {
  /** Why nobody looked at that time; null if this worker cannot know, because it was not there. */
  absenceAt(time: number): string | null;
  /** True if it knows, however short ago that time is, that it could not look then. */
  wasBlind(time: number, now: number): boolean;
  /** True if it has not looked for a while. */
  wasAway(now: number): boolean;
  /** It looked, at this time. */
  looked(now: number): void;
  /** The store did not answer. */
  lostStore(): void;
}

/** `waitedSince`: it has waited for the store since then. */
export function newLookout(waitedSince: number | null): Lookout {
  let lookedAt = waitedSince;
  let hasStore = waitedSince === null;
  return {
    absenceAt: (time) => {
      if (lookedAt === null || time <= lookedAt) return null;
      return hasStore ? "the worker did not run then: its machine slept, or it was stopped" : "the database was away";
    },
    // What a worker finds with its first look is from before its start.
    wasBlind: (time, now) => (lookedAt === null ? now - time > SECOND : !hasStore && time > lookedAt),
    wasAway: (now) => lookedAt !== null && now - lookedAt > ATTENDED_MS,
    looked: (now) => {
      lookedAt = now;
      hasStore = true;
    },
    lostStore: () => {
      hasStore = false;
    },
  };
}

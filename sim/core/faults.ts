import type { Random } from "../../src/lib/random.ts";

/** How often things go wrong in one run. Each run has only some kinds of faults, so that each kind is seen alone too. */
export interface Faults {
  /** A call to the store fails, and had no effect. */
  readonly failBefore: number;
  /** It fails, but had its effect: the answer was lost. */
  readonly failAfter: number;
  /** The disk is full for one call. */
  readonly diskFull: number;
  /** A request or an answer takes up to `slowMs`. */
  readonly slow: number;
  readonly slowMs: number;
  /** A message between processes is lost, or arrives twice. */
  readonly lostMessage: number;
  readonly doubledMessage: number;
  readonly modelFails: number;
  readonly modelRefuses: number;
  /** Times in a run. */
  readonly crashes: number;
  readonly pauses: number;
  readonly jumps: number;
}

export const noFaults: Faults = {
  failBefore: 0,
  failAfter: 0,
  diskFull: 0,
  slow: 0,
  slowMs: 0,
  lostMessage: 0,
  doubledMessage: 0,
  modelFails: 0,
  modelRefuses: 0,
  crashes: 0,
  pauses: 0,
  jumps: 0,
};

export function drawFaults(random: Random, leaseMs: number): Faults {
  const rate = (most: number) => (random() < 0.5 ? 0 : random() * most);
  const times = (most: number) => (random() < 0.4 ? 0 : 1 + Math.floor(random() * most));
  return {
    failBefore: rate(0.06),
    failAfter: rate(0.06),
    diskFull: rate(0.03),
    slow: rate(0.1),
    slowMs: leaseMs * 1.5,
    lostMessage: rate(0.5),
    doubledMessage: rate(0.5),
    modelFails: rate(0.3),
    modelRefuses: rate(0.1),
    crashes: times(3),
    pauses: times(3),
    jumps: times(2),
  };
}

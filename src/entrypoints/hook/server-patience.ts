import { PATIENCE_MS, scalePatience } from "./patience.ts";

/**
 * How long a hook waits in all for a server to which it has connected: a near one that takes this long hangs. `connectMs` is what
 * connecting took, `patienceMs` the most.
 */
export function patienceAfterConnecting(connectMs: number, patienceMs: number, slowness: number): number {
  return Math.min(patienceMs, Math.max(scalePatience(PATIENCE_MS, slowness), Math.round(FOLLOWING * connectMs)));
}

/** A call that many rules match needs up to four times as many round trips as connecting does. */
const FOLLOWING = 5;

import type { CauseKind } from "./patterns.ts";

/** Nobody is signed in, or may not do it: with another command that is no different. */
export function isOfPerson(kind: CauseKind | null): boolean {
  return kind === "not-signed-in" || kind === "no-permission";
}

/** Where the error does not say so, or speaks of the moment, the values that a call was given are not what was wrong with it. */
export function isOfValues(kind: CauseKind | null): boolean {
  return kind !== null && !isOfPerson(kind) && !moments.has(kind);
}

const moments: ReadonlySet<CauseKind> = new Set(["not-running", "network-failed", "timed-out", "port-in-use"]);

/** It says nothing of the call: the same may work at any other moment. */
export function isOfNetwork(kind: CauseKind | null): boolean {
  return kind === "network-failed";
}

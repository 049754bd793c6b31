import type { CauseKind } from "./patterns.ts";

/** Nobody is signed in, or they may not do it: another command would fail too. */
export function isOfPerson(kind: CauseKind | null): boolean {
  return kind === "not-signed-in" || kind === "no-permission";
}

/** Whether the values that a call was given may be what was wrong: not where the cause is unknown, the person's, or of the moment. */
export function isOfValues(kind: CauseKind | null): boolean {
  return kind !== null && !isOfPerson(kind) && !moments.has(kind);
}

const moments: ReadonlySet<CauseKind> = new Set(["not-running", "network-failed", "timed-out", "port-in-use"]);

/** It says nothing about the call: the same call may work later. */
export function isOfNetwork(kind: CauseKind | null): boolean {
  return kind === "network-failed";
}

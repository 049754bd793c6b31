import type { CauseKind } from "./patterns.ts";

/** True if the user is not signed in or lacks permission: another command would fail too. */
export function isOfPerson(kind: CauseKind | null): boolean {
  return kind === "not-signed-in" || kind === "no-permission" || kind === "forbidden";
}

/** True if the call's values may be what was wrong. False if the cause is unknown, is the user's, or is temporary. */
export function isOfValues(kind: CauseKind | null): boolean {
  return kind !== null && !isOfPerson(kind) && !moments.has(kind);
}

const moments: ReadonlySet<CauseKind> = new Set([
  "not-running",
  "network-failed",
  "timed-out",
  "port-in-use",
  "locked",
]);

/** Says nothing about the call: the same call may work later. */
export function isOfNetwork(kind: CauseKind | null): boolean {
  return kind === "network-failed";
}

/** True if the cause passes by itself or lies in one name. A rule about it says what happened and stops no call. */
export function isPassing(kind: CauseKind | null): boolean {
  return kind === "locked" || kind === "branch-exists";
}

/** True if the cause is a state outside of the call, which somebody can repair while the session runs. */
export function isOfState(kind: CauseKind | null): boolean {
  return kind === "not-running" || kind === "not-signed-in" || kind === "no-environment";
}

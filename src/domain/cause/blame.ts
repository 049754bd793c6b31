import type { CauseKind } from "./patterns.ts";

/** Nobody is signed in, or may not do it: with another command that is no different. */
export function isOfPerson(kind: CauseKind | null): boolean {
  return kind === "not-signed-in" || kind === "no-permission";
}

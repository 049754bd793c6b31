import { plainPath } from "../../domain/shell/plain-path.ts";
import type { GroupTry } from "./find-causes.ts";

/** The path that a program which reads files did not find, if the call named it. */
export function findMissedPath({ failed, cause, head, traits }: GroupTry): string | null {
  if (!failed || cause?.kind !== "missing-path" || cause.thing === null || !fileReaders.has(head ?? "")) return null;
  const path = plainPath(cause.thing, head);
  return traits.has(`arg ${path}`) ? path : null;
}

export const fileReaders: ReadonlySet<string> = new Set(
  "cat head tail less more nl wc bat grep egrep fgrep rg ugrep sed awk jq stat file".split(" "),
);

/** The one path that all of these calls missed, if something besides it distinguishes them. */
export function findSharedPath(failures: readonly GroupTry[]): string | null {
  const [path, ...others] = new Set(failures.map(findMissedPath));
  if (path == null || others.length > 0) return null;
  const isPlain = (one: GroupTry) =>
    one.traits.has(`call ${one.head} ${path}`) || one.traits.has(`call ${one.head} ./${path}`);
  return new Set(failures.map((one) => one.head)).size > 1 || !failures.every(isPlain) ? path : null;
}

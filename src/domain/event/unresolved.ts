import { isShellTool } from "../shell/command.ts";
import { shellTextOf } from "../shell/shell-text.ts";
import { isFailure } from "./event.ts";
import { type Call, purposeOfHead, recoveriesIn } from "./recovery.ts";

/** The failures in a session's calls after which nothing that worked took their place: each kind once, the latest of it. */
export function unresolvedIn<T extends Call & { readonly signature: string | null }>(
  calls: readonly T[],
): readonly T[] {
  const recovered = new Set(recoveriesIn(calls).map((one) => one.failure));
  const heads = calls.map((call, at) => ({ at, words: call.outcome === "ok" ? wordsOf(call) : [] }));
  const workedLast = new Map<string, number>();
  for (const [at, call] of calls.entries()) if (call.outcome === "ok") workedLast.set(deedOf(call), at);
  const open = new Map<string, T>();
  for (const [at, call] of calls.entries()) {
    if (!isFailure(call)) continue;
    const kind = call.signature ?? deedOf(call);
    open.delete(kind);
    if (recovered.has(call.id) || (workedLast.get(deedOf(call)) ?? -1) > at) continue;
    const words = wordsOf(call);
    if (!heads.some((later) => later.at > at && isAlike(words, later.words))) open.set(kind, call);
  }
  return [...open.values()];
}

/**
 * Whether a command that worked seems to do what one that failed was for, though it is another: `npm run tests` and `npm run
 * test:unit`, `rtk bun` and `bun run test`. Rather too often than too seldom: what is said of a session must be true.
 */
function isAlike(failed: readonly string[], worked: readonly string[]): boolean {
  const [program, ...rest] = failed;
  const [other, ...others] = worked;
  if (program === undefined || other === undefined) return false;
  if (program !== other) return rest[0] === other;
  return rest.length === 0 || rest.some((word) => others.some((one) => isLike(word, one)));
}

/** `tests` and `test`; not `a` and `apply`. */
function isLike(a: string, b: string): boolean {
  return a === b || (Math.min(a.length, b.length) >= 3 && (a.startsWith(b) || b.startsWith(a)));
}

/** The program and the names that follow it, each by its parts. */
function wordsOf(call: Pick<Call, "tool" | "head">): readonly string[] {
  if (call.tool === null || !isShellTool(call.tool) || call.head === null) return [];
  return purposeOfHead(call.head)
    .split(/[\s:._-]+/)
    .filter(Boolean);
}

/** The same call again, whatever its host wrote beside it. */
function deedOf(call: Pick<Call, "tool" | "input">): string {
  const shell = call.tool !== null && isShellTool(call.tool) ? shellTextOf(call.input) : null;
  return JSON.stringify([call.tool, shell ?? call.input]);
}

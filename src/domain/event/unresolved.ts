import { isShellTool } from "../shell/command.ts";
import { shellTextOf } from "../shell/shell-text.ts";
import { isFailure } from "./event.ts";
import { type Call, recoveriesIn } from "./recovery.ts";

/** The failures in a session's calls after which nothing that worked took their place: each kind once, the latest of it. */
export function unresolvedIn<T extends Call & { readonly signature: string | null }>(
  calls: readonly T[],
): readonly T[] {
  const recovered = new Set(recoveriesIn(calls).map((one) => one.failure));
  const workedLast = new Map<string, number>();
  for (const [at, call] of calls.entries()) if (call.outcome === "ok") workedLast.set(deedOf(call), at);
  const open = new Map<string, T>();
  for (const [at, call] of calls.entries()) {
    if (!isFailure(call)) continue;
    const kind = call.signature ?? deedOf(call);
    open.delete(kind);
    if (!recovered.has(call.id) && (workedLast.get(deedOf(call)) ?? -1) < at) open.set(kind, call);
  }
  return [...open.values()];
}

/** The same call again, whatever its host wrote beside it. */
function deedOf(call: Pick<Call, "tool" | "input">): string {
  const shell = call.tool !== null && isShellTool(call.tool) ? shellTextOf(call.input) : null;
  return JSON.stringify([call.tool, shell ?? call.input]);
}

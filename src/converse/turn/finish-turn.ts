import { OldhandError } from "../../lib/errors.ts";
import { NO_RESULT, openCalls, openTurn } from "./active-entries.ts";
import { runTurn, type TurnMessage } from "./run-turn.ts";
import type { EntryLog, TurnEnd, TurnParts } from "./turn-parts.ts";

/** Runs a turn to its end. A store or a model that cannot be used ends it; what is stored stays. */
export async function finishTurn(parts: TurnParts, message: TurnMessage): Promise<TurnEnd> {
  let end: TurnEnd;
  let error: unknown;
  try {
    end = await runTurn(parts, message);
  } catch (caught) {
    error = caught;
    const hint = caught instanceof OldhandError && caught.hint !== undefined ? ` (${caught.hint})` : "";
    const message = `${caught instanceof Error ? caught.message : String(caught)}${hint}`;
    end = { reason: "failed", message, ...(caught instanceof OldhandError ? { code: caught.code } : {}) };
  }
  const turn = await closeTurn(parts.log, end, { closed: "stopped" });
  parts.emit({ kind: "turn-end", turn: turn ?? 0, ...end });
  // A bug is not an end that a person can do something about.
  if (error !== undefined && !(error instanceof OldhandError)) throw error;
  return end;
}

/** Closes the calls without a result, and the turn. Null if no turn is open, or the store takes nothing any more. */
export async function closeTurn(
  log: EntryLog,
  end: TurnEnd,
  { closed, text = NO_RESULT }: { readonly closed: "died" | "stopped"; readonly text?: string | undefined },
): Promise<number | null> {
  const turn = openTurn(log.entries());
  if (turn === null) return null;
  try {
    for (const { id, name } of openCalls(log.entries())) {
      const result = { ok: false, text, exitCode: null, diff: null, closed, ms: 0 } as const;
      await log.append({ kind: "tool", turn, id, name, ...result });
    }
    await log.append({ kind: "turn-end", turn, reason: end.reason, message: end.message });
  } catch (error) {
    // When the session is opened again, the turn is closed as one that died.
    if (!(error instanceof OldhandError)) throw error;
  }
  return turn;
}

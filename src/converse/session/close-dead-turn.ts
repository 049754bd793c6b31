import type { Context } from "../../context.ts";
import { expireQuestionsOf } from "../../store/chat/approvals.ts";
import { closeTurn } from "../turn/finish-turn.ts";
import type { EntryLog } from "../turn/turn-parts.ts";

/**
 * Closes the turn in which an earlier process ended, if there is one. The caller has the session's lease, so nobody waits
 * for an answer any more: a question that was left behind is closed too, and its call is known not to have run.
 */
export async function closeDeadTurn({ db }: Pick<Context, "db">, log: EntryLog): Promise<void> {
  const wasAsking = (await expireQuestionsOf(db, log.session().id)) > 0;
  await closeTurn(log, DIED, { closed: "died", text: wasAsking ? NOT_ANSWERED : undefined });
}

/** How a turn ended whose process was killed. */
export const DIED = { reason: "died", message: "The process ended in the middle of this turn." } as const;

const NOT_ANSWERED = "Not run: the process ended while a question waited for an answer.";

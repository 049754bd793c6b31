import type { Context } from "../../context.ts";
import { DIED } from "../../converse/session/close-dead-turn.ts";
import { isSessionLeft } from "../../converse/session/session-lease.ts";
import { type TurnEndReason, turnEndReasons } from "../../converse/turn/entry.ts";
import { AGENT_HOST } from "../../domain/event/agent-session.ts";
import { isRecord, tryParseJson } from "../../lib/json.ts";
import { oneLine } from "../../lib/text.ts";
import { listLastChatEntries } from "../../store/chat/chat-entries.ts";
import type { SessionKey } from "../../store/events/around-session.ts";

interface LastTurnEnd {
  readonly reason: TurnEndReason;
  readonly message: string | null;
}

/** How the last turn of each session of oldhand's own agent ended; null for other sessions. */
export async function readTurnEnds({ db, clock }: Pick<Context, "db" | "clock">, sessions: readonly SessionKey[]) {
  const own = sessions.filter(({ host }) => host === AGENT_HOST).map(({ id }) => id);
  const ends = new Map<string, LastTurnEnd>();
  const seqs = new Map<string, number>();
  for (const { session, seq, data } of await listLastChatEntries(db, own, "turn-end")) {
    seqs.set(session, seq);
    const end = tryParseJson(data);
    const reason = isRecord(end) ? turnEndReasons.find((one) => one === end["reason"]) : undefined;
    const message = isRecord(end) && typeof end["message"] === "string" ? end["message"] : null;
    if (reason !== undefined) ends.set(session, { reason, message });
  }
  // A turn that nobody has closed: its process runs, or was killed. It is closed when the session is opened again.
  for (const { session, seq } of await listLastChatEntries(db, own, "user"))
    if (seq > (seqs.get(session) ?? 0) && (await isSessionLeft({ db, clock }, session))) ends.set(session, DIED);
  return ({ host, id }: SessionKey): LastTurnEnd | null => (host === AGENT_HOST ? (ends.get(id) ?? null) : null);
}

/** A line below a session whose last message has no answer. */
export function formatUnanswered({ ended }: { readonly ended: LastTurnEnd | null }): string {
  if (ended === null || ended.reason === "done") return "";
  const why = ended.message === null ? ends[ended.reason] : oneLine(ended.message, 160);
  return `\n    the last message has no answer: ${why}`;
}

const ends: Readonly<Record<Exclude<TurnEndReason, "done">, string>> = {
  stopped: "you stopped the turn",
  budget: "the turn used its steps",
  capped: "a cap stopped the turn",
  failed: "no model answered",
  handoff: "the context is full",
  died: "the process ended during the turn",
};

import { AGENT_HOST } from "../../domain/event/agent-session.ts";
import type { Db } from "../engine/db.ts";
import { buildAgentCondition } from "./searchable-events.ts";

/** One completion of a named agent: the two events that were stored for it. */
export interface AgentExchange {
  /** Of the model call. */
  readonly call: string;
  readonly session: string;
  readonly at: number;
  readonly prompt: string;
  readonly answer: string;
}

/** How the events of a call are named within their session. */
export function exchangeUids(call: string): { readonly prompt: string; readonly answer: string } {
  return { prompt: `prompt:${call}`, answer: `answer:${call}` };
}

/** The call that an event of an exchange belongs to; null if it is another event. */
export function callOfUid(uid: string): string | null {
  return /^(?:prompt|answer):(.+)$/.exec(uid)?.[1] ?? null;
}

/** Those of which both events are there, in the order of the calls. */
export async function getExchanges(
  db: Db,
  calls: readonly { readonly session: string; readonly call: string }[],
): Promise<readonly AgentExchange[]> {
  const found: AgentExchange[] = [];
  for (const { session, call } of calls) {
    const uids = exchangeUids(call);
    const rows = await db.all<{ uid: string; at: number; text: string | null }>(
      `select uid, at, text from events where session = ? and host = '${AGENT_HOST}' and uid in (?, ?)`,
      [session, uids.prompt, uids.answer],
    );
    const prompt = rows.find((row) => row.uid === uids.prompt);
    const answer = rows.find((row) => row.uid === uids.answer);
    if (prompt?.text && answer?.text) found.push({ call, session, at: prompt.at, prompt: prompt.text, answer: answer.text });
  }
  return found;
}

/** The newest texts that an agent was asked and answered, newest first: those a search by meaning must know. */
export function listNewestAgentTexts(
  db: Db,
  agent: string,
  limit: number,
): Promise<{ readonly id: number; readonly text: string }[]> {
  const { sql, values } = buildAgentCondition(agent);
  return db.all(
    `select id, text from events where ${sql} and kind in ('prompt', 'answer') and text is not null
     order by id desc limit ?`,
    [...values, limit],
  );
}

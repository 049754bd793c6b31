import { AGENT_HOST } from "../../domain/event/agent-session.ts";
import { tryParseJson } from "../../lib/json.ts";
import type { Db } from "../engine/db.ts";
import { buildAgentCondition } from "./searchable-events.ts";

/** One completion of a named agent: the two events that were stored for it. */
export interface AgentExchange {
  /** Of the model call. */
  readonly call: string;
  readonly session: string;
  readonly at: number;
  readonly prompt: string;
  /** The data that came with the prompt; null if there was none. */
  readonly context: unknown;
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
    const rows = await db.all<{ uid: string; at: number; text: string | null; input: string | null }>(
      `select uid, at, text, input from events where session = ? and host = '${AGENT_HOST}' and uid in (?, ?)`,
      [session, uids.prompt, uids.answer],
    );
    const prompt = rows.find((row) => row.uid === uids.prompt);
    const answer = rows.find((row) => row.uid === uids.answer);
    if (!prompt?.text || !answer?.text) continue;
    const context = prompt.input === null ? null : tryParseJson(prompt.input);
    found.push({ call, session, at: prompt.at, prompt: prompt.text, context, answer: answer.text });
  }
  return found;
}

/** All calls of an agent with the same prompt, data and answer: the response cache repeats answers. */
export async function listEqualCalls(
  db: Db,
  agent: string,
  { prompt, context, answer }: Pick<AgentExchange, "prompt" | "context" | "answer">,
): Promise<readonly string[]> {
  const { sql, values } = buildAgentCondition(agent);
  const rows = await db.all<{ uid: string; session: string; kind: string; input: string | null }>(
    `select uid, session, kind, input from events
     where ${sql} and ((kind = 'prompt' and text = ?) or (kind = 'answer' and text = ?))`,
    [...values, prompt, answer],
  );
  const answers = new Set(rows.filter(({ kind }) => kind === "answer").map(({ uid }) => callOfUid(uid)));
  const data = JSON.stringify(context);
  const prompts = rows.filter(
    ({ kind, input }) => kind === "prompt" && JSON.stringify(input === null ? null : tryParseJson(input)) === data,
  );
  return prompts.flatMap(({ uid }) => callOfUid(uid) ?? []).filter((call) => answers.has(call));
}

/** The newest events in which an agent was asked or answered, newest first: those a search by meaning must know. */
export async function listNewestAgentEvents(db: Db, agent: string, limit: number): Promise<readonly number[]> {
  const { sql, values } = buildAgentCondition(agent);
  const rows = await db.all<{ id: number }>(
    `select id from events where ${sql} and kind in ('prompt', 'answer') order by id desc limit ?`,
    [...values, limit],
  );
  return rows.map((row) => row.id);
}

import type { Context } from "../../context.ts";
import { MINUTE } from "../../lib/clock.ts";
import { findLastChangeId } from "../../store/journal/journal.ts";
import { countBadCalls } from "../../store/models/agent-calls.ts";
import type { AgentRequest } from "./agent-request.ts";
import type { AgentTurn } from "./agent-turns.ts";

/** Changes when a memory does, and when somebody calls an answer of the agent bad. */
export interface MemoryState {
  readonly memories: number;
  readonly bad: number;
}

export async function readMemoryState(
  { db, config }: Pick<Context, "db" | "config">,
  agent: string,
  now: number,
): Promise<MemoryState> {
  const since = now - config.policy.models.responseMinutes * MINUTE;
  const [memories, bad] = await Promise.all([findLastChangeId(db, "memory"), countBadCalls(db, agent, since)]);
  return { memories, bad };
}

/**
 * What must be the same for the cache to repeat an answer: the request, the turns of the session, and all memories. What the agent
 * recalls of other tasks is left out, because it changes with every task. After a bad answer, no earlier cached answer of the
 * agent is repeated.
 */
export function describeEqualRequests(
  { prompt, context, maxTokens }: AgentRequest,
  turns: readonly AgentTurn[],
  state: MemoryState,
): unknown {
  return {
    request: { prompt, context: context ?? null, maxTokens },
    turns: turns.map(({ id }) => id),
    ...state,
  };
}

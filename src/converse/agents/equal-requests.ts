import type { Context } from "../../context.ts";
import { complexityOf } from "../../domain/model/complexity.ts";
import { MINUTE } from "../../lib/clock.ts";
import type { GatewayRequest } from "../../models/gateway/gateway.ts";
import { findCached } from "../../models/gateway/use-response-cache.ts";
import { findLastChangeId } from "../../store/journal/journal.ts";
import { countBadCalls } from "../../store/models/agent-calls.ts";
import type { AgentRequest } from "./agent-request.ts";
import type { AgentTurn } from "./agent-turns.ts";

/**
 * What must be the same for the cache to repeat an answer: the request, the turns of the session, and all memories. What the agent
 * recalls of other tasks is left out, because it changes with every task. After a bad answer, no earlier cached answer of the
 * agent is repeated.
 */
export async function describeEqualRequests(
  { db, config }: Pick<Context, "db" | "config">,
  { agent, prompt, context, maxTokens }: AgentRequest,
  { turns, now }: { readonly turns: readonly AgentTurn[]; readonly now: number },
): Promise<unknown> {
  const since = now - config.policy.models.responseMinutes * MINUTE;
  return {
    request: { prompt, context: context ?? null, maxTokens },
    turns: turns.map(({ id }) => id),
    memories: await findLastChangeId(db, "memory"),
    bad: await countBadCalls(db, agent, since),
  };
}

/** Whether the gateway will answer from its cache, unless the entry expires in between. */
export async function isAnsweredByCache(
  { db, config }: Pick<Context, "db" | "config">,
  request: GatewayRequest,
  now: number,
): Promise<boolean> {
  const complexity = request.complexity ?? complexityOf(request.taskType);
  return (await findCached({ db, config }, request, complexity, now)) !== null;
}

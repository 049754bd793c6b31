import type { Context } from "../../context.ts";
import { AGENT_HOST } from "../../domain/event/agent-session.ts";
import type { NewEvent } from "../../domain/event/event.ts";
import { formatModelRef, type ModelRef } from "../../domain/model/model-ref.ts";
import type { Policy } from "../../domain/policy.ts";
import { blankEvent, redactAndCap, redactAndCapValue } from "../../observe/protocol/to-event.ts";
import { exchangeUids } from "../../store/events/agent-events.ts";
import { appendEvents } from "../../store/events/events.ts";
import { storeAgentTurn } from "./agent-turns.ts";
import type { AgentRequest } from "./agent-request.ts";
import { quoteContext } from "./compose-chat.ts";

/** A request as it is stored: without secrets, and shortened. */
export interface KeptRequest {
  readonly prompt: string;
  readonly context: unknown;
}

export function toKeptRequest(
  { prompt, context }: Pick<AgentRequest, "prompt" | "context">,
  { payloadCharacters }: Policy["observe"],
): KeptRequest {
  return {
    prompt: redactAndCap(prompt, payloadCharacters),
    context: context === undefined || context === null ? null : redactAndCapValue(context, payloadCharacters),
  };
}

export interface FinishedExchange {
  readonly agent: string;
  /** The stored name of the session. */
  readonly session: string;
  readonly call: string;
  readonly asked: KeptRequest;
  readonly askedAt: number;
  /** Without the secrets that were put back into it. */
  readonly response: string;
  readonly model: ModelRef;
}

/**
 * Stores an exchange as two events of the agent's session, so that search, episodes and vectors include it, and as a turn of the
 * agent's working memory. `db` is a transaction: both are stored, or none.
 */
export async function keepExchange(
  ctx: Pick<Context, "db" | "config" | "clock">,
  exchange: FinishedExchange,
): Promise<void> {
  const { agent, session, asked, askedAt, response } = exchange;
  const uids = exchangeUids(exchange.call);
  const answer = redactAndCap(response, ctx.config.policy.observe.payloadCharacters);
  const common: NewEvent = {
    ...blankEvent,
    host: AGENT_HOST,
    session,
    agent,
    model: formatModelRef(exchange.model),
  };
  await appendEvents(ctx.db, [
    { ...common, kind: "prompt", uid: uids.prompt, at: askedAt, text: asked.prompt, input: asked.context },
    { ...common, kind: "answer", uid: uids.answer, at: ctx.clock.now(), text: answer },
  ]);
  const user = [quoteContext(asked.context), asked.prompt].filter((text) => text !== "").join("\n\n");
  await storeAgentTurn(ctx, session, { user, agent: answer });
}

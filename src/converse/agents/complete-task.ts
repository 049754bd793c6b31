import type { Context } from "../../context.ts";
import { agentSessionId } from "../../domain/event/agent-session.ts";
import { formatModelRef } from "../../domain/model/model-ref.ts";
import { newId } from "../../lib/ids.ts";
import type { Gateway, GatewayAnswer, GatewayRequest } from "../../models/gateway/gateway.ts";
import type { AgentAnswer, AgentPiece, AgentRequest } from "./agent-request.ts";
import { type ComposedChat, composeChat } from "./compose-chat.ts";
import { requireAnswered } from "./failed-call.ts";
import { keepExchange, type KeptRequest, toKeptRequest } from "./keep-exchange.ts";
import { noteUsedCaps } from "./note-used-caps.ts";
import { listAgentTurns } from "./agent-turns.ts";
import { describeEqualRequests, isAnsweredByCache } from "./equal-requests.ts";
import { type AgentMemory, recallForAgent } from "./recall-for-agent.ts";

export type AgentContext = Pick<Context, "db" | "config" | "clock" | "models" | "signal" | "report">;

/** Does one task as a named agent: recalls, calls a model, and stores the exchange. Throws an OldhandError if there is no answer. */
export async function completeTask(ctx: AgentContext, gateway: Gateway, request: AgentRequest): Promise<AgentAnswer> {
  const task = await prepareTask(ctx, request);
  return finishTask(ctx, task, await gateway.complete(task.call));
}

/** The same as a stream: yields the pieces, then returns the answer. */
export async function* streamTask(
  ctx: AgentContext,
  gateway: Gateway,
  request: AgentRequest,
): AsyncGenerator<AgentPiece, AgentAnswer> {
  const task = await prepareTask(ctx, request);
  for await (const event of gateway.stream(task.call)) {
    if (event.kind === "text") yield { text: event.text };
    if (event.kind === "restart") {
      const why = event.failure.message;
      yield { restart: { from: formatModelRef(event.from), to: formatModelRef(event.to), why } };
    }
    if (event.kind === "end") return finishTask(ctx, task, event.answer);
  }
  throw new Error("a call ended without an answer");
}

interface AgentTask {
  readonly request: AgentRequest;
  /** The caller's name for the session, and the one it is stored under. */
  readonly session: string;
  readonly storedSession: string;
  readonly startedAt: number;
  readonly asked: KeptRequest;
  readonly composed: ComposedChat;
  readonly call: GatewayRequest;
}

async function prepareTask(ctx: AgentContext, request: AgentRequest): Promise<AgentTask> {
  const startedAt = ctx.clock.now();
  const { agent } = request;
  const session = request.session ?? newId("s", startedAt);
  const storedSession = agentSessionId(agent, session);
  const asked = toKeptRequest(request, ctx.config.policy.observe);
  const { historyCharacters: maxCharacters } = ctx.config.policy.agents;
  const turns = await listAgentTurns(ctx.db, storedSession, { now: startedAt, maxCharacters });
  const withMemory = (recalled: AgentMemory["recalled"]): Pick<AgentTask, "composed" | "call"> => {
    const composed = composeChat(request, { turns, recalled });
    return { composed, call: { ...call, chat: composed.chat } };
  };
  const call: Omit<GatewayRequest, "chat"> = {
    agent,
    session: storedSession,
    taskType: request.taskType,
    complexity: request.complexity,
    preferredProvider: request.preferredProvider,
    useResponseCache: request.cache ?? turns.length === 0,
    cacheBy: await describeEqualRequests(ctx, request, { turns, now: startedAt }),
    mayRestart: request.mayRestart,
    signal: ctx.signal,
  };
  const alone = withMemory([]);
  const task = { request, session, storedSession, startedAt, asked };
  // A cached answer needs no recall, which takes time.
  if (await isAnsweredByCache(ctx, alone.call, startedAt)) return { ...task, ...alone };
  const recalled = await recallForAgent(ctx, { agent, session: storedSession, asked, now: startedAt });
  return { ...task, ...withMemory(recalled) };
}

async function finishTask(ctx: AgentContext, task: AgentTask, answer: GatewayAnswer): Promise<AgentAnswer> {
  requireAnswered(answer);
  await keepExchange(ctx, {
    agent: task.request.agent,
    session: task.storedSession,
    call: answer.call,
    asked: task.asked,
    askedAt: task.startedAt,
    response: answer.text,
    model: answer.model,
  });
  return {
    response: answer.text,
    provider: answer.model.provider,
    model: answer.model.model,
    cost: answer.cost,
    truncated: answer.isCut,
    warnings: [
      ...(answer.isCut ? [`the answer was cut at ${task.request.maxTokens} tokens (maxTokens)`] : []),
      ...(answer.cached ? [] : await noteUsedCaps(ctx, task.request.agent)),
    ],
    cached: answer.cached,
    healed: answer.healed,
    route: answer.route,
    memory: answer.cached ? [] : task.composed.memory,
    call: answer.call,
    session: task.session,
  };
}

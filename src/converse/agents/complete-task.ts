import { describeAnswerLimit } from "../../domain/model/answer-limit.ts";
import type { Context, Progress } from "../../context.ts";
import { agentSessionId } from "../../domain/event/agent-session.ts";
import { formatModelRef } from "../../domain/model/model-ref.ts";
import { formatDollars } from "../../domain/model/money.ts";
import { newId } from "../../lib/ids.ts";
import type { Gateway, GatewayAnswer, GatewayRequest } from "../../models/gateway/gateway.ts";
import { findStoreFailure } from "../../models/gateway/unstored-calls.ts";
import type { AgentAnswer, AgentPiece, AgentRequest } from "./agent-request.ts";
import { type ComposedChat, composeChat } from "./compose-chat.ts";
import { requireAnswered } from "./failed-call.ts";
import { keepExchange, toKeptRequest } from "./keep-exchange.ts";
import { noteUsedCaps } from "./note-used-caps.ts";
import { listAgentTurns } from "./agent-turns.ts";
import { describeEqualRequests, readMemoryState } from "./equal-requests.ts";
import { recallForAgent } from "./recall-for-agent.ts";
import { TICK_MS, watchAttempts, withTicks } from "./watch-attempts.ts";

export interface AgentContext extends Pick<Context, "db" | "config" | "clock" | "models" | "signal" | "report"> {
  /** Brings up to date what recalling reads. */
  prepareRecall(): Promise<void>;
}

/** Does one task as a named agent: recalls, calls a model, and stores the exchange. Throws an OldhandError if there is no answer. */
export async function completeTask(ctx: AgentContext, gateway: Gateway, request: AgentRequest): Promise<AgentAnswer> {
  // The caller sees nothing before the end, so another attempt may start over at any time.
  const pieces = streamTask(ctx, gateway, { ...request, mayRestart: true });
  for (;;) {
    const next = await pieces.next();
    if (next.done === true) return next.value;
    if ("progress" in next.value) ctx.report(next.value.progress);
  }
}

/** The same as a stream: yields the pieces and what is waited for, then returns the answer. */
export async function* streamTask(
  ctx: AgentContext,
  gateway: Gateway,
  request: AgentRequest,
): AsyncGenerator<AgentPiece | { readonly progress: Progress }, AgentAnswer> {
  const stop = new AbortController();
  const signal = AbortSignal.any([ctx.signal, stop.signal]);
  const task = await prepareTask({ ...ctx, signal }, gateway, request);
  const watch = watchAttempts();
  let instead: string | null = null;
  for await (const event of withTicks(gateway.stream(task.call), TICK_MS, () => stop.abort())) {
    const progress = watch(event);
    if (progress !== null) yield { progress };
    if (event.kind === "instead" && event.costsMoney) instead = event.text;
    if (event.kind === "text") yield { text: event.text };
    if (event.kind === "restart") {
      const why = event.failure.message;
      yield { restart: { from: formatModelRef(event.from), to: formatModelRef(event.to), why } };
    }
    if (event.kind === "end") return toAgentAnswer(ctx, task, event.answer, instead);
  }
  throw new Error("a call ended without an answer");
}

interface AgentTask {
  /** The caller's name for the session. */
  readonly session: string;
  /** What was sent; empty as long as nothing was. */
  memory: ComposedChat["memory"];
  readonly call: GatewayRequest;
}

async function prepareTask(ctx: AgentContext, gateway: Gateway, request: AgentRequest): Promise<AgentTask> {
  const startedAt = ctx.clock.now();
  const { agent } = request;
  const session = request.session ?? newId("s", startedAt);
  const storedSession = agentSessionId(agent, session);
  const { prompt, context } = request;
  const clean = await gateway.redact({ agent, session: storedSession }, { prompt, context });
  const asked = toKeptRequest(clean, ctx.config.policy.observe);
  const { historyCharacters: maxCharacters } = ctx.config.policy.agents;
  const [turns, memoryState] = await Promise.all([
    listAgentTurns(ctx.db, storedSession, { now: startedAt, maxCharacters }),
    readMemoryState(ctx, agent, startedAt),
  ]);
  const task: AgentTask = {
    session,
    memory: [],
    call: {
      agent,
      session: storedSession,
      taskType: request.taskType,
      complexity: request.complexity,
      preferredProvider: request.preferredProvider,
      model: request.model,
      mayUseOthers: request.fallback,
      useResponseCache: request.cache ?? turns.length === 0,
      cacheBy: describeEqualRequests(request, turns, memoryState),
      mayRestart: request.mayRestart,
      signal: ctx.signal,
      chat: composeChat(request, { turns, recalled: [] }).chat,
      keepAnswer: (tx, answer) =>
        keepExchange(
          { ...ctx, db: tx },
          {
            agent,
            session: storedSession,
            call: answer.call,
            asked,
            askedAt: startedAt,
            response: answer.storedText,
            model: answer.model,
          },
        ),
      // What is in the cache needs no memory, and no time to look for it.
      makeChat: async () => {
        await ctx.prepareRecall();
        const recalled = await recallForAgent(ctx, { agent, session: storedSession, asked, now: startedAt });
        const composed = composeChat(request, { turns, recalled });
        task.memory = composed.memory;
        return composed.chat;
      },
    },
  };
  return task;
}

/** Never loses the answer: it was paid. */
async function noteMoney(ctx: AgentContext, { call }: AgentTask, answer: GatewayAnswer): Promise<readonly string[]> {
  const { cached, cost, unstored } = answer;
  if (unstored !== null) return [`the answer could not be stored (${unstored}); it cost about ${formatDollars(cost)}`];
  const warnings: string[] = [];
  if (!cached) await findStoreFailure(async () => void warnings.push(...(await noteUsedCaps(ctx, call.agent))));
  return warnings;
}

async function toAgentAnswer(
  ctx: AgentContext,
  task: AgentTask,
  answer: GatewayAnswer,
  /** That a paid model answered in place of a free one, and why. */
  instead: string | null,
): Promise<AgentAnswer> {
  requireAnswered(answer);
  return {
    response: answer.text,
    provider: answer.model.provider,
    model: answer.model.model,
    cost: answer.cost,
    truncated: answer.isCut,
    warnings: [
      ...(instead === null ? [] : [instead]),
      ...(answer.isCut ? [explainCut(answer, task.call.chat.maxTokens)] : []),
      ...(await noteMoney(ctx, task, answer)),
    ],
    cached: answer.cached,
    healed: answer.healed,
    route: answer.route,
    memory: task.memory,
    call: answer.call,
    session: task.session,
  };
}

function explainCut({ lastUsage }: Pick<GatewayAnswer, "lastUsage">, asked: number): string {
  const { after, by } = describeAnswerLimit(lastUsage.out, asked, "maxTokens");
  return `the answer was cut ${after} (${by})`;
}

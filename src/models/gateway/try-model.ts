import type { ModelRef } from "../../domain/model/model-ref.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ChatProvider } from "../chat/chat.ts";
import { gatewayParts, type GatewayContext } from "./gateway-of.ts";
import type { GatewayAnswer } from "./gateway.ts";
import { openGateway } from "./open-gateway.ts";

/** What came of a test. The times are those of the provider alone: they begin when the request leaves. */
export interface TriedModel extends Pick<
  GatewayAnswer,
  "call" | "outcome" | "failure" | "remedies" | "cap" | "text" | "usage" | "cost" | "unstored"
> {
  /** The model that answered, as the provider names it. */
  readonly model: string;
  readonly ms: number;
  readonly firstTokenMs: number | null;
}

/** A model that reasons needs some tokens before its first word. */
const MOST_TOKENS = 256;
const PROMPT = "Reply with the word ok.";

/** One small real call, through the gateway: reserved, settled and stored like any other. A call that fails is a value. */
export async function tryModel(
  ctx: GatewayContext & { readonly signal: AbortSignal },
  ref: ModelRef,
): Promise<TriedModel> {
  const parts = gatewayParts(ctx);
  const times = newTimes(ctx.clock);
  const gateway = openGateway({ ...parts, provider: async (name) => timeChat(await parts.provider(name), times) });
  const answer = await gateway.complete({
    agent: "owner",
    taskType: "test",
    complexity: "simple",
    chat: { messages: [{ role: "user", parts: [{ kind: "text", text: PROMPT }] }], maxTokens: MOST_TOKENS },
    model: ref,
    isTest: true,
    signal: ctx.signal,
  });
  return { ...answer, model: times.model ?? ref.model, ms: times.ms, firstTokenMs: times.firstTokenMs };
}

interface Times {
  readonly clock: Clock;
  ms: number;
  firstTokenMs: number | null;
  model: string | null;
}

function newTimes(clock: Clock): Times {
  return { clock, ms: 0, firstTokenMs: null, model: null };
}

/** The same provider; notes when the first event and the last one come. */
function timeChat(provider: ChatProvider, times: Times): ChatProvider {
  return {
    ...provider,
    chat: async function* (request, signal) {
      const begin = times.clock.now();
      try {
        for await (const event of provider.chat(request, signal)) {
          if (event.kind === "finish") times.model = event.model;
          else times.firstTokenMs ??= times.clock.now() - begin;
          yield event;
        }
      } finally {
        times.ms = times.clock.now() - begin;
      }
    },
  };
}

import { estimateTokens } from "../../domain/advice/context-window.ts";
import { parseModelRef } from "../../domain/model/model-ref.ts";
import type { ChatMessage } from "../../models/chat/chat.ts";
import type { Gateway, GatewayAnswer, GatewayRequest } from "../../models/gateway/gateway.ts";
import { readPromptText } from "../prompt/read-prompt-text.ts";
import { toolCallsOf, formatNote } from "../turn/active-entries.ts";
import type { CompactionState } from "../turn/chat-parts.ts";
import type { Entry, SpentOnCalls } from "../turn/entry.ts";
import { addSpent, hasUsed, nothingSpent, spentOn } from "../turn/usage.ts";

export type AskedSummary = { readonly spent: SpentOnCalls } & (
  | { readonly kind: "summary"; readonly text: string; readonly call: string }
  /** No usable answer, and no reason to expect one. */
  | { readonly kind: "none"; readonly call: string | null }
  /** The person stopped the turn, a cap was met, or no provider answers. Nothing should be replaced now. */
  | { readonly kind: "later" }
);

/** Asks the model for a summary; once more if the answer is empty, too long or calls a tool. */
export async function askForSummary(gateway: Gateway, state: CompactionState, tokens: number): Promise<AskedSummary> {
  // A request that is too long does not get shorter by one more message.
  if (state.why === "too-long") return { kind: "none", call: null, spent: nothingSpent };
  let spent = nothingSpent;
  let call: string | null = null;
  for (const isRetry of [false, true]) {
    const answer = await gateway.complete(composeSummaryRequest(state, { tokens, isRetry }));
    if (hasUsed(answer)) spent = addSpent(spent, spentOn(answer));
    const isTooLong = answer.failure?.kind === "too-long";
    if (answer.outcome !== "ok" && !isTooLong) return { kind: "later", spent };
    call = answer.call;
    if (isTooLong) break;
    if (isUsable(answer, tokens)) return { kind: "summary", text: answer.text.trim(), call, spent };
  }
  return { kind: "none", call, spent };
}

function isUsable({ message, text, usage }: GatewayAnswer, tokens: number): boolean {
  if (message === null || toolCallsOf(message).length > 0) return false;
  return text.trim() !== "" && usage.out < mostTokens(tokens) && estimateTokens(text) <= tokens * 2;
}

/** Room for what a model thinks before it answers. */
function mostTokens(tokens: number): number {
  return tokens * 4;
}

/**
 * The request that would be sent now, and one more message: system prompt, tools and messages are the same bytes, and the
 * same model gets them, so the provider has almost all of it in its cache.
 */
export function composeSummaryRequest(
  { request, entries }: Pick<CompactionState, "request" | "entries">,
  { tokens, isRetry }: { readonly tokens: number; readonly isRetry: boolean },
): GatewayRequest {
  const text = [
    readPromptText("compaction"),
    `Write at most ${Math.round(tokens * WORDS_PER_TOKEN)} words.`,
    ...(isRetry ? [readPromptText("compaction-retry")] : []),
  ].join("\n\n");
  const model = request.model ?? lastModel(entries);
  // A different choice of tools would not be the same prefix.
  const { toolChoice: _, ...chat } = request.chat;
  return {
    ...request,
    taskType: "compaction",
    // A model that nobody named is only the one whose cache has the prompt.
    ...(model === undefined ? {} : { model, mayUseOthers: request.model === undefined || request.mayUseOthers }),
    chat: { ...chat, messages: withInstruction(chat.messages, formatNote(text)), maxTokens: mostTokens(tokens) },
    useResponseCache: false,
  };
}

const WORDS_PER_TOKEN = 0.6;

function lastModel(entries: readonly Entry[]) {
  const last = entries.findLast((one) => one.kind === "assistant");
  return last?.kind === "assistant" ? (parseModelRef(last.model) ?? undefined) : undefined;
}

/** A part of its own, so that what stands before it stays as it is. */
function withInstruction(messages: readonly ChatMessage[], text: string): readonly ChatMessage[] {
  const last = messages.at(-1);
  if (last?.role !== "user") return [...messages, { role: "user", parts: [{ kind: "text", text }] }];
  return [...messages.slice(0, -1), { ...last, parts: [...last.parts, { kind: "text", text: `\n\n${text}` }] }];
}

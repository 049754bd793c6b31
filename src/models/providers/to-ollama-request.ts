import type { ChatMessage, ChatRequest } from "../chat/chat.ts";
import { estimateUsage } from "./estimate-usage.ts";

/** Ollama's default. A larger context is requested only if needed, because Ollama then reloads the model. */
const USUAL_CONTEXT = 4_096;

export function toOllamaRequest(request: ChatRequest): object {
  const { model, system, messages, tools = [], maxTokens, temperature, toolChoice } = request;
  const offered = toolChoice === "none" ? [] : tools;
  const context = contextFor(estimateUsage(request, 0).in + maxTokens);
  return {
    model,
    stream: true,
    messages: [
      ...(system === undefined ? [] : [{ role: "system", content: system }]),
      ...messages.flatMap(toOllamaMessages),
    ],
    ...(offered.length === 0
      ? {}
      : {
          tools: offered.map(({ name, description, input }) => ({
            type: "function",
            function: { name, description, parameters: input },
          })),
        }),
    ...thinkOf(request),
    options: {
      num_predict: maxTokens,
      ...(context === null ? {} : { num_ctx: context }),
      ...(temperature === undefined ? {} : { temperature }),
    },
  };
}

/** In powers of two, so that not every longer prompt reloads the model. */
function contextFor(tokens: number): number | null {
  if (tokens <= USUAL_CONTEXT) return null;
  return 2 ** Math.ceil(Math.log2(tokens));
}

/** Only gpt-oss has levels; other models only switch thinking on or off. */
function thinkOf({ model, reasoning }: ChatRequest): { readonly think?: boolean | string } {
  if (reasoning === undefined) return {};
  if (reasoning === "off") return { think: false };
  return { think: model.startsWith("gpt-oss") ? reasoning : true };
}

function toOllamaMessages({ role, parts }: ChatMessage): readonly object[] {
  if (role === "tool")
    return parts.flatMap((part) =>
      part.kind === "tool-result"
        ? [{ role, tool_name: part.name, content: part.isError ? `Error: ${part.text}` : part.text }]
        : [],
    );
  const content = parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("");
  if (role === "user") return [{ role, content }];
  const thinking = parts.flatMap((part) => (part.kind === "reasoning" ? [part.text] : [])).join("");
  const calls = parts.flatMap((part) =>
    part.kind === "tool-call" ? [{ function: { name: part.name, arguments: part.input } }] : [],
  );
  return [
    {
      role,
      content,
      ...(thinking === "" ? {} : { thinking }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
  ];
}

import type { LanguageModelV4CallOptions, LanguageModelV4Message, SharedV4ProviderOptions } from "@ai-sdk/provider";
import { isRecord } from "../../lib/json.ts";
import type { ChatMessage, ChatPart, ChatRequest, ChatTool } from "../chat/chat.ts";

/** A request in the AI SDK's form. */
export interface ToCallOptions {
  /** Most OpenAI-compatible servers know levels of reasoning, but few can switch it off. */
  readonly cannotSwitchOff?: boolean | undefined;
  /** The provider's own options for every call. */
  readonly options?: SharedV4ProviderOptions | undefined;
  /** The mark that puts a piece of the prompt into the provider's cache; undefined if the model needs no marks. */
  readonly cacheMark?: ((model: string) => SharedV4ProviderOptions | undefined) | undefined;
}

export function toCallOptions(
  request: ChatRequest,
  { options, cacheMark, cannotSwitchOff }: ToCallOptions,
): LanguageModelV4CallOptions {
  const mark = request.promptCache === true ? cacheMark?.(request.model) : undefined;
  const tools = request.tools ?? [];
  return {
    prompt: [
      ...(request.system === undefined ? [] : [{ role: "system" as const, content: request.system, ...marked(mark) }]),
      ...request.messages.map((message, at) =>
        toMessage(message, at === request.messages.length - 1 ? mark : undefined),
      ),
    ],
    maxOutputTokens: request.maxTokens,
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...toReasoningOption(request.reasoning, cannotSwitchOff === true),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map((tool, at) => ({
            ...toFunctionTool(tool),
            ...marked(at === tools.length - 1 ? mark : undefined),
          })),
          toolChoice: { type: request.toolChoice ?? "auto" },
        }),
    ...(options === undefined ? {} : { providerOptions: options }),
  };
}

function toReasoningOption(level: ChatRequest["reasoning"], cannotSwitchOff: boolean) {
  if (level === undefined || (level === "off" && cannotSwitchOff)) return {};
  return { reasoning: level === "off" ? ("none" as const) : level };
}

function marked(mark: SharedV4ProviderOptions | undefined): { providerOptions?: SharedV4ProviderOptions } {
  return mark === undefined ? {} : { providerOptions: mark };
}

function toFunctionTool({ name, description, input }: ChatTool) {
  return { type: "function" as const, name, description, inputSchema: input };
}

/** Marks the last part: the provider caches everything up to the mark. */
function toMessage({ role, parts }: ChatMessage, mark: SharedV4ProviderOptions | undefined): LanguageModelV4Message {
  if (role === "assistant") {
    const content = parts.flatMap((part) => [...toText(part), ...toReasoning(part), ...toToolCall(part)]);
    return { role, content, ...marked(mark) };
  }
  return role === "tool"
    ? { role, content: markLast(parts.flatMap(toToolResult), mark) }
    : { role, content: markLast(parts.flatMap(toText), mark) };
}

function markLast<Part extends object>(parts: readonly Part[], mark: SharedV4ProviderOptions | undefined): Part[] {
  return parts.map((part, at) => (at === parts.length - 1 ? { ...part, ...marked(mark) } : part));
}

function toText(part: ChatPart) {
  return part.kind === "text" ? [{ type: "text" as const, text: part.text }] : [];
}

function toReasoning(part: ChatPart) {
  return part.kind === "reasoning" ? [{ type: "reasoning" as const, text: part.text, ...toOptions(part.opaque) }] : [];
}

function toToolCall(part: ChatPart) {
  return part.kind === "tool-call"
    ? [
        {
          type: "tool-call" as const,
          toolCallId: part.id,
          toolName: part.name,
          input: part.input,
          ...toOptions(part.opaque),
        },
      ]
    : [];
}

function toToolResult(part: ChatPart) {
  return part.kind === "tool-result"
    ? [
        {
          type: "tool-result" as const,
          toolCallId: part.id,
          toolName: part.name,
          output: { type: part.isError ? ("error-text" as const) : ("text" as const), value: part.text },
        },
      ]
    : [];
}

/** Sends the provider's own data of a part back with it. Data of another provider has another name, so it is ignored. */
function toOptions(opaque: unknown): { providerOptions?: SharedV4ProviderOptions } {
  return isRecord(opaque) ? { providerOptions: opaque as SharedV4ProviderOptions } : {};
}

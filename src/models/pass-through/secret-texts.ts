import type { Placeholders } from "../../domain/model/placeholders.ts";
import { isRecord, tryParseJson } from "../../lib/json.ts";
import { jsonStep, spliceJson } from "../../lib/json-splice.ts";
import type { WireApi } from "./wire-api.ts";

/**
 * Hides secrets in what people, tools and models wrote: texts, tool inputs and tool results. Everything else stays unchanged: ids,
 * names, tools, pictures, and what is signed or encrypted, such as thinking.
 */
export function hideInRequest(api: WireApi, text: string, body: unknown, placeholders: Placeholders): string {
  return changeTexts(text, openRequest(api, body), (opened) => placeholders.hide(opened));
}

/** Puts the secrets back into the answer of a request without `stream`. */
export function restoreInDocument(api: WireApi, text: string, placeholders: Placeholders): string {
  return changeTexts(text, openDocument(api, tryParseJson(text)), (opened) => placeholders.restore(opened));
}

/** Changes the opened parts of a JSON text. The rest keeps its bytes. */
export function changeTexts(text: string, opened: Opened, change: (opened: Opened) => Opened): string {
  const changes = new Map<string, string>();
  collectChanges(opened, change(opened), "", changes);
  return spliceJson(text, changes);
}

/** The parts of a JSON value that may change, in its own shape, with null for the rest. */
export type Opened = unknown;

/** JSON inside a string: the input of a tool in OpenAI's APIs. */
const INNER = "\u0000json";

export function openDocument(api: WireApi, document: unknown): Opened {
  if (!isRecord(document)) return null;
  if (api === "messages") return { content: openContent(document["content"]) };
  if (api === "responses") return { output: openContent(document["output"]) };
  return {
    choices: mapItems(document["choices"], (choice) => isRecord(choice) && { message: openChat(choice["message"]) }),
  };
}

function openRequest(api: WireApi, body: unknown): Opened {
  if (!isRecord(body)) return null;
  if (api === "responses") return { instructions: body["instructions"], input: openContent(body["input"]) };
  if (api === "chat") return { messages: mapItems(body["messages"], openChat) };
  return {
    system: openContent(body["system"]),
    messages: mapItems(
      body["messages"],
      (message) => isRecord(message) && { content: openContent(message["content"]) },
    ),
  };
}

function openChat(message: unknown): Opened {
  if (!isRecord(message)) return null;
  const calls = mapItems(message["tool_calls"], (call) => {
    const called = isRecord(call) ? call["function"] : null;
    return isRecord(called) && { function: { arguments: openArguments(called["arguments"]) } };
  });
  return { content: openContent(message["content"]), tool_calls: calls };
}

/** A text, or a list of blocks and items. */
export function openContent(content: unknown): Opened {
  return typeof content === "string" ? content : mapItems(content, openBlock);
}

export function openBlock(block: unknown): Opened {
  if (!isRecord(block)) return null;
  const type = block["type"] ?? "message";
  return typeof type === "string" ? (openers.get(type)?.(block) ?? null) : null;
}

type Block = Readonly<Record<string, unknown>>;

const openText = ({ text }: Block) => ({ text });
const openInput = ({ input }: Block) => ({ input });
const openInner = ({ content }: Block) => ({ content: openContent(content) });
const openOutput = ({ output }: Block) => ({ output: openContent(output) });

const openers = new Map<string, (block: Block) => Opened>([
  ["text", openText],
  ["input_text", openText],
  ["output_text", openText],
  ["tool_use", openInput],
  ["custom_tool_call", openInput],
  ["tool_result", openInner],
  ["message", openInner],
  ["function_call", (block) => ({ arguments: openArguments(block["arguments"]) })],
  ["function_call_output", openOutput],
  ["custom_tool_call_output", openOutput],
  ["local_shell_call", ({ action }) => ({ action })],
  ["local_shell_call_output", openOutput],
  ["document", ({ source }) => isRecord(source) && source["type"] === "text" && { source: { data: source["data"] } }],
]);

function openArguments(text: unknown): Opened {
  const parsed = typeof text === "string" ? tryParseJson(text) : undefined;
  return typeof parsed === "object" && parsed !== null ? { [INNER]: parsed } : text;
}

function mapItems(value: unknown, open: (item: unknown) => Opened): Opened {
  return Array.isArray(value) ? value.map((item: unknown) => open(item)) : null;
}

function collectChanges(before: Opened, after: Opened, path: string, changes: Map<string, string>): void {
  if (before === after || typeof before !== typeof after) return;
  if (typeof after === "string") return void changes.set(path, after);
  if (!isRecord(after) && !Array.isArray(after)) return;
  if (isRecord(after) && INNER in after) return void changes.set(path, JSON.stringify(after[INNER]));
  const earlier = before as Readonly<Record<string, unknown>>;
  for (const [key, inner] of Object.entries(after)) collectChanges(earlier[key], inner, path + jsonStep(key), changes);
}

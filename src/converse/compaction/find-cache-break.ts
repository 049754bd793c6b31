import { formatModelRef, type ModelRef } from "../../domain/model/model-ref.ts";
import { stableJson } from "../../lib/json.ts";
import { oneLine } from "../../lib/text.ts";
import type { ChatMessage, ChatPart, ChatRequest, ChatTool } from "../../models/chat/chat.ts";

/** What of a request a provider's prompt cache goes by. */
export interface CachedRequest {
  readonly model?: ModelRef | undefined;
  readonly chat: Pick<ChatRequest, "system" | "messages" | "tools">;
}

export type CacheBreakKind =
  | "model"
  | "tool list"
  | "tool order"
  | "tool description"
  | "tool schema"
  | "key order"
  | "date"
  | "memory"
  | "rules"
  | "system prompt"
  | "inserted text"
  | "earlier message"
  | "tool result"
  | "compaction";

/** The first place where a request does not begin like the one before it. */
export interface CacheBreak {
  readonly kind: CacheBreakKind;
  /** For a developer: what it is in, such as `message 3` or `the tool shell`. */
  readonly place: string;
  /** The first differing byte, counted over model, tools, system prompt and messages as JSON. */
  readonly byte: number;
  /** A few characters from there. */
  readonly before: string;
  readonly after: string;
}

type Found = Pick<CacheBreak, "kind" | "place">;

/**
 * Null if the second request begins with all of the first one, or differs only in its last message, which is new: the provider
 * has everything before that in its cache.
 */
export function findCacheBreak(before: CachedRequest, after: CachedRequest): CacheBreak | null {
  const found =
    findInModel(before, after) ??
    findCompaction(before.chat.messages, after.chat.messages) ??
    findInTools(before.chat.tools ?? [], after.chat.tools ?? []) ??
    findInSystem(before.chat.system ?? "", after.chat.system ?? "") ??
    findInMessages(before.chat.messages, after.chat.messages);
  return found === null ? null : { ...found, ...firstDifference(serialise(before), serialise(after)) };
}

function findInModel({ model: before }: CachedRequest, { model: after }: CachedRequest): Found | null {
  if (before === undefined || after === undefined) return null;
  const [from, to] = [formatModelRef(before), formatModelRef(after)];
  return from === to ? null : { kind: "model", place: `the model: ${from}, then ${to}` };
}

/** The summary stands at the beginning of the first message. */
function findCompaction(before: readonly ChatMessage[], after: readonly ChatMessage[]): Found | null {
  const [first] = after[0]?.parts ?? [];
  const [old] = before[0]?.parts ?? [];
  if (first?.kind !== "text" || !first.text.includes(SUMMARY_LABEL)) return null;
  return old?.kind === "text" && old.text === first.text ? null : { kind: "compaction", place: "the summary" };
}

/** As `formatSummary` writes it. */
const SUMMARY_LABEL = "summary of this session so far";

function findInTools(before: readonly ChatTool[], after: readonly ChatTool[]): Found | null {
  const [names, others] = [before.map(({ name }) => name), after.map(({ name }) => name)];
  if (names.join("\n") !== others.join("\n")) {
    const isOrder = names.toSorted().join("\n") === others.toSorted().join("\n");
    const at = names.findIndex((name, index) => name !== others[index]);
    const place = `the tools, at ${others[at] ?? names[at] ?? "their end"}`;
    return { kind: isOrder ? "tool order" : "tool list", place };
  }
  for (const [at, tool] of before.entries()) {
    const other = after[at] ?? tool;
    const place = `the tool ${tool.name}`;
    if (tool.description !== other.description) return { kind: "tool description", place };
    const schema = compareJson(tool.input, other.input, "tool schema");
    if (schema !== null) return { kind: schema, place };
  }
  return null;
}

function compareJson(before: unknown, after: unknown, other: CacheBreakKind): CacheBreakKind | null {
  if (JSON.stringify(before) === JSON.stringify(after)) return null;
  return stableJson(before) === stableJson(after) ? "key order" : other;
}

function findInSystem(before: string, after: string): Found | null {
  if (before === after) return null;
  const at = commonLength(before, after);
  if (isDateAt(before, at) && isDateAt(after, at)) return { kind: "date", place: "the date in the system prompt" };
  const headings = [...before.slice(0, at).matchAll(HEADING)];
  const heading = headings.at(-1)?.[0] ?? "";
  const kind = heading === "" ? "system prompt" : /known|ledger|left off|Facts/.test(heading) ? "memory" : "rules";
  return { kind, place: heading === "" ? "the system prompt" : `the system prompt, under "${heading}"` };
}

/** Headings of what is recalled at a session's start (src/recall/at-session-start.ts), and of the parts after it. */
const HEADING =
  /^(?:What is known:|From the ledger of mistakes and wins:|Where the last session in this workspace left off:|Facts of this workspace:|Other sessions at work:|Rules.*:|[^\n]*\brules?\b[^\n]*:)$/gm;

/** The line at this place has a date or a time. */
function isDateAt(text: string, at: number): boolean {
  const end = text.indexOf("\n", at);
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, end < 0 ? undefined : end);
  return /\b\d{4}-\d\d-\d\d\b|\b\d{1,2}:\d\d\b/.test(line);
}

function findInMessages(before: readonly ChatMessage[], after: readonly ChatMessage[]): Found | null {
  for (const [at, message] of before.entries()) {
    const other = after[at];
    // The last message of the new request is new, whatever it is: nothing after it was cached.
    if (other === undefined || isContinued(message, other)) continue;
    if (at === after.length - 1) return null;
    return describeMessage({ at, message, other }, [before, after]);
  }
  return null;
}

/** The same parts, and perhaps more after them. */
function isContinued({ role, parts }: ChatMessage, other: ChatMessage): boolean {
  return role === other.role && parts.every((part, at) => JSON.stringify(part) === JSON.stringify(other.parts[at]));
}

function describeMessage(
  { at, message, other }: { readonly at: number; readonly message: ChatMessage; readonly other: ChatMessage },
  [before, after]: readonly [readonly ChatMessage[], readonly ChatMessage[]],
): Found {
  const place = `message ${at + 1}, of the ${message.role}`;
  if (stableJson(message) === stableJson(other)) return { kind: "key order", place };
  const isShifted = JSON.stringify(after[at + 1]) === JSON.stringify(message);
  const isLonger =
    other.role === message.role && other.parts.length > message.parts.length && before[at + 1] !== undefined;
  if (isShifted || (isLonger && isSubsequence(message.parts, other.parts))) return { kind: "inserted text", place };
  const number = message.parts.findIndex((part, index) => JSON.stringify(part) !== JSON.stringify(other.parts[index]));
  const [part, changed] = [message.parts[number], other.parts[number]];
  if (part?.kind === "tool-result")
    return { kind: "tool result", place: `${place}: the result of ${part.name} (${part.id})` };
  if (part !== undefined && changed !== undefined && isDateChange(part, changed)) return { kind: "date", place };
  return { kind: "earlier message", place };
}

function isSubsequence(parts: readonly ChatPart[], longer: readonly ChatPart[]): boolean {
  let at = 0;
  for (const one of longer) if (JSON.stringify(one) === JSON.stringify(parts[at])) at++;
  return at === parts.length;
}

function isDateChange(before: ChatPart, after: ChatPart): boolean {
  if (before.kind !== "text" || after.kind !== "text") return false;
  const at = commonLength(before.text, after.text);
  return isDateAt(before.text, at) && isDateAt(after.text, at);
}

function serialise({ model, chat }: CachedRequest): string {
  const parts = [chat.tools ?? [], chat.system ?? "", ...chat.messages].map((one) => JSON.stringify(one));
  return [model === undefined ? "" : formatModelRef(model), ...parts].join("\n");
}

function firstDifference(before: string, after: string): Pick<CacheBreak, "byte" | "before" | "after"> {
  const at = commonLength(before, after);
  return {
    byte: Buffer.byteLength(before.slice(0, at)),
    before: oneLine(before.slice(at, at + EXCERPT), EXCERPT),
    after: oneLine(after.slice(at, at + EXCERPT), EXCERPT),
  };
}

const EXCERPT = 60;

function commonLength(a: string, b: string): number {
  let at = 0;
  while (at < a.length && at < b.length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return at;
}

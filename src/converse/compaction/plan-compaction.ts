import { estimateTokens } from "../../domain/advice/context-window.ts";
import { boundInputTokens } from "../../domain/model/cost.ts";
import type { SpokenText } from "../../domain/turn/details.ts";
import type { ChatRequest } from "../../models/chat/chat.ts";
import { activeEntries, activeMessages, dropUndone, type EntryOf } from "../turn/active-entries.ts";
import type { Entry } from "../turn/entry.ts";

/** What a compaction replaces, and what it leaves as it is. */
export interface CompactionPlan {
  /** From this entry on, everything stays. It never stands between a tool call and its result. */
  readonly keepFrom: number;
  /** The texts before it, since the session began. */
  readonly before: readonly SpokenText[];
  /** What is sent besides the summary, as one text. */
  readonly beside: string;
}

/**
 * The last message of the person and what came after it stay. If that is most of the context, as in one long turn, only its
 * last steps stay, and the person's messages of that turn. Null if there is nothing to replace.
 */
export function planCompaction(entries: readonly Entry[], tokens: number): CompactionPlan | null {
  const active = activeEntries(entries);
  const last = active.findLast((one) => one.kind === "user");
  const cuts = active.filter((one) => one.kind === "assistant" && one.seq > (last?.seq ?? 0)).map(({ seq }) => seq);
  const sizes = active.map((one) => ({ seq: one.seq, tokens: sizeOf(one) }));
  const keptFrom = (seq: number) => sizes.reduce((sum, one) => (one.seq >= seq ? sum + one.tokens : sum), 0);
  const possible = (last === undefined ? cuts : [last.seq, ...cuts]).filter((seq) => hasWork(active, seq));
  const keepFrom = possible.find((seq) => keptFrom(seq) <= tokens * MOST_KEPT) ?? possible.at(-1);
  return keepFrom === undefined ? null : planFrom(dropUndone(entries), keepFrom);
}

/** Of what stays: the rest is for the summary, and all of it must be 30 % shorter. */
const MOST_KEPT = 0.4;

/** Tokens of what the model is sent of it. */
export function sizeOf(entry: Entry): number {
  if (entry.kind === "assistant") return estimateTokens(JSON.stringify(entry.message));
  return entry.kind === "user" || entry.kind === "note" || entry.kind === "tool" ? estimateTokens(entry.text) : 0;
}

/** Something of the model's or a tool's would be replaced; a summary alone is not summarised again. */
function hasWork(active: readonly Entry[], keepFrom: number): boolean {
  return active.some((one) => one.seq < keepFrom && (one.kind === "assistant" || one.kind === "tool"));
}

function planFrom(left: readonly Entry[], keepFrom: number): CompactionPlan {
  const kept = activeMessages(withCompaction(left, keepFrom, ""));
  return {
    keepFrom,
    before: listSpokenTexts(left.filter(({ seq }) => seq < keepFrom)),
    beside: kept.flatMap(({ parts }) => parts.flatMap((part) => ("text" in part ? [part.text] : []))).join("\n"),
  };
}

/** The entries as they would be with the summary. */
export function withCompaction(entries: readonly Entry[], keepFrom: number, summary: string): readonly Entry[] {
  const last = entries.at(-1);
  const base = { session: last?.session ?? "", seq: (last?.seq ?? 0) + 1, at: last?.at ?? 0 };
  return [...entries, { ...base, kind: "compaction", summary, keepFrom, tokensBefore: 0, tokensAfter: 0, call: null }];
}

/** Without what was undone. */
export function listSpokenTexts(entries: readonly Entry[]): readonly SpokenText[] {
  return dropUndone(entries).flatMap(toSpokenTexts);
}

function toSpokenTexts(entry: Entry): readonly SpokenText[] {
  if (entry.kind === "user") return [{ by: "person", text: entry.text }];
  if (entry.kind === "tool") return [{ by: "tool", text: entry.text }];
  if (entry.kind !== "assistant") return [];
  return entry.message.parts.flatMap((part): readonly SpokenText[] => {
    if (part.kind === "text") return [{ by: "agent", text: part.text }];
    return part.kind === "tool-call" ? [{ by: "call", text: textsIn(part.input).join("\n") }] : [];
  });
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** What the provider counted for the last request, and what came since. 0 if nothing was sent since the last compaction. */
export function countByLastAnswer(entries: readonly Entry[]): number {
  const active = activeEntries(entries);
  const at = active.findLastIndex(({ kind }) => kind === "assistant");
  const last = active[at];
  const isCounted =
    last?.kind === "assistant" &&
    entries.findLastIndex((one) => one.kind === "compaction" || one.kind === "undo") < last.seq - 1;
  if (!isCounted) return 0;
  return active.slice(at + 1).reduce((sum, one) => sum + sizeOf(one), last.usage.in + last.usage.out);
}

/** As the gateway expects them: half of the upper bound, which is about twice the true count. */
export function estimateRequest(chat: Pick<ChatRequest, "system" | "messages" | "tools">): number {
  return Math.ceil(boundInputTokens(chat) / 2);
}

/**
 * Two compactions in a row would summarise a summary, and may never end: in between there must be a new result of a tool, or
 * a message of the person's that was answered.
 */
export function mayCompactAgain(entries: readonly Entry[]): boolean {
  const left = dropUndone(entries);
  const at = left.findLastIndex(({ kind }) => kind === "compaction");
  if (at < 0) return true;
  const since = left.slice(at + 1);
  const asked = since.findIndex(({ kind }) => kind === "user");
  return (
    since.some((one): one is EntryOf<"tool"> => one.kind === "tool" && one.closed === null) ||
    (asked >= 0 && since.slice(asked).some(({ kind }) => kind === "assistant"))
  );
}

import { failureLine } from "./call-summary.ts";
import { besidesMemories, ownWords } from "../text/typed-memory.ts";
import { findNamedFile } from "../text/named-file.ts";
import { type Event, isFailure } from "./event.ts";
import { weighWords, listQueryTerms } from "../text/prompt-fit.ts";
import { stem } from "../text/stem.ts";
import { formatToolName } from "../text/tool-name.ts";
import { oneLine, plural } from "../../lib/text.ts";
import { findUnresolvedFailures } from "./unresolved.ts";

/** A short account of a session, taken only from what was said and done in it. */
export interface Summary {
  readonly text: string;
  readonly topics: readonly string[];
  readonly decisions: readonly string[];
  /** What was left unfinished. */
  readonly threads: readonly string[];
}

/** Expects a session's events in order, with its calls read. Null if there are no prompts and no calls. */
export function summarise(events: readonly Event[]): Summary | null {
  const prompts = events.filter((event) => event.kind === "prompt" && event.text).map(dropTypedMemories);
  const calls = events.filter((event) => event.kind === "call");
  if (prompts.length === 0 && calls.length === 0) return null;
  return {
    text: textOf(prompts, calls),
    topics: topicsOf(prompts, calls),
    decisions: decisionsOf(events.map(dropTypedMemories)),
    threads: threadsOf(events, calls),
  };
}

/** Removes what was typed to be remembered, because that becomes a memory. */
function dropTypedMemories(event: Event): Event {
  return event.kind === "prompt" && event.text ? { ...event, text: besidesMemories(event.text) } : event;
}

function textOf(prompts: readonly Event[], calls: readonly Event[]): string {
  const asking = prompts.filter((prompt) => prompt.text);
  const [first, last] = [asking.at(0), asking.at(-1)];
  const failed = calls.filter(isFailure).length;
  const files = filesChanged(calls);
  return [
    first ? `Asked: ${sentence(first.text ?? "", 200)}` : "",
    first ? "" : describeWork(calls),
    last && last !== first ? `Last asked: ${sentence(last.text ?? "", 160)}` : "",
    `${plural(prompts.length, "prompt")}, ${plural(calls.length, "call")}${failed > 0 ? `, ${failed} failed` : ""}.`,
    files.length > 0 ? `Changed: ${files.slice(-6).join(", ")}.` : "",
  ]
    .filter((part) => part !== "")
    .join(" ");
}

/** Describes the work by its commands if no prompt says what it was about. */
function describeWork(calls: readonly Event[]): string {
  const heads = new Set(
    calls.map((call) => call.head ?? formatToolName(call.tool ?? "")).filter((head) => head !== ""),
  );
  return heads.size === 0 ? "Only something to remember was said." : `Ran ${[...heads].slice(0, 4).join(", ")}.`;
}

/** Returns one line that ends with punctuation. */
function sentence(text: string, most: number): string {
  const line = oneLine(text, most);
  return /[\p{Sentence_Terminal}…:]["')\]]?$/u.test(line) ? line : `${line}.`;
}

/** The most frequent words of the prompts, then the most frequent commands. */
function topicsOf(prompts: readonly Event[], calls: readonly Event[]): readonly string[] {
  const words = new Map<string, number>();
  // Counted by stem, shown as written.
  const written = new Map<string, string>();
  for (const prompt of prompts) {
    for (const word of listQueryTerms(prompt.text ?? "")) if (!written.has(stem(word))) written.set(stem(word), word);
    for (const [word, weight] of weighWords(prompt.text ?? ""))
      if (weight >= 1) words.set(word, (words.get(word) ?? 0) + weight);
  }
  const heads = new Map<string, number>();
  for (const { head } of calls) if (head) heads.set(head, (heads.get(head) ?? 0) + 1);
  return [...new Set([...most(words, 5).map((word) => written.get(word) ?? word), ...most(heads, 3)])];
}

function most(counts: ReadonlyMap<string, number>, limit: number): readonly string[] {
  return [...counts]
    .toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, limit)
    .map(([word]) => word);
}

/** Sentences that decide something, by the user or, if recorded, by the agent. */
function decisionsOf(events: readonly Event[]): readonly string[] {
  const found = events.flatMap((event) => {
    if (event.kind === "prompt" || event.kind === "correction") return sentencesIn(event.text, settles);
    return event.kind === "answer" ? sentencesIn(event.text, settlesOwn) : [];
  });
  return [...new Set(found)].slice(-8);
}

function sentencesIn(text: string | null, sign: RegExp): readonly string[] {
  const sentences = ownWords(text ?? "")
    .slice(0, 4_000)
    .split(/(?<=[.!?])\s+|\n+/);
  return sentences.filter((one) => !one.trim().endsWith("?") && sign.test(one)).map((one) => oneLine(one, 200));
}

/** True if the sentence settles something, by the words that people and agents use for it. */
export function isDecision(sentence: string, by: "person" | "agent"): boolean {
  return (by === "person" ? settles : settlesOwn).test(sentence);
}

const settles =
  /\b(?:let'?s|we(?:'ll| will| decided| agreed)|decided|go(?:ing)? with|stick (?:to|with)|instead of|rather than|prefer|always|never|from now on|do ?n[o']t use|must(?: not)?)\b/i;
const settlesOwn = /\b(?:decided (?:to|on|against)|I(?:'ll| will) (?:go with|use)|chose|going with|instead of)\b/i;

/**
 * Unresolved failures, and the last prompt if the agent did not finish it. Without hook events we do not know whether a
 * turn ended, so such a session has no unfinished prompt.
 */
function threadsOf(events: readonly Event[], calls: readonly Event[]): readonly string[] {
  const failures = findUnresolvedFailures(calls.filter((call) => call.agent === null))
    .slice(-3)
    .map(failureLine);
  const lastPrompt = events.findLastIndex((event) => event.kind === "prompt");
  const ended = events.findLastIndex((event) => event.kind === "stop" || event.kind === "answer") > lastPrompt;
  const isObserved = events.some(({ kind }) => kind === "session-start" || kind === "stop" || kind === "session-end");
  const text = lastPrompt === -1 ? "" : besidesMemories(events[lastPrompt]?.text ?? "");
  const unfinished = text === "" || ended || !isObserved ? [] : [`not finished: ${oneLine(text, 160)}`];
  return [...failures, ...unfinished];
}

function filesChanged(calls: readonly Event[]): readonly string[] {
  const edits = calls.filter((call) => call.outcome === "ok" && /edit|write|patch|replace/i.test(call.tool ?? ""));
  return [...new Set(edits.flatMap((call) => findNamedFile(call.input)?.split(/[\\/]/).at(-1) ?? []))];
}

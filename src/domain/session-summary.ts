import { oneLine, plural } from "../lib/text.ts";
import { type Event, isFailure } from "./event.ts";
import { fileOf } from "./recovery.ts";
import { contentWords } from "./similarity.ts";

/** What came of one day of one session, in a few words: made by counting and picking, not by a model. */
export interface SessionSummary {
  /** The first thing that was asked. */
  readonly asked: string | null;
  readonly topics: readonly string[];
  /** Sentences in which something was settled, by whom. */
  readonly decisions: readonly { readonly by: "owner" | "agent"; readonly text: string }[];
  readonly files: readonly string[];
  readonly calls: number;
  readonly failures: number;
  readonly from: number;
  readonly to: number;
}

type Part = Pick<Event, "kind" | "text" | "head" | "tool" | "input" | "outcome" | "benign" | "at">;

export function summaryOfSession(events: readonly Part[]): SessionSummary {
  const prompts = events.filter((event) => event.kind === "prompt" && event.text !== null);
  const calls = events.filter((event) => event.kind === "call");
  const files = ranked(calls.filter((call) => isChange(call.tool)).map((call) => fileOf(call.input)));
  const times = events.map((event) => event.at);
  return {
    asked: prompts[0]?.text ? oneLine(prompts[0].text, 200) : null,
    topics: topicsOf(prompts, calls),
    decisions: decisionsIn(events),
    files: files.slice(0, MOST_FILES),
    calls: calls.length,
    failures: calls.filter(isFailure).length,
    from: times.reduce((a, b) => Math.min(a, b), times[0] ?? 0),
    to: times.reduce((a, b) => Math.max(a, b), times[0] ?? 0),
  };
}

/** One line a person can read. */
export function summaryText(summary: SessionSummary): string {
  const parts = [
    summary.asked ?? "nothing was asked",
    `${plural(summary.calls, "call")}, ${summary.failures} failed`,
    summary.files.length > 0 ? `changed ${summary.files.map(lastName).join(", ")}` : "",
    summary.topics.length > 0 ? `about ${summary.topics.join(", ")}` : "",
  ];
  return parts.filter((part) => part !== "").join("; ");
}

const MOST_FILES = 10;
const MOST_TOPICS = 6;
const MOST_DECISIONS = 10;

/** What was done more than once, then what was spoken of more than once; one mention is no topic. */
function topicsOf(prompts: readonly Part[], calls: readonly Part[]): readonly string[] {
  const heads = repeated(calls.map((call) => call.head));
  const words = prompts.flatMap((prompt) =>
    [...new Set(contentWords(prompt.text ?? ""))].filter((word) => word.length > 3),
  );
  return [...new Set([...heads.slice(0, MOST_TOPICS / 2), ...repeated(words)])].slice(0, MOST_TOPICS);
}

function decisionsIn(events: readonly Part[]): SessionSummary["decisions"] {
  const found = new Map<string, { by: "owner" | "agent"; text: string }>();
  for (const event of events) {
    if (event.text === null || !["prompt", "answer", "stop"].includes(event.kind)) continue;
    const by = event.kind === "prompt" ? "owner" : "agent";
    for (const sentence of event.text.split(/(?<=[.!?])\s+|\n+/)) {
      const text = oneLine(sentence, 200);
      if (settles.test(text) && !found.has(text)) found.set(text, { by, text });
    }
  }
  return [...found.values()].slice(0, MOST_DECISIONS);
}

const settles =
  /\b(?:decided (?:to|on|against|that)|decision:|let'?s (?:use|go with|keep|drop|switch to|stick with)|we(?:'ll| will| should| are going to) (?:use|go with|keep|drop|switch to|stick with)|(?:going|go) with|from now on|settled on|agreed (?:to|on))\b/i;

function isChange(tool: string | null): boolean {
  return tool !== null && /edit|write|patch|create|replace/i.test(tool);
}

/** Most often first; of equals the one that came first. */
function ranked(values: readonly (string | null)[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const value of values) if (value !== null && value !== "") counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1]).map(([value]) => value);
}

function repeated(values: readonly (string | null)[]): readonly string[] {
  const twice = new Set(values.filter((value, at) => values.indexOf(value) !== at));
  return ranked(values.filter((value) => twice.has(value)));
}

function lastName(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path;
}

import { oneLine } from "../../lib/text.ts";
import { isDecision } from "../event/summary.ts";
import { findPaths } from "../text/find-paths.ts";
import { ownWords } from "../text/typed-memory.ts";
import { findInstruction } from "../trust/instruction-like.ts";

/** A text of a conversation, in its order. */
export interface SpokenText {
  /** `call`: the input of a tool call. */
  readonly by: "person" | "agent" | "call" | "tool";
  readonly text: string;
}

/**
 * Something that a summary must not lose:
 * - `instruction`: a sentence of the person's.
 * - `decision`, `question`, `finding`: a sentence that decides, asks, or has a number, a link or an id.
 * - `line`: a line of a tool's output with one of these.
 * - `link`, `id`, `path`: the thing alone.
 */
export interface Detail {
  readonly kind: DetailKind;
  /** What is added to the summary if it is missing. */
  readonly text: string;
  /** What must be in the summary as it is: numbers, links, ids, paths. */
  readonly anchors: readonly string[];
  readonly by: SpokenText["by"];
  /** How often it came up, and in which text last. */
  uses: number;
  last: number;
}

export const detailKinds = ["instruction", "decision", "question", "finding", "line", "link", "id", "path"] as const;
export type DetailKind = (typeof detailKinds)[number];

/** Finds them without a model, by their form. */
export function findDetails(texts: readonly SpokenText[]): readonly Detail[] {
  const found = new Map<string, Detail>();
  const add = (kind: DetailKind, text: string, { at, by }: Place, anchors: readonly string[] = [text]): void => {
    const key = `${kind} ${text.toLowerCase()}`;
    const known = found.get(key);
    if (known === undefined) found.set(key, { kind, text, anchors, by, uses: 1, last: at });
    else {
      known.uses++;
      known.last = at;
    }
  };
  for (const [at, { by, text }] of texts.entries()) {
    const place = { at, by };
    const sentences = by === "person" ? sentencesOf(ownWords(text)) : by === "agent" ? sentencesOf(text) : [];
    // A long message of a person's is mostly pasted.
    const typed =
      by === "person" && sentences.length > 2 * TYPED
        ? [...sentences.slice(0, TYPED), ...sentences.slice(-TYPED)]
        : sentences;
    for (const sentence of typed) {
      const kind = by === "person" ? kindOfPersons(sentence) : kindOfAgents(sentence);
      if (kind !== null) add(kind, sentence, place, anchorsIn(sentence));
    }
    if (by === "tool") for (const line of factLines(text)) add("line", line, place, anchorsIn(line));
    const scanned = text.slice(0, MOST_SCANNED);
    for (const link of linksIn(scanned)) add("link", link, place);
    for (const id of by === "tool" ? numberedIdsIn(scanned) : idsIn(scanned)) add("id", id, place);
    // What a tool prints names many files; those that were worked on are in the calls.
    if (by !== "tool") for (const path of findPaths(withoutLinks(scanned))) add("path", path, place);
  }
  return [...found.values()];
}

interface Place {
  readonly at: number;
  readonly by: SpokenText["by"];
}

const TYPED = 12;
const MOST_SCANNED = 100_000;
const LONGEST_SENTENCE = 300;
const LONGEST_LINE = 200;

export function sentencesOf(text: string): readonly string[] {
  return text
    .slice(0, MOST_SCANNED)
    .split(/(?<=[.!?])\s+|\n+/)
    .map((one) => oneLine(one.replace(/^\s*(?:[-*•#>]+|\d+[.)])\s+/, ""), LONGEST_SENTENCE))
    .filter((one) => one.split(" ").length >= 2);
}

function kindOfPersons(sentence: string): DetailKind {
  if (sentence.endsWith("?")) return "question";
  return isDecision(sentence, "person") ? "decision" : "instruction";
}

function kindOfAgents(sentence: string): DetailKind | null {
  if (sentence.endsWith("?")) return "question";
  if (isDecision(sentence, "agent") || settled.test(sentence)) return "decision";
  return hasMeasure(sentence) || linksIn(sentence).length > 0 || idsIn(sentence).length > 0 ? "finding" : null;
}

/** What agents write when something is settled. */
const settled =
  /\b(?:we (?:now |will |only |do not |don't )?use|we agreed|decision:|agreed (?:to|on)|will not|won't|do not|don't|must(?: not)?|never|root cause|turns out|because of)\b/i;

/** Lines of a tool's output that say something of their own: a name with a value, a number with a unit, an id, an error. */
function factLines(text: string): readonly string[] {
  return text
    .slice(0, MOST_SCANNED)
    .split("\n")
    .filter((line) => line.length <= LONGEST_LINE && line.trim().split(" ").length >= 2)
    .filter(
      (line) => hasMeasure(line) || numberedIdsIn(line).length > 0 || linksIn(line).length > 0 || failed.test(line),
    )
    .map((line) => oneLine(line, LONGEST_LINE))
    .filter((line) => findInstruction(line) === null);
}

const failed = /\b(?:error|failed|failure|exception|denied|refused|timed? ?out|not found|cannot|deprecated)\b/i;

function anchorsIn(text: string): readonly string[] {
  const links = linksIn(text);
  const rest = withoutLinks(text);
  return [...new Set([...links, ...idsIn(rest), ...findPaths(rest), ...(rest.match(measure) ?? [])])];
}

function linksIn(text: string): readonly string[] {
  return (text.match(/\bhttps?:\/\/[^\s"'<>`)\]}]+/g) ?? []).map((one) => one.replace(/[.,:;!?]+$/, ""));
}

function withoutLinks(text: string): string {
  return text.replaceAll(/\bhttps?:\/\/\S+/g, " ");
}

/** Numbers with a unit, and numbers that something is set to. */
const measure =
  /(?<![\w.])\d[\d.,]*\s?(?:ms|s|secs?|seconds?|mins?|minutes?|h|hours?|days?|weeks?|months?|years?|[kMGT]i?B|bytes?|%|px|em|rem|fps|Hz|[kMG]Hz|tokens?|rows?|requests?|users?|items?|files?|lines?|tests?|retries|attempts|times|x|€|USD|EUR|dollars?)(?![\w])|[$€£]\s?\d[\d.,]*|\b(?:port|version|line|limit|timeout|size|count|level|max|min|batch)\s*(?:is|of|[:=])?\s*v?\d[\d.]*/gi;

function hasMeasure(text: string): boolean {
  return text.search(measure) >= 0;
}

/**
 * Names that mean one thing only: tickets, commits, versions, names in code. Words of prose are none.
 */
function idsIn(text: string): readonly string[] {
  return (text.match(id) ?? []).filter((one) => one.length <= 80 && !/^\d+$/.test(one));
}

/** Of a tool's output: its other names are those of the code, which can be read again. */
function numberedIdsIn(text: string): readonly string[] {
  return idsIn(text).filter((one) => /\d/.test(one));
}

const id = new RegExp(
  [
    /\b[A-Z][A-Z0-9]{1,9}-\d{1,7}\b/, // a ticket
    /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/,
    /\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b/, // a commit
    /(?<![\w@/])@?[a-z][\w-]*(?:\/[\w-]+)?@\d+\.\d+[\w.-]*/, // a package with its version
    /\bv\d+\.\d+(?:\.\d+)?[\w.-]*\b/,
    /#\d{1,6}\b/,
    /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/, // A_CONSTANT
    /\b[a-z]+(?:_[a-z0-9]+)+\b/, // a_name
    /\b[a-z]+(?:[A-Z][a-z0-9]+)+\b/, // aName
    /\b[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+\b/, // AName
  ]
    .map(({ source }) => source)
    .join("|"),
  "g",
);

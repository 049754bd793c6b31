import { estimateTokens } from "../advice/context-window.ts";
import { type Detail, type DetailKind, detailKinds, sentencesOf } from "./details.ts";

export interface Examined {
  /** The summary, with what it lacked. */
  readonly text: string;
  readonly asked: number;
  /** In the summary as it came, or in what is sent beside it. */
  readonly passed: number;
  readonly added: number;
  /** Found no room. */
  readonly left: number;
}

/**
 * The exam of a summary: each detail of the conversation is in it, or is added under "Also known", as far as `tokens` allow.
 * What came up last and most often goes first, each kind in turn.
 */
export function examineSummary(
  summary: string,
  of: {
    readonly details: readonly Detail[];
    /** What the model is sent besides the summary. */
    readonly beside: string;
    readonly tokens: number;
  },
): Examined {
  const known = newReader(`${summary}\n${of.beside}`);
  const missing = of.details.filter((detail) => !known.has(detail));
  const added = choose(missing, of.tokens);
  const text = added.length === 0 ? summary.trim() : `${summary.trim()}\n\n${formatDetails(added)}`;
  return {
    text,
    asked: of.details.length,
    passed: of.details.length - missing.length,
    added: added.length,
    left: missing.length - added.length,
  };
}

export const ALSO_KNOWN = "Also known, word for word:";

/**
 * A sentence counts as known if its anchors are there, and one sentence of the summary has all of its numbers and most of its
 * words: "the limit of floor 3" does not say what the limit of floor 4 is.
 */
function newReader(text: string): { has(detail: Detail): boolean } {
  const plain = flatten(text);
  const sentences = sentencesOf(text).map((one) => new Set([...wordsOf(one), ...numbersOf(one)]));
  return {
    has: ({ text: detail, anchors, kind }) => {
      if (!anchors.every((anchor) => plain.includes(flatten(anchor)))) return false;
      if (isThing(kind) || plain.includes(flatten(detail))) return true;
      const [words, numbers] = [wordsOf(detail), numbersOf(detail)];
      return sentences.some(
        (one) =>
          numbers.every((number) => one.has(number)) &&
          words.filter((word) => one.has(word)).length >= words.length * ENOUGH_WORDS,
      );
    },
  };
}

const ENOUGH_WORDS = 0.75;

function isThing(kind: DetailKind): boolean {
  return kind === "link" || kind === "id" || kind === "path";
}

function flatten(text: string): string {
  return text.toLowerCase().replaceAll(/\s+/g, " ");
}

function wordsOf(text: string): readonly string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu) ?? []).filter((word) => !empty.has(word));
}

/** Everything with a digit in it. */
function numbersOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_-]*\p{N}[\p{L}\p{N}_-]*/gu) ?? [];
}

const empty: ReadonlySet<string> = new Set(
  "the and for with that this are was will from you your has have not but".split(" "),
);

/** Each kind in turn, so that none takes all the room. */
function choose(missing: readonly Detail[], tokens: number): readonly Detail[] {
  const newest = missing.reduce((most, { last }) => Math.max(most, last), 1);
  const worth = ({ by, uses, last }: Detail) => WORTH[by] + Math.min(uses, 6) / 2 + (2 * last) / newest;
  const queues = detailKinds.map((kind) =>
    missing.filter((one) => one.kind === kind).toSorted((a, b) => worth(b) - worth(a) || (a.text < b.text ? -1 : 1)),
  );
  const chosen: Detail[] = [];
  let room = tokens - estimateTokens(ALSO_KNOWN) - HEADINGS;
  while (queues.some((queue) => queue.length > 0) && room > 0) {
    for (const [at, queue] of queues.entries()) {
      for (const one of queue.splice(0, PER_ROUND[detailKinds[at] ?? "id"])) {
        const cost = estimateTokens(`- ${one.text}\n`);
        // What a chosen sentence holds needs no line of its own.
        if (cost > room || (isThing(one.kind) && chosen.some(({ anchors }) => anchors.includes(one.text)))) continue;
        room -= cost;
        chosen.push(one);
      }
    }
  }
  return chosen;
}

const WORTH = { person: 4, agent: 2, call: 2, tool: 0 } as const;
const PER_ROUND: Readonly<Record<DetailKind, number>> = {
  instruction: 3,
  decision: 3,
  question: 1,
  finding: 2,
  line: 2,
  link: 1,
  id: 3,
  path: 3,
};
/** Room for the lines that name a group. */
const HEADINGS = 40;

function formatDetails(details: readonly Detail[]): string {
  const lines = detailKinds.flatMap((kind) => {
    const texts = details
      .filter((one) => one.kind === kind)
      .toSorted((a, b) => a.last - b.last || (a.text < b.text ? -1 : 1))
      .map(({ text }) => text);
    if (texts.length === 0) return [];
    return isThing(kind)
      ? [`${LABELS[kind]}: ${texts.join(", ")}`]
      : [`${LABELS[kind]}:`, ...texts.map((text) => `- ${text}`)];
  });
  return [ALSO_KNOWN, ...lines].join("\n");
}

const LABELS: Readonly<Record<DetailKind, string>> = {
  instruction: "The person wrote",
  decision: "Decided",
  question: "Questions",
  finding: "Found",
  line: "Tools printed",
  link: "Links",
  id: "Names and ids",
  path: "Files",
};

import { type Edit, isWordCharacter } from "../text/edit-text.ts";

/** A short text that replaced another. */
export interface Replacement {
  readonly from: string;
  readonly to: string;
}

const SHORTEST = 3;
const LONGEST = 80;
/** More words are prose, not a way to write something. */
const MOST_WORDS = 4;
/** Longer texts are rewritten, not corrected. */
const LARGEST = 20_000;

/**
 * Returns the smallest difference between two texts, extended to whole words, if it is one piece on one line and
 * neither side is empty. Null if text was only added, only removed, or changed in several places.
 */
export function findReplacement({ before, after }: Edit): Replacement | null {
  if (before === after || Math.max(before.length, after.length) > LARGEST) return null;
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const grown = grow(before, after, { start, end });
  const from = before.slice(grown.start, before.length - grown.end).trim();
  const to = after.slice(grown.start, after.length - grown.end).trim();
  return from !== to && isMeaningful(from) && isMeaningful(to) ? { from, to } : null;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Extends the span to word boundaries, over a neighbour if one side would be empty, and over an unmatched closing
 * bracket.
 */
function grow(before: string, after: string, span: Span): Span {
  let { start, end } = span;
  const sides = () => [before.slice(start, before.length - end), after.slice(start, after.length - end)] as const;
  const wholeWords = () => {
    while (
      start > 0 &&
      isWordCharacter(before[start - 1]) &&
      sides().some((side) => isWordCharacter(side[0] ?? before.at(-end || before.length)))
    )
      start--;
    while (
      end > 0 &&
      isWordCharacter(before[before.length - end]) &&
      sides().some((side) => isWordCharacter(side.at(-1) ?? before[start - 1]))
    )
      end--;
  };
  wholeWords();
  for (let turn = 0; turn < 2 && sides().some((side) => side.trim() === ""); turn++) {
    const next = before[before.length - end];
    if (end > 0 && next !== "\n" && next !== undefined) end--;
    else if (start > 0 && before[start - 1] !== "\n") start--;
    wholeWords();
  }
  while (end > 0 && /[)\]}]/.test(before[before.length - end] ?? "") && sides().some(isOpen)) end--;
  return { start, end };
}

function isOpen(text: string): boolean {
  const count = (brackets: RegExp) => (text.match(brackets) ?? []).length;
  return count(/[([{]/g) > count(/[)\]}]/g);
}

/** False for numbers, literals and redacted secrets: they say nothing about how to write. */
function isMeaningful(text: string): boolean {
  return (
    text.length >= SHORTEST &&
    text.length <= LONGEST &&
    !/[\n\r`]/.test(text) &&
    /\p{L}{2}/u.test(text) &&
    (text.match(/\p{L}\S*/gu) ?? []).length <= MOST_WORDS &&
    !text.includes("[redacted") &&
    !literals.has(text.toLowerCase())
  );
}

const literals: ReadonlySet<string> = new Set("true false null none undefined nil yes no".split(" "));

/** The lines of a file that resemble a searched text. Line numbers start at 1. */
export interface NearLines {
  readonly first: number;
  readonly last: number;
  /** The first line that differs. */
  readonly differs: number;
  /** Set if only white space differs. */
  readonly only: "indentation" | "white space" | "line ends" | null;
}

/** Returns the lines that were probably meant; null if nothing is similar enough. */
export function findNearLines(file: string, wanted: string): NearLines | null {
  const lines = file.split("\n").slice(0, MOST_LINES);
  const wantedLines = withoutBlankEnds(wanted.split("\n"));
  if (wantedLines.length === 0 || wantedLines.length > lines.length + 3) return null;
  const plainLines = lines.map(plain);
  const plainWanted = wantedLines.map(plain);
  const same = findExactStarts(plainLines, plainWanted);
  if (same.length > 0 && plainWanted.some((line) => line.length > 2)) {
    const at = same[0] ?? 0;
    const differs = wantedLines.findIndex((line, i) => line !== lines[at + i]);
    const range = { first: at + 1, last: at + wantedLines.length, differs: at + Math.max(0, differs) + 1 };
    return { ...range, only: differenceOf(lines.slice(at, at + wantedLines.length), wantedLines) };
  }
  const at = mostAlike(plainLines, plainWanted);
  if (at === null) return null;
  const start = Math.max(0, at);
  const end = Math.min(lines.length, at + wantedLines.length);
  const offset = start - at;
  const differs = plainWanted.slice(offset).findIndex((line, i) => line !== plainLines[start + i]);
  return { first: start + 1, last: end, differs: start + Math.max(0, differs) + 1, only: null };
}

/** Returns the line numbers at which `wanted` occurs, at most `most`. */
export function findLineNumbers(file: string, wanted: string, most: number): readonly number[] {
  const found: number[] = [];
  let line = 1;
  let from = 0;
  for (
    let at = wanted === "" ? -1 : file.indexOf(wanted);
    at !== -1 && found.length < most;
    at = file.indexOf(wanted, at + wanted.length)
  ) {
    for (; from < at; from++) if (file.charCodeAt(from) === NEW_LINE) line += 1;
    found.push(line);
  }
  return found;
}

const NEW_LINE = 10;
const MOST_LINES = 50_000;

function plain(line: string): string {
  return line.replace(/\s+/g, " ").trim();
}

function withoutBlankEnds(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== "");
  if (first === -1) return [];
  return lines.slice(first, lines.findLastIndex((line) => line.trim() !== "") + 1);
}

function findExactStarts(lines: readonly string[], wanted: readonly string[]): readonly number[] {
  const found: number[] = [];
  for (
    let at = lines.indexOf(wanted[0] ?? "");
    at !== -1 && found.length < 20;
    at = lines.indexOf(wanted[0] ?? "", at + 1)
  )
    if (wanted.every((line, i) => lines[at + i] === line)) found.push(at);
  return found;
}

function differenceOf(lines: readonly string[], wanted: readonly string[]): NearLines["only"] {
  const pairs = wanted.map((line, i) => [line, lines[i] ?? ""] as const);
  if (pairs.every(([a, b]) => a.replace(/\r$/, "") === b.replace(/\r$/, ""))) return "line ends";
  return pairs.every(([a, b]) => a.trim() === b.trim()) ? "indentation" : "white space";
}

/**
 * Returns the offset at which most wanted lines occur, or null. A line that occurs in few places counts more.
 * Neighbouring offsets support each other, because lines may have been inserted or removed. If no offset is clear,
 * lines are compared by their words.
 */
function mostAlike(lines: readonly string[], wanted: readonly string[]): number | null {
  const places = new Map<string, number[]>();
  for (const [at, line] of lines.entries()) {
    const known = places.get(line);
    if (known === undefined) places.set(line, [at]);
    else if (known.length < 40) known.push(at);
  }
  const votes = new Map<number, number>();
  for (const [i, line] of wanted.entries()) {
    if (line.length < 3) continue;
    const found = places.get(line) ?? [];
    const weight = Math.min(line.length, 40) / Math.max(1, found.length);
    for (const at of found) votes.set(at - i, (votes.get(at - i) ?? 0) + weight);
  }
  const summed = [...votes.keys()].map((at) => {
    const beside = [1, 2, 3].reduce(
      (sum, by) => sum + ((votes.get(at - by) ?? 0) + (votes.get(at + by) ?? 0)) / (1 + by),
      0,
    );
    return { at, votes: (votes.get(at) ?? 0) + beside };
  });
  summed.sort((a, b) => b.votes - a.votes || a.at - b.at);
  const judged = (places: readonly number[]) =>
    places.map((at) => ({ at, alike: likeness(lines, wanted, at) })).sort((a, b) => b.alike - a.alike || a.at - b.at);
  const best = judged(summed.slice(0, 5).map(({ at }) => at));
  const isClear = (best[0]?.alike ?? 0) >= CLEAR;
  // Comparing the words of every line is the slowest step.
  const [first] = isClear ? best : judged([...new Set([...best.map(({ at }) => at), ...wordPlaces(lines, wanted)])]);
  return first !== undefined && first.alike >= LEAST_ALIKE ? first.at : null;
}

const LEAST_ALIKE = 0.5;
const CLEAR = 0.7;

/** Returns the offsets at which a line shares most words with one of the longest wanted lines. */
function wordPlaces(lines: readonly string[], wanted: readonly string[]): readonly number[] {
  const longest = wanted
    .map((line, i) => ({ line, i }))
    .toSorted((a, b) => b.line.length - a.line.length)
    .slice(0, 4);
  const found: { readonly at: number; readonly share: number }[] = [];
  for (const { line, i } of longest) {
    const words = wordsIn(line);
    if (words.size === 0) continue;
    for (const [at, other] of lines.entries()) {
      if (Math.abs(other.length - line.length) > line.length * 0.7 + 8) continue;
      const share = shared(words, wordsIn(other));
      if (share >= 0.5) found.push({ at: at - i, share });
    }
  }
  return found
    .toSorted((a, b) => b.share - a.share)
    .slice(0, 12)
    .map(({ at }) => at);
}

/** The mean similarity of each line to the one at its place or up to two lines away, weighted by line length. */
function likeness(lines: readonly string[], wanted: readonly string[], at: number): number {
  let [sum, weight] = [0, 0];
  for (const [i, line] of wanted.entries()) {
    const long = Math.min(line.length, 60);
    weight += long;
    const beside = [0, 1, -1, 2, -2].map((by) => alike(line, lines[at + i + by] ?? "") * (by === 0 ? 1 : 0.9));
    sum += long * Math.max(...beside);
  }
  return weight === 0 ? 0 : sum / weight;
}

function alike(a: string, b: string): number {
  if (a === b) return 1;
  return a === "" || b === "" ? 0 : shared(wordsIn(a), wordsIn(b));
}

function shared(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  let both = 0;
  for (const word of a) if (b.has(word)) both += 1;
  return (2 * both) / (a.size + b.size);
}

const known = new Map<string, ReadonlySet<string>>();

/** Words and punctuation: a line of brackets is compared by its brackets. */
function wordsIn(line: string): ReadonlySet<string> {
  const before = known.get(line);
  if (before !== undefined) return before;
  const words = new Set(line.slice(0, 400).match(/[\p{L}\p{N}_$]+|[^\s\p{L}\p{N}_$]/gu) ?? []);
  if (known.size > 20_000) known.clear();
  known.set(line, words);
  return words;
}

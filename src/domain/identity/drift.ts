import { computeHunks, splitLines } from "../../lib/line-diff.ts";
import { parseSections } from "./identity.ts";

/**
 * How far a text is from its first version. Shares count both versions together: 0 is identical, 1 is nothing in
 * common.
 */
export interface Drift {
  readonly lines: number;
  readonly words: number;
  readonly added: number;
  readonly removed: number;
  readonly sections: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly string[];
  };
}

/** Deterministic: the same two texts always give the same drift. */
export function computeDrift(first: string, now: string): Drift {
  const lines = changed(filled(first), filled(now));
  const words = changed(wordsOf(first), wordsOf(now));
  const [was, is] = [bodies(first), bodies(now)];
  return {
    lines: lines.share,
    words: words.share,
    added: lines.added,
    removed: lines.removed,
    sections: {
      added: [...is.keys()].filter((title) => !was.has(title)),
      removed: [...was.keys()].filter((title) => !is.has(title)),
      changed: [...is].filter(([title, body]) => was.has(title) && was.get(title) !== body).map(([title]) => title),
    },
  };
}

function changed(
  before: readonly string[],
  after: readonly string[],
): { share: number; added: number; removed: number } {
  const hunks = computeHunks(before, after);
  const added = hunks.reduce((sum, one) => sum + one.lines.length, 0);
  const removed = hunks.reduce((sum, one) => sum + one.to - one.from, 0);
  const all = before.length + after.length;
  return { share: all === 0 ? 0 : (added + removed) / all, added, removed };
}

function filled(text: string): readonly string[] {
  return splitLines(text)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Each section's text by title, without its subsections, so that a changed subsection does not change its parents. */
function bodies(text: string): ReadonlyMap<string, string> {
  return new Map(
    parseSections(text).map((section) => [
      section.title,
      section.text.split(/\n(?= {0,3}#{1,6}\s)/, 1)[0]?.trimEnd() ?? "",
    ]),
  );
}

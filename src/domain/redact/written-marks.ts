import { replaceSecrets } from "./redact.ts";

/** What stands for a secret in a text that a model is given: the mark of what was stored, or a placeholder of a request. */
const MARK = /\[redacted:[^\]\n]{1,80}\]|oldhand-secret-[0-9a-z]{10}/g;

export interface WrittenMarks {
  /** Marks that the new text has more often than the old one, each once. */
  readonly marks: readonly string[];
  /** True if one of them would take the place of a secret, or of whatever stood there. */
  readonly doesReplace: boolean;
}

/**
 * What a change of a file does with marks. A model that repeats a mark from its history means the secret, but the file would
 * get the mark, and the secret would be gone; a diff without secrets shows the same on both sides.
 */
export function findWrittenMarks(before: string, after: string): WrittenMarks {
  const marks = findNewMarks(before, after);
  return { marks, doesReplace: marks.length > 0 && (doesLoseSecret(before, after) || doesFillPlace(before, after)) };
}

/** The marks that a text has more often than before, each once. */
export function findNewMarks(before: string, after: string): readonly string[] {
  const old = countMarks(before);
  return [...countMarks(after)].flatMap(([mark, count]) => (count > (old.get(mark) ?? 0) ? [mark] : []));
}

/** True if a text that is to be found in a file has a mark: a file has the secret instead. */
export function hasMark(text: string): boolean {
  return text.search(MARK) !== -1;
}

function countMarks(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [mark] of text.matchAll(MARK)) counts.set(mark, (counts.get(mark) ?? 0) + 1);
  return counts;
}

function doesLoseSecret(before: string, after: string): boolean {
  let isLost = false;
  replaceSecrets(before, (secret, rule) => {
    isLost ||= !after.includes(secret);
    return `[redacted:${rule}]`;
  });
  return isLost;
}

/** A secret may be known from elsewhere, with nothing in this file that says so. Then the line around it is the same. */
function doesFillPlace(before: string, after: string): boolean {
  const kept = new Set(after.split("\n"));
  const known = new Set(before.split("\n"));
  const gone = [...known].filter((line) => !kept.has(line));
  return [...kept].some((line) => {
    const parts = known.has(line) ? [] : line.split(MARK);
    const [start = "", end = ""] = [parts[0], parts.at(-1)];
    if (parts.length < 2 || !/[\p{L}\p{N}]/u.test(start + end)) return false;
    return gone.some(
      (one) => one.length >= start.length + end.length + SHORTEST_VALUE && one.startsWith(start) && one.endsWith(end),
    );
  });
}

const SHORTEST_VALUE = 5;

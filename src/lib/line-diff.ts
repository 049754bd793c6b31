/** Replaces lines `from` to `to` (exclusive) of one text with `lines`. */
export interface Hunk {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

/** The hunks that turn one text into the other, from top to bottom. Deterministic. */
export function computeHunks(before: readonly string[], after: readonly string[]): readonly Hunk[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const [a, b] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)];
  if (a.length === 0 && b.length === 0) return [];
  // If the table would be huge, the changed middle becomes one hunk: correct, but coarser.
  if (a.length * b.length > MOST_CELLS) return [{ from: head, to: head + a.length, lines: b }];
  return middle(a, b).map((one) => ({ ...one, from: one.from + head, to: one.to + head }));
}

/** A diff like that of `diff -u`; empty if the texts are equal. */
export function unifiedDiff(before: string, after: string, name: string): string {
  const [a, b] = [splitLines(before), splitLines(after)];
  const groups: Hunk[][] = [];
  for (const hunk of computeHunks(a, b)) {
    const last = groups.at(-1)?.at(-1);
    if (last !== undefined && hunk.from - last.to <= 2 * AROUND) groups.at(-1)?.push(hunk);
    else groups.push([hunk]);
  }
  if (groups.length === 0) return "";
  let shift = 0;
  const hunkLines = groups.flatMap((group) => {
    const from = Math.max(0, (group[0]?.from ?? 0) - AROUND);
    const to = Math.min(a.length, (group.at(-1)?.to ?? 0) + AROUND);
    const grown = group.reduce((sum, one) => sum + one.lines.length - (one.to - one.from), 0);
    const span = (start: number, count: number) => `${count === 0 ? start : start + 1},${count}`;
    const title = `@@ -${span(from, to - from)} +${span(from + shift, to - from + grown)} @@`;
    shift += grown;
    return [title, ...body(a, group, { from, to })];
  });
  return [`--- ${name}`, `+++ ${name}`, ...hunkLines].join("\n");
}

/** Merges both changes of one text; null if they overlap. Two insertions at one place are both kept. */
export function mergeThreeWay(base: string, ours: string, theirs: string): string | null {
  const lines = splitLines(base);
  const [a, b] = [computeHunks(lines, splitLines(ours)), computeHunks(lines, splitLines(theirs))];
  if (a.some((one) => b.some((other) => collide(one, other)))) return null;
  const all = [...a, ...b.filter((one) => !a.some((other) => sameHunk(one, other)))];
  // An insertion before a line is applied before a change of that line.
  const inOrder = all.toSorted((one, other) => one.from - other.from || one.to - other.to);
  const made: string[] = [];
  let at = 0;
  for (const hunk of inOrder) {
    made.push(...lines.slice(at, hunk.from), ...hunk.lines);
    at = hunk.to;
  }
  return joinLines([...made, ...lines.slice(at)]);
}

/** Does not count the final newline as a line. */
export function splitLines(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

export function joinLines(lines: readonly string[]): string {
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

const AROUND = 3;
const MOST_CELLS = 4_000_000;

/** By the longest common subsequence. */
function middle(a: readonly string[], b: readonly string[]): readonly Hunk[] {
  const width = b.length + 1;
  const common = new Uint32Array((a.length + 1) * width);
  const cell = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      common[i * width + j] = a[i] === b[j] ? cell(i + 1, j + 1) + 1 : Math.max(cell(i + 1, j), cell(i, j + 1));
  const hunks: Hunk[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [from, start] = [i, j];
    while (i < a.length || j < b.length) {
      if (i < a.length && j < b.length && a[i] === b[j]) break;
      if (j >= b.length || (i < a.length && cell(i + 1, j) >= cell(i, j + 1))) i++;
      else j++;
    }
    if (i > from || j > start) hunks.push({ from, to: i, lines: b.slice(start, j) });
    while (i < a.length && j < b.length && a[i] === b[j]) {
      i++;
      j++;
    }
  }
  return hunks;
}

function body(
  a: readonly string[],
  group: readonly Hunk[],
  within: { readonly from: number; readonly to: number },
): readonly string[] {
  const lines: string[] = [];
  let at = within.from;
  for (const hunk of group) {
    lines.push(...a.slice(at, hunk.from).map((line) => ` ${line}`));
    lines.push(...a.slice(hunk.from, hunk.to).map((line) => `-${line}`), ...hunk.lines.map((line) => `+${line}`));
    at = hunk.to;
  }
  return [...lines, ...a.slice(at, within.to).map((line) => ` ${line}`)];
}

function collide(one: Hunk, other: Hunk): boolean {
  if (sameHunk(one, other)) return false;
  // An insertion inside the other's range collides; one at its edge does not.
  return one.from < other.to && other.from < one.to;
}

function sameHunk(one: Hunk, other: Hunk): boolean {
  return one.from === other.from && one.to === other.to && one.lines.join("\n") === other.lines.join("\n");
}

/** Lines `from` to `to` (not with it) of the one text become these of the other. */
export interface Hunk {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

/** What turns one text into another, line by line, from top to bottom; the same for the same texts. */
export function computeHunks(before: readonly string[], after: readonly string[]): readonly Hunk[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const [a, b] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)];
  if (a.length === 0 && b.length === 0) return [];
  // Where the table would be huge, the changed middle is told as one piece: still true, only coarser.
  if (a.length * b.length > MOST_CELLS) return [{ from: head, to: head + a.length, lines: b }];
  return middle(a, b).map((one) => ({ ...one, from: one.from + head, to: one.to + head }));
}

/** As `diff -u` tells it; empty where the texts are the same. */
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

/** Both changes of one text; null where they concern the same lines. Two additions at one place both stay. */
export function mergeThreeWay(base: string, ours: string, theirs: string): string | null {
  const lines = splitLines(base);
  const [a, b] = [computeHunks(lines, splitLines(ours)), computeHunks(lines, splitLines(theirs))];
  if (a.some((one) => b.some((other) => collide(one, other)))) return null;
  const all = [...a, ...b.filter((one) => !a.some((other) => sameHunk(one, other)))];
  // What is added before a line comes before what becomes of that line.
  const inOrder = all.toSorted((one, other) => one.from - other.from || one.to - other.to);
  const made: string[] = [];
  let at = 0;
  for (const hunk of inOrder) {
    made.push(...lines.slice(at, hunk.from), ...hunk.lines);
    at = hunk.to;
  }
  return joinLines([...made, ...lines.slice(at)]);
}

/** Without the last line's end, which is not a line of its own. */
export function splitLines(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

export function joinLines(lines: readonly string[]): string {
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

const AROUND = 3;
const MOST_CELLS = 4_000_000;

/** By the longest common part of both. */
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
  // True also of an addition in the middle of what the other takes away, and false of one at its edge.
  return one.from < other.to && other.from < one.to;
}

function sameHunk(one: Hunk, other: Hunk): boolean {
  return one.from === other.from && one.to === other.to && one.lines.join("\n") === other.lines.join("\n");
}

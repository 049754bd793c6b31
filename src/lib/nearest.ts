/** The name that was probably meant by a mistyped one; null where none is near. */
export function findNearestName(typed: string, names: readonly string[]): string | null {
  let best: { readonly name: string; readonly slips: number } | null = null;
  for (const name of names) {
    const slips = editDistance(typed.toLowerCase().slice(0, LONGEST), name.toLowerCase());
    // A slip in three letters: more is another word.
    if (slips <= Math.max(1, Math.floor(name.length / 3)) && slips < (best?.slips ?? Infinity)) best = { name, slips };
  }
  return best?.name ?? begunBy(typed.toLowerCase(), names);
}

/** The only name that begins so, or that somebody began and went on from. */
function begunBy(typed: string, names: readonly string[]): string | null {
  const found = names.filter((name) => isBegun(name.toLowerCase(), typed) || isBegun(typed, name.toLowerCase()));
  return found.length === 1 ? (found[0] ?? null) : null;
}

function isBegun(whole: string, start: string): boolean {
  return start.length >= 3 && whole.startsWith(start);
}

/** Nobody types a longer name. */
const LONGEST = 60;

/** How many letters must be added, left out, changed or swapped with their neighbour. */
export function editDistance(a: string, b: string): number {
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const slips = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (same ? 0 : 1));
      next.push(swapped ? Math.min(slips, (before[j - 2] ?? 0) + 1) : slips);
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}

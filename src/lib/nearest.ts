/** The name that was probably meant; null if none is similar. */
export function findNearestName(typed: string, names: readonly string[]): string | null {
  let best: { readonly name: string; readonly slips: number } | null = null;
  for (const name of names) {
    const slips = editDistance(typed.toLowerCase().slice(0, LONGEST), name.toLowerCase());
    // One typo per three letters; more means another word.
    if (slips <= Math.max(1, Math.floor(name.length / 3)) && slips < (best?.slips ?? Infinity)) best = { name, slips };
  }
  return best?.name ?? begunBy(typed.toLowerCase(), names);
}

/** The names that may have been meant, the nearest first. */
export function findNearNames(typed: string, names: readonly string[], most: number): readonly string[] {
  const lower = typed.toLowerCase().slice(0, LONGEST);
  const near = [...new Set(names)]
    .map((name) => ({ name, slips: editDistance(lower, name.toLowerCase()) }))
    .filter(
      ({ name, slips }) => slips <= Math.max(1, Math.floor(name.length / 3)) || isBegun(name.toLowerCase(), lower),
    )
    .toSorted((a, b) => a.slips - b.slips || (a.name < b.name ? -1 : 1));
  return near.slice(0, most).map(({ name }) => name);
}

/** The only name that begins with the typed text or that the typed text begins with. */
function begunBy(typed: string, names: readonly string[]): string | null {
  const found = names.filter((name) => isBegun(name.toLowerCase(), typed) || isBegun(typed, name.toLowerCase()));
  return found.length === 1 ? (found[0] ?? null) : null;
}

function isBegun(whole: string, start: string): boolean {
  return start.length >= 3 && whole.startsWith(start);
}

/** No name is longer. */
const LONGEST = 60;

/** True if the names differ by one typo: a letter too many, missing, wrong, or letters in the wrong order. */
export function isMisspelling(a: string, b: string): boolean {
  if (Math.min(a.length, b.length) < 3) return false;
  return editDistance(a, b) <= 1 || haveSameLetters(a, b);
}

/**
 * Letters in the wrong order: `lnti` for `lint`. In a short name, such a typo has the same edit distance as a
 * different name.
 */
export function haveSameLetters(a: string, b: string): boolean {
  const letters = (text: string) => [...text.toLowerCase()].toSorted().join("");
  return a.length > 2 && a.length === b.length && letters(a) === letters(b);
}

/** The number of letters to insert, delete, replace or swap with their neighbour. */
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

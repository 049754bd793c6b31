import { editDistance } from "../../lib/nearest.ts";

/**
 * True if two names are shown to ask for the same act: the same words, in any order, each perhaps spelled in another
 * way. A word that is only in one of them may widen, weaken or publish, so it makes another act of it.
 */
export function haveSameWords(one: string, other: string): boolean {
  return isSameText(one, other) || arePaired(splitName(one), splitName(other));
}

/**
 * True if a script, target or task is shown to do the same as the wanted one. It has the same words; or every word more
 * or less says an everyday purpose that changes nothing outside (`unit-tests` and `unit`), in names that say nothing else.
 * A name with words of its own (`mail:test`) may only become narrower.
 */
export function isSameScript(name: string, wanted: string): boolean {
  if (haveSameWords(name, wanted)) return true;
  const [now, then] = [splitPurposes(name), splitPurposes(wanted)];
  const { added, dropped, kept } = pairWords(now, then);
  if (![...added, ...dropped].every((word) => isPurpose(word)) || !kept.some((word) => isPurpose(word))) return false;
  // Without its check, a formatter writes.
  if (dropped.includes("check") && now.some((word) => writing.has(word))) return false;
  if (dropped.includes("dev")) return false;
  return [...now, ...then].every((word) => isPurpose(word)) || (dropped.length === 0 && added.every(isNarrower));
}

/** True if the second word is the first with a slip of one letter, not at its beginning. */
export function isTypoOf(typed: string, meant: string): boolean {
  const [a, b] = [typed.toLowerCase(), meant.toLowerCase()];
  if (a[0] !== b[0] || a.replace(/\D/g, "") !== b.replace(/\D/g, "")) return false;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  // `user` and `users` are not the same: one more is a wider act.
  if (short.length < 3 || `${short}s` === long) return false;
  // Of two short words that differ in one letter, both may be meant: `seed` and `send`.
  const isSubstitution = a.length === b.length && sortLetters(a) !== sortLetters(b);
  return editDistance(a, b) <= 1 && (!isSubstitution || a.length > 4);
}

/** The words of `unit-tests`, `unitTests` and `unit:tests`. */
export function splitName(name: string): readonly string[] {
  return name
    .replace(/([a-z])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}

/** Everyday purposes. None of them, said or left out, widens, weakens or publishes what a script does. */
const purposes: ReadonlySet<string> = new Set(
  "test unit spec e2e integration lint format fmt check type tsc build compile dev watch coverage cov doc ci js ts py css eslint jest vitest mocha pytest".split(
    " ",
  ),
);
const narrower: ReadonlySet<string> = new Set("unit spec".split(" "));
const writing: ReadonlySet<string> = new Set("format fmt".split(" "));

function isPurpose(word: string): boolean {
  return purposes.has(singular(word));
}

function isNarrower(word: string): boolean {
  return narrower.has(singular(word));
}

/** A plural is another spelling only of a purpose: `tests` is `test`, `users` is not `user`. */
function singular(word: string): string {
  const one = word.replace(/s$/, "");
  return purposes.has(one) ? one : word;
}

/** `typecheck` is `type` and `check`. */
function splitPurposes(name: string): readonly string[] {
  return splitName(name).flatMap((word) => {
    const at = [...word].findIndex((_, i) => i > 0 && isPurpose(word.slice(0, i)) && isPurpose(word.slice(i)));
    return (at < 0 ? [word] : [word.slice(0, at), word.slice(at)]).map(singular);
  });
}

function isSameText(one: string, other: string): boolean {
  return splitName(one).join("") === splitName(other).join("");
}

function arePaired(one: readonly string[], other: readonly string[]): boolean {
  const { added, dropped } = pairWords(one.map(singular), other.map(singular));
  return added.length === 0 && dropped.length === 0;
}

interface PairedWords {
  readonly added: readonly string[];
  readonly dropped: readonly string[];
  readonly kept: readonly string[];
}

function pairWords(now: readonly string[], then: readonly string[]): PairedWords {
  const dropped = [...then];
  const kept: string[] = [];
  const isPaired = (word: string, isSame: (other: string) => boolean) => {
    const at = dropped.findIndex(isSame);
    if (at < 0) return false;
    dropped.splice(at, 1);
    kept.push(word);
    return true;
  };
  const others = now.filter((word) => !isPaired(word, (other) => other === word));
  return { added: others.filter((word) => !isPaired(word, (other) => isTypoOf(other, word))), dropped, kept };
}

function sortLetters(word: string): string {
  return [...word].toSorted().join("");
}

import { editDistance } from "../../lib/nearest.ts";

/**
 * True if two names are shown to ask for the same act: the same words in the same order, each perhaps spelled in another
 * way. A word that is only in one of them may widen, weaken or publish, and another order may turn the act around
 * (`copy:dev:prod`). Two words that both say an everyday purpose may change places: `docs-build` and `build:docs`.
 */
export function haveSameWords(one: string, other: string): boolean {
  return isSameText(one, other) || arePaired(splitName(one).map(singular), splitName(other).map(singular));
}

/**
 * True if a script, target or task is shown to do the same as the wanted one. It has the same words; or an everyday
 * purpose more (`test:unit` for `tests`), in names that say nothing else; or it only does not say that it tests (`unit`
 * for `unit-tests`). With a word of its own (`mail:test`), it may only become narrower.
 */
export function isSameScript(name: string, wanted: string): boolean {
  const [now, then] = [splitPurposes(name), splitPurposes(wanted)];
  if (haveSameWords(name, wanted) || arePaired(now, then)) return true;
  const { added, dropped, kept, isInOrder } = pairWords(now, then);
  if (!isInOrder || kept.length === 0) return false;
  if (dropped.length > 0)
    return (
      added.length === 0 && dropped.every((word) => saysToRun.has(word)) && now.every((word) => testKinds.has(word))
    );
  if (!added.every(isPurpose) || !kept.some(isPurpose)) return false;
  return now.every(isPurpose) || added.every(isNarrower);
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

/** Everyday purposes. None of them, said in addition, widens or publishes what a script does. */
const purposes: ReadonlySet<string> = new Set(
  "test unit spec e2e integration lint format fmt check type tsc build compile dev watch coverage cov doc ci js ts py css eslint jest vitest mocha pytest".split(
    " ",
  ),
);
const narrower: ReadonlySet<string> = new Set("unit spec".split(" "));
/** Words that the name of a kind of tests needs not say. */
const saysToRun: ReadonlySet<string> = new Set("test run".split(" "));
const testKinds: ReadonlySet<string> = new Set("unit e2e spec integration".split(" "));

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

function arePaired(now: readonly string[], then: readonly string[]): boolean {
  const { added, dropped, isInOrder } = pairWords(now, then);
  if (added.length > 0 || dropped.length > 0) return false;
  return isInOrder || (now.length === 2 && [...now, ...then].every(isPurpose));
}

interface PairedWords {
  readonly added: readonly string[];
  readonly dropped: readonly string[];
  readonly kept: readonly string[];
  /** True if the kept words have the same order in both. */
  readonly isInOrder: boolean;
}

function pairWords(now: readonly string[], then: readonly string[]): PairedWords {
  const places = now.map(() => -1);
  const take = (isSame: (other: string, word: string) => boolean) => {
    for (const [at, word] of now.entries())
      if (places[at] === -1) places[at] = then.findIndex((other, i) => !places.includes(i) && isSame(other, word));
  };
  take((other, word) => other === word);
  take(isTypoOf);
  const found = places.filter((place) => place >= 0);
  return {
    added: now.filter((_, at) => places[at] === -1),
    dropped: then.filter((_, i) => !places.includes(i)),
    kept: now.filter((_, at) => places[at] !== -1),
    isInOrder: found.every((place, at) => at === 0 || place > (found[at - 1] ?? -1)),
  };
}

function sortLetters(word: string): string {
  return [...word].toSorted().join("");
}

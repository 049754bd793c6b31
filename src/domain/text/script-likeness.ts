import { editDistance, haveSameLetters } from "../../lib/nearest.ts";
import { isSameScript } from "./same-words.ts";
import { changesTarget, mayOfferScript } from "./target-change.ts";
import { nameSimilarity } from "./near-name.ts";

/**
 * What is declared, for an agent that asked for something else. First what is the same under another name; the rest as
 * in the file: a near name would be read as advice, and one word more may widen what it does. Of more than fit, the
 * likest.
 */
export function listDeclaredNames(wanted: string, names: readonly string[], most: number): readonly string[] {
  const offered = names.filter((name) => mayOfferScript(name, wanted));
  const scored = offered.map((name, at) => ({ name, at, score: scoreLikeness(wanted, name) }));
  const kept = scored.toSorted((a, b) => b.score - a.score || a.at - b.at).slice(0, most);
  const isSame = ({ name }: { readonly name: string }) => Number(isSameScript(name, wanted));
  return kept.toSorted((a, b) => isSame(b) - isSame(a) || a.at - b.at).map(({ name }) => name);
}

/** `tests` is near `test`, and `test:unit` is too: related scripts often share a word. */
function scoreLikeness(wanted: string, name: string): number {
  // `build:eu` is not the nearest to `build:staging`.
  if (changesTarget(name, wanted)) return 0;
  const plain = nameSimilarity(wanted.replaceAll(":", "-"), name.replaceAll(":", "-"));
  const [a, b] = [splitWords(wanted), splitWords(name)];
  const shared = a.filter((word) => b.some((other) => nameSimilarity(word, other) > 0.7)).length;
  const alike = 1 - editDistance(wanted, name) / Math.max(wanted.length, name.length);
  return Math.max(
    plain,
    shared === 0 ? 0 : 0.4 + (0.4 * shared) / Math.max(a.length, b.length),
    areSynonyms(a, b) ? 0.35 : 0,
    haveSameLetters(wanted, name) ? 0.75 : 0,
    alike < 0.5 ? 0 : 0.3 * alike,
  );
}

function splitWords(name: string): readonly string[] {
  return name
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}

function areSynonyms(a: readonly string[], b: readonly string[]): boolean {
  return synonymGroups.some((some) => a.some((word) => some.has(word)) && b.some((word) => some.has(word)));
}

const synonymGroups: readonly ReadonlySet<string>[] = [
  "test tests unit spec jest vitest mocha tape ava e2e",
  "lint eslint check style standard xo biome",
  "typecheck types tsc tsd check",
  "format fmt prettier fix",
  "build compile bundle dist make",
  "dev start serve watch run",
  "clean clear reset",
  "cover coverage cov",
  "release publish version prepublish",
  "docs doc documentation typedoc",
  "bench benchmark benchmarks perf",
].map((words) => new Set(words.split(" ")));

import { editDistance } from "../../lib/nearest.ts";

/** The similarity of two file or folder names: 1 is identical, 0 is unrelated. */
export function nameSimilarity(wanted: string, name: string): number {
  if (wanted === name) return 1;
  const [a, b] = [wanted.toLowerCase(), name.toLowerCase()];
  if (a === b) return 0.97;
  if (flat(a) === flat(b)) return 0.95;
  const [one, other] = [parted(a), parted(b)];
  const kin = kinship(one.end, other.end);
  if (one.stem === other.stem) return kin * 0.94;
  if (flat(one.stem) === flat(other.stem)) return kin * 0.9;
  if (kin < 0.9) return 0;
  const near = Math.max(misspelt(one.stem, other.stem), sharing(wanted, name), rooted(one.stem, other.stem));
  return near * (kin === 1 ? 1 : 0.9);
}

/** A cheap filter, called on thousands of names before any comparison. False if the names cannot be similar. */
export function canBeSimilar(wanted: string, name: string): boolean {
  const gap = Math.abs(wanted.length - name.length);
  if (gap <= 4) return true;
  const [short, long] = wanted.length < name.length ? [wanted, name] : [name, wanted];
  return long.toLowerCase().includes(parted(short.toLowerCase()).stem.slice(0, 4));
}

function flat(name: string): string {
  return name.replace(/[-_. ]/g, "");
}

interface Parted {
  readonly stem: string;
  readonly end: string;
}

function parted(name: string): Parted {
  const at = name.lastIndexOf(".");
  if (at <= 0 || name.length - at > 9) return { stem: name, end: "" };
  const declared = name.endsWith(".d.ts") || name.endsWith(".d.mts") || name.endsWith(".d.cts");
  const cut = declared ? name.lastIndexOf(".d.") : at;
  return { stem: name.slice(0, cut), end: name.slice(cut + 1) };
}

/** The similarity of two extensions: `.js` may be requested for a `.ts` file. */
function kinship(a: string, b: string): number {
  if (a === b) return 1;
  if (a === "" || b === "") return 0.97;
  if (pairs.has(`${a} ${b}`) || pairs.has(`${b} ${a}`)) return 0.99;
  if (families.some((family) => family.has(a) && family.has(b)))
    return a.startsWith("d.") === b.startsWith("d.") ? 0.98 : 0.96;
  return editDistance(a, b) <= 1 && Math.max(a.length, b.length) > 2 ? 0.95 : 0.82;
}

const pairs: ReadonlySet<string> = new Set([
  "ts js",
  "tsx jsx",
  "mts mjs",
  "cts cjs",
  "yml yaml",
  "htm html",
  "md mdx",
]);

const families: readonly ReadonlySet<string>[] = [
  "js ts jsx tsx mjs cjs mts cts d.ts d.mts d.cts vue svelte",
  "md mdx markdown rst txt adoc",
  "yml yaml json json5 jsonc toml",
  "c cc cpp cxx h hh hpp hxx",
  "css scss sass less",
  "py pyi ipynb",
  "htm html",
  "sh bash zsh",
  "jpg jpeg png svg webp",
].map((ends) => new Set(ends.split(" ")));

function misspelt(a: string, b: string): number {
  const longest = Math.max(a.length, b.length);
  const most = longest < 3 ? 0 : longest < 5 ? 1 : Math.max(2, Math.floor(longest / 3.5));
  if (Math.abs(a.length - b.length) > most) return 0;
  const slips = editDistance(a, b);
  if (slips > most) return 0;
  // `migration-4` is not a misspelt `migration-3`.
  const isOfSeries = a.replace(/\d+/g, "") === b.replace(/\d+/g, "");
  return 0.97 - (0.85 * slips) / longest - (isOfSeries ? 0.2 : 0);
}

/** Similarity by a common beginning: `logger` for `logging`. */
function rooted(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  let same = 0;
  while (same < shorter && a[same] === b[same]) same += 1;
  return same >= 4 && same >= 0.6 * shorter && /^[a-z]+$/.test(a + b) ? 0.62 : 0;
}

/** Similarity by shared words: `commit_test.go` for `manual_commit_test.go`. */
function sharing(a: string, b: string): number {
  const [one, other] = [wordsIn(a), wordsIn(b)];
  const both = [...one].filter((word) => other.has(word)).length;
  const fewer = Math.min(one.size, other.size);
  const share = both / (one.size + other.size - both);
  if (both === 0 || share < 0.5) return both === fewer && both > 1 ? 0.6 : 0;
  return share === 1 ? 0.88 : 0.5 + 0.4 * share;
}

/** The words of the stem. The extension is ignored, because all files of a language share it. */
function wordsIn(name: string): ReadonlySet<string> {
  const { stem } = parted(name);
  return new Set((stem.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? []).map((word) => word.toLowerCase()));
}

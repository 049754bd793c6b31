import { patternStem } from "../text/pattern-stem.ts";

/**
 * Returns the key under which mistakes are counted together: `not-verifying`, `no-verification` and
 * `skipped-verification` have the same key. Word order only matters around before, after, without and instead.
 */
export function patternKey(name: string): string {
  const words = patternWords(name);
  const at = words.findIndex((word) => relations.has(word));
  if (at < 0) return side(words) || patternName(name);
  const relation = relations.get(words[at] ?? "") ?? "before";
  const [left, right] = [words.slice(0, at), words.slice(at + 1).filter((word) => !relations.has(word))];
  if (side(left) === "" || side(right) === "") {
    return side(relation === "without" ? [...left, "not", ...right] : [...left, ...right]) || patternName(name);
  }
  // "edit without reading" means "not reading before edit".
  if (relation === "without") return `${side(["not", ...right])}<${side(left)}`;
  if (relation === "after") return `${side(right)}<${side(left)}`;
  return `${side(left)}${relation === "before" ? "<" : "~"}${side(right)}`;
}

/** The display form: lower case, words joined by hyphens. */
export function patternName(text: string): string {
  return rawWords(text).join("-").slice(0, 80).replace(/-$/, "");
}

/** Returns the known patterns that share words with the name or the description, best first. */
export function suggestPatterns(
  known: readonly string[],
  name: string,
  description: string,
  most = 5,
): readonly string[] {
  const wanted = new Set(meaningfulWords(name));
  const describedWords = new Set(meaningfulWords(description));
  return known
    .map((pattern) => {
      const words = [...new Set(meaningfulWords(pattern))];
      const named = words.filter((word) => wanted.has(word) || [...wanted].some((other) => isSlip(word, other))).length;
      const mentioned = words.filter((word) => describedWords.has(word)).length;
      return { pattern, score: (2 * named + mentioned) / Math.max(1, words.length) };
    })
    .filter((one) => one.score > 0)
    .toSorted((a, b) => b.score - a.score || (a.pattern < b.pattern ? -1 : 1))
    .slice(0, most)
    .map((one) => one.pattern);
}

/** The stems of the words that carry meaning. */
export function meaningfulWords(text: string): readonly string[] {
  return patternWords(text).filter((word) => word !== "not" && !relations.has(word));
}

const relations: ReadonlyMap<string, "before" | "after" | "without" | "instead"> = new Map([
  ["before", "before"],
  ["prior", "before"],
  ["after", "after"],
  ["without", "without"],
  ["instead", "instead"],
]);

const passed = words(
  "the a an of to in on at for with by and or my your our its own i me we it is was were be been being do did does have has had having that this these those just really very simply properly correctly fully first again when while as step always so then",
);

/** Words that say something was omitted. */
const negations = words(
  "not no never non none dont didnt doesnt wasnt isnt cant wont havent cannot skip skipped skipping skips forgot forget forgetting forgotten missing missed lack lacking lacked omit omitted omitting neglect neglected neglecting absent",
);

const undone = /^un(verified|checked|confirmed|tested|read|validated|documented|reviewed|handled|pinned|planned)$/;

/** Small on purpose: words are merged only if no pattern needs both. */
const synonyms: ReadonlyMap<string, string> = new Map(
  [
    "verify check confirm recheck",
    "assume guess presume",
    "delete remove erase",
    "overwrite clobber",
    "rush hurry haste hasty",
    "run execute",
    "wrong incorrect",
    "docs doc documentation document",
    "config configuration configure",
    "dir directory folder",
    "env environment",
    "dependency dependencies dep deps",
    "db database",
    "cmd command",
    "msg message",
    "pkg package",
    "perm perms permission",
    "prod production",
    "instruction instructions request",
  ].flatMap((line) => {
    const [head = "", ...others] = line.split(" ");
    return [head, ...others].map((word) => [patternStem(word), patternStem(head)] as const);
  }),
);

/** Stems, with negations as `not` and relation words unchanged. */
function patternWords(text: string): readonly string[] {
  const raw = rawWords(text);
  return raw.flatMap((word, at) => {
    // "failed to verify" is an omission; "failed tests" is not.
    if (/^(fail|failed|failing|failure)$/.test(word) && raw[at + 1] === "to") return ["not"];
    if (word === "double" && (raw[at + 1] ?? "").startsWith("check")) return [];
    if (negations.has(word)) return ["not"];
    if (relations.has(word)) return [word];
    if (passed.has(word)) return [];
    const whole = undone.exec(word);
    const stemmed = patternStem(whole ? (whole[1] ?? word) : word);
    const meant = synonyms.get(stemmed) ?? stemmed;
    return whole ? ["not", meant] : [meant];
  });
}

function rawWords(text: string): readonly string[] {
  return text
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .replaceAll(/n[’']t\b/g, " not")
    .replaceAll(/[’']s\b/g, "")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

/** Negations are counted, not collapsed: "skip what is missing" is not "miss it". */
function side(parts: readonly string[]): string {
  const content = [...new Set(parts.filter((word) => word !== "not"))].toSorted();
  if (content.length === 0) return "";
  return [...parts.filter((word) => word === "not"), ...content].join("+");
}

/** True if long words differ by one letter. */
function isSlip(a: string, b: string): boolean {
  if (Math.min(a.length, b.length) < 5 || Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  return Math.max(a.length, b.length) - start - end <= 1;
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}

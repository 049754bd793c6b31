import { patternStem } from "../text/pattern-stem.ts";

/**
 * What a user always wants: one thing instead of another, something avoided, something always done. `said` is the
 * user's own wording, without introductory words ("no, please …").
 */
export type Preference =
  | { readonly kind: "use"; readonly use: string | null; readonly not: string | null; readonly said: string }
  | { readonly kind: "avoid" | "always"; readonly verb: string; readonly about: string; readonly said: string };

/**
 * Returns the preferences that a text states. Uses only its form, and prefers misses to false positives. Questions and
 * requests for the current task state none. Some forms count only in a correction: "use pnpm" alone is a request.
 */
export function findPreferences(text: string, where: { readonly corrects: boolean }): readonly Preference[] {
  if (text.length > LONGEST_TEXT || notTyped.test(text)) return [];
  const found: Preference[] = [];
  for (const piece of splitIntoClauses(text)) {
    const before = found.at(-1);
    const one = preferenceIn(piece, where.corrects) ?? (isHalf(before) ? choiceIn(piece.text) : null);
    const joined = one === null || before === undefined ? null : contrastOf(before, one);
    if (joined !== null) found[found.length - 1] = joined;
    else if (one !== null) found.push(one);
  }
  return found;
}

/** True if only the thing to avoid is known. People often say what to use in the next clause. */
function isHalf(one: Preference | undefined): boolean {
  return one?.kind === "use" && one.use === null;
}

/** Longer texts are descriptions or pasted; what they ask for is the task. */
const LONGEST_TEXT = 400;
const notTyped =
  /^(?:<|```|>|===|\[Request interrupted|Operation stopped by hook|Implement the following plan|\/[a-z])/i;

const imperative = "(?:use|don['’]?t|do not|dont|never|always|stop|avoid)\\b";

interface Clause {
  readonly text: string;
  /** True if its sentence begins with "no" or "as I said", so that it replaces what was done. */
  readonly isInsistent: boolean;
}

/** Splits into sentences and independent clauses, without questions and introductory words. */
function splitIntoClauses(text: string): readonly Clause[] {
  const pieces: Clause[] = [];
  for (const [sentence] of text.matchAll(/[^.!?\n;]+(?:[.](?=\S)[^.!?\n;]*)*[.!?]*/g)) {
    if (sentence.trimEnd().endsWith("?")) continue;
    const isInsistent = insistentOpening.test(sentence.trim());
    for (const clause of clausesOf(sentence.trim()))
      pieces.push({ text: tidied(clause.trim().replace(openers, "")), isInsistent });
  }
  return pieces.filter((piece) => piece.text !== "");
}

function clausesOf(sentence: string): readonly string[] {
  if (/^(?:instead of|rather than)\b/i.test(sentence)) return [sentence];
  const parts = subject.test(sentence) ? [sentence] : sentence.split(conjunctions);
  return parts.flatMap((part) => part.split(clauses));
}

/** The start of a clause that is a request on its own. */
const clauses = new RegExp(`\\s*(?:[:—–]|\\s-\\s|,(?=\\s*(?:please\\s+)?${imperative}))\\s*`, "i");
const conjunctions = new RegExp(`,?\\s+(?:and|but|so)\\s+(?=(?:please\\s+)?${imperative})`, "i");

/** "We add the files but don't change the tree": a sentence with such a subject describes and requests nothing. */
const subject =
  /^(?:i|we|you|they|he|she|it|the|this|that|these|those|there|here|my|our|your|its|when|if|as|because|since|while|can|could|should|would|is|are|do(?! ?n['’]?o?t)|does|did|has|have|what|how|why|who|where|which)\b/i;

const openers =
  /^(?:(?:no+|nope|nah|please|pls|ok(?:ay)?|well|and|but|so|also|just|then|again|actually|hey|wait|sorry|remember(?: to)?|from now on|in (?:the )?future|as i said|like i said|i (?:already |just )?(?:said|told you)(?: to| that)?|you (?:should|must|need to|have to)|we(?= (?:only |always |never |don['’]?t |do not )?use\b)|i(?:['’]d| would)?(?: really)?(?= prefer\b)|we(?= (?:always|never)\b)|make sure (?:you|to)|be sure to)\b[\s,.:;!…-]*){1,5}/i;

const insistentOpening =
  /^(?:(?:please|ok(?:ay)?|well|and|but|so|hm+|oh|ah|again|actually|hey|wait|sorry)\b[\s,.:;!…-]*)*(?:no+\b|nope\b|nah\b|(?:as |like )?i (?:already |just )?(?:said|told you)\b)/i;

/** Removes the place, which the rule's scope expresses, and words of manner. */
function tidied(text: string): string {
  return text
    .replaceAll(/\s+/g, " ")
    .replaceAll(
      /\b(?:in|for|on|within) (?:this|the|our|my) (?:whole )?(?:repo|repository|project|codebase|workspace|monorepo|package)\b/gi,
      "",
    )
    .replaceAll(/[,\s]+(?:please|pls|thanks|thank you|here|again|ever|ok(?:ay)?)(?=$|[,.!])/gi, "")
    .replace(/^(?:only|just)\s+/i, "")
    .replaceAll(/\s+/g, " ")
    .replace(/[\s,.!…]+$/, "")
    .trim();
}

function preferenceIn({ text, isInsistent: opensInsistently }: Clause, corrects: boolean): Preference | null {
  const isInsistent = corrects && opensInsistently;
  return (
    contrastIn(text, { isInsistent, corrects }) ??
    prohibitionIn(text) ??
    habitIn(text) ??
    (isInsistent ? choiceIn(text) : null) ??
    (corrects ? customIn(text) : null)
  );
}

/** "this repo uses X", said to an agent that used something else. */
function customIn(text: string): Preference | null {
  const found =
    /^(?:this|the|our|my) (?:repo(?:sitory)?|project|codebase|workspace|monorepo|team) (?:only |always )?uses (.+)$/i.exec(
      text,
    );
  const use = found === null ? null : thingIn(found[1] ?? "");
  return use === null ? null : { kind: "use", use, not: null, said: text };
}

/** "use X, not Y", "X instead of Y", "instead of Y use X", "prefer X over Y", "use X instead". */
function contrastIn(
  text: string,
  { isInsistent, corrects }: { readonly isInsistent: boolean; readonly corrects: boolean },
): Preference | null {
  const use = /^(?:(?:only|always) )?(?:use|run|write|call|prefer|choose|take)\s+/i;
  const rest = text.replace(use, "");
  const isImperative = rest !== text;
  const sides =
    /^(.+?)(?:,? (?:and |but )?not | instead of | rather than | over )(?:use |using |run |running )?(.+)$/i.exec(
      rest,
    ) ?? null;
  if (sides !== null && (isImperative || (isInsistent && !/ (?:not|over) /i.test(rest))))
    return contrast(sides[1] ?? "", sides[2] ?? "", text);
  const turned = /^(?:instead of|rather than) (?:using |running )?(.+?),? (?:use|run|call) (.+)$/i.exec(text);
  if (turned !== null) return contrast(turned[2] ?? "", turned[1] ?? "", text);
  const alone = isImperative && corrects ? /^(.+?),? instead$/i.exec(rest) : null;
  return alone === null ? null : contrast(alone[1] ?? "", null, text);
}

function contrast(use: string, not: string | null, said: string): Preference | null {
  const [good, bad] = [thingIn(use), not === null ? null : thingIn(not)];
  if (good === null || (not !== null && bad === null) || good === bad) return null;
  return { kind: "use", use: good, not: bad, said };
}

/** "don't …", "do not …", "never …", "stop …ing", "avoid …", with what to avoid. */
function prohibitionIn(text: string): Preference | null {
  const found =
    /^(?:(?:do ?n['’]?o?t|dont|do not)(?: ever)?|never(?: ever)?|stop|avoid|no more)\s+([a-z][\w-]*)(?:\s+(.+))?$/i.exec(
      text,
    );
  if (found === null) return null;
  const opener = text.split(" ", 1)[0] ?? "";
  const gerund = /^(?:stop|avoid|no)$/i.test(opener);
  const word = (found[1] ?? "").toLowerCase();
  if (gerund !== word.endsWith("ing") || /[^e]ed$/.test(word) || nonActionVerbs.has(word)) return null;
  const verb = verbOf(word);
  const about = (found[2] ?? "").replace(/,.*$/, "").replace(whoIsAsked, "$1").trim();
  if (verb === "use") {
    const not = thingIn(about);
    return not === null ? null : { kind: "use", use: null, not, said: text };
  }
  return stated({ kind: "avoid", verb, about, said: text.replace(/,.*$/, "") });
}

/** "without asking me first" and "without asking" are one. */
const whoIsAsked = /\b(without (?:asking|telling))(?: (?:me|us))?(?: (?:first|before(?:hand)?))?$/i;

/** "always …", with what to do. */
function habitIn(text: string): Preference | null {
  const found = /^always\s+([a-z][\w-]*)\s+(.+)$/i.exec(text);
  const word = (found?.[1] ?? "").toLowerCase();
  if (found === null || /(?:s|ed|ing)$/.test(word) || nonActionVerbs.has(word)) return null;
  const verb = verbOf(word);
  const about = found[2] ?? "";
  const use = word === "use" ? thingIn(about) : null;
  if (use !== null) return { kind: "use", use, not: null, said: text };
  return stated({ kind: "always", verb, about, said: text });
}

/** "no, use X". */
function choiceIn(text: string): Preference | null {
  const found = /^(?:use|run|take)\s+(.+)$/i.exec(text);
  const use =
    found === null ? null : thingIn((found[1] ?? "").replace(/,? instead$| for (?:this|that|it|these|those)$/i, ""));
  return use === null ? null : { kind: "use", use, not: null, said: text };
}

/** Joins "don't use Y" and a following "use X" into one preference. */
function contrastOf(before: Preference, after: Preference): Preference | null {
  if (before.kind !== "use" || after.kind !== "use") return null;
  const [use, not] = [before.use ?? after.use, before.not ?? after.not];
  const isOneEach = (before.use === null) !== (after.use === null) && (before.not === null) !== (after.not === null);
  return isOneEach && use !== not ? { kind: "use", use, not, said: `${before.said}, ${after.said}` } : null;
}

/** Returns a name of a few words that stays valid; null for a reference ("that one") or a description. */
function thingIn(text: string): string | null {
  const thing = text
    .replace(/^["'`“‘]+|["'`”’]+$/g, "")
    .replace(/^(?:the|a|an|our|my|your|(?:any|some)(?!\s+(?:in|as|for|with|at|on|inside)\b))\s+/i, "")
    .replace(/["'`”’]$/, "")
    .trim();
  const words = thing.split(" ");
  if (thing === "" || words.length > MOST_IN_THING || pointer.test(thing) || /[,?]/.test(thing)) return null;
  return /\p{L}/u.test(thing) ? thing : null;
}

const MOST_IN_THING = 4;
const MOST_IN_DEED = 12;

function stated(one: Preference & { readonly kind: "avoid" | "always" }): Preference | null {
  const { about } = one;
  if (about.split(" ").length > MOST_IN_DEED || pointer.test(about)) return null;
  // "don't fix anything" is about the current task; only a standalone verb needs no object.
  const words = wordsOf(about);
  return words.length > 0 || (one.kind === "avoid" && standaloneVerbs.has(one.verb)) ? one : null;
}

/** References to the context or to now: they say nothing about next time. */
const pointer =
  /\b(?:this|that|these|those|it|them|him|her|its|yet|now|today|tomorrow|still|above|below|following|previous|last|next|first|same|such|other|another|one|ones|both|way|thing|things|stuff|option|approach|plan|part|step|[12345]|instead)\b|^(?:me|you|us|i)\b/i;

/** Verbs after "don't" and "always" that request nothing. */
const nonActionVerbs = new Set(
  "forget worry know think hesitate have see want need like understand believe care mind feel remember get be been seem look mean bother let there the a an is was are were has had when if working being having".split(
    " ",
  ),
);

/** Verbs that need no object. */
export const standaloneVerbs: ReadonlySet<string> = new Set([
  "commit",
  "push",
  "stash",
  "rebase",
  "amend",
  "deploy",
  "publish",
]);

/** Verbs that are equivalent for something written. */
const verbs: ReadonlyMap<string, string> = new Map(
  ["add put include insert write create", "use run call invoke", "remove delete drop"].flatMap((line) => {
    const [first = "", ...others] = line.split(" ");
    return [first, ...others].map((word) => [patternStem(word), first] as const);
  }),
);

function verbOf(word: string): string {
  const stem = patternStem(word);
  const own = [...standaloneVerbs].find((verb) => patternStem(verb) === stem);
  return own ?? verbs.get(stem) ?? stem;
}

/** The stems of the significant words, sorted. */
function wordsOf(text: string): readonly string[] {
  const words = text
    .toLowerCase()
    .split(/[^\p{L}\p{N}@/._-]+/u)
    .map((word) => word.replace(/^[._/-]+(?!\w)|[._/-]+$/g, ""))
    .filter((word) => word !== "" && !light.has(word));
  return [...new Set(words.map((word) => patternStem(word)))].toSorted();
}

const light = new Set(
  "everywhere the a an any some all every each our my your his to of in on at for with by from into onto as and or is are be code file files project repo repository here anything something everything nothing stuff please again ever more just so too very really please changes change any you we directly straight immediately".split(
    " ",
  ),
);

/** Preferences with equal keys ask for the same, with the same polarity. */
export interface PreferenceKey {
  readonly kind: Preference["kind"];
  readonly use: string | null;
  readonly not: string | null;
  readonly verb: string | null;
  readonly words: readonly string[];
}

export function computePreferenceKey(one: Preference): PreferenceKey {
  if (one.kind === "use") return { kind: "use", use: nameOf(one.use), not: nameOf(one.not), verb: null, words: [] };
  return { kind: one.kind, use: null, not: null, verb: one.verb, words: wordsOf(one.about) };
}

/** Names are not stemmed: `sed` is not a form of another word. Only flags are case-sensitive. */
function nameOf(thing: string | null): string | null {
  if (thing === null || thing.startsWith("-")) return thing;
  const words = thing
    .toLowerCase()
    .replaceAll(/["'`“”‘’]/g, "")
    .split(" ");
  // `any in typescript`: here `any` is the thing itself.
  if (light.has(words[0] ?? "")) return words.join(" ");
  return words.filter((word) => word !== "" && !light.has(word)).join(" ") || words.join(" ");
}

/** The common part of two preferences; null if they ask for different things. */
export function intersectPreferenceKeys(a: PreferenceKey, b: PreferenceKey): PreferenceKey | null {
  if (a.kind !== b.kind) return null;
  if (a.kind === "use") {
    if (a.use !== null && b.use !== null && a.use !== b.use) return null;
    if (a.not !== null && b.not !== null && a.not !== b.not) return null;
    const isShared = (a.use !== null && a.use === b.use) || (a.not !== null && a.not === b.not);
    return isShared ? { ...a, use: a.use ?? b.use, not: a.not ?? b.not } : null;
  }
  if (a.verb !== b.verb) return null;
  const shared = a.words.filter((word) => b.words.includes(word));
  const all = new Set([...a.words, ...b.words]).size;
  return all === 0 || shared.length * 3 >= all * 2 ? { ...a, words: shared } : null;
}

/** True if one asks for what the other forbids. */
export function areOppositePreferences(a: PreferenceKey, b: PreferenceKey): boolean {
  if (a.kind === "use" && b.kind === "use") {
    const isCrossed = (one: string | null, other: string | null) => one !== null && one === other;
    return isCrossed(a.use, b.not) || isCrossed(a.not, b.use);
  }
  if (a.kind === b.kind || a.kind === "use" || b.kind === "use" || a.verb !== b.verb) return false;
  return a.words.join(" ") === b.words.join(" ");
}

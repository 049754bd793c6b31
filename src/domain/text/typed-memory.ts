import { cutTask, isOwnTask } from "./typed-task.ts";

/** Something that a user asked to remember. */
export interface TypedMemory {
  readonly text: string;
  /** True if it should hold in all projects, not only where it was typed. */
  readonly everywhere: boolean;
}

/**
 * Finds what a prompt asks to remember: `remember: …`, `remember that …` or `don't forget: …` at the start of a line or sentence. Ignores
 * code, quotations and tagged blocks, and questions. In a long prompt only the first and last line are read, because
 * the rest may be pasted. The text ends with its line, or with its paragraph if nothing follows on that line; what
 * comes after it is the task.
 */
export function typedMemories(prompt: string): readonly TypedMemory[] {
  return ownParagraphs(prompt)
    .flatMap(wishesIn)
    .filter(({ text }) => text.length >= SHORTEST && !text.endsWith("?") && !mention.test(text));
}

/** "I told you yesterday about the bug": what was said is not repeated. */
const mention = /^(?:i|we|you) (?:already |just )?(?:told|said|asked|mentioned|talked|spoke)\b/i;

const SHORTEST = 4;
const LONGEST = 2_000;
/** A longer prompt is probably pasted. */
const MANY_LINES = 20;

const everywhere = "everywhere|globally|(?:in|for) (?:all|every)(?: my| our| the)? projects?|across (?:all )?projects";
const here = "(?:in|for) (?:this|the|our) (?:project|repo|repository|workspace|codebase)";
/** `the staging URL: https://…`: a thing and its value. */
const named = "(?:the|our|my)\\s+[\\w .-]{2,40}:\\s+(?:https?://|[\\d\"'`/~]|\\S+[.@:]\\S)";
/** How a statement begins, other than a thing that somebody recalls: "that bug". */
const statement = "(?:the|our|my|we|i|all|every|each|no|this|these|there|an?|it|its)\\b";
const opening = new RegExp(
  `^(?:(?:ok|okay|hey|also|and|oh|please|pls|btw|by the way|fyi|from now on|for (?:the future|later|next time)),?\\s+)*` +
    `(?:i(?:'d| would)? (?:want|like) you to |always |(?<asked>(?:can|could|would|will) you (?:please )?))?` +
    `(?:remember|(?:do not|don['’]?t) forget)(?: this| the following)?` +
    `(?<where>,?\\s+\\(?(?:${everywhere})\\)?)?(?:,?\\s+\\(?${here}\\)?)?` +
    `(?:\\s*(?<colon>:)|\\s+(?<dash>[-–—])(?=\\s)|,?\\s+that\\b|,(?=\\s+${statement})|(?=\\s+${named}))\\s*`,
  "i",
);
const startsStatement = new RegExp(`^(?:${statement}|[\`"'])`, "i");
const atEnd = new RegExp(
  `(?:\\s*[,;(–-]\\s*(?:${everywhere})|\\s+(?:in|for) (?:all|every)(?: my| our| the)? projects?)\\)?\\s*[.!]?$`,
  "i",
);

/** The paragraphs that the user wrote: without code, quoted lines and tagged blocks. */
function ownParagraphs(prompt: string): readonly string[] {
  const own = ownWords(prompt).replaceAll(/(\b(?:remember|forget)\b[^\n]{0,60}:)[ \t]*\n\s*\n/gi, "$1\n");
  const lines = own.split("\n").filter((line) => line.trim() !== "");
  if (lines.length > MANY_LINES) return [lines[0] ?? "", lines.at(-1) ?? ""];
  return own.split(/\n\s*\n/);
}

/** The text without code, quoted lines and tagged blocks, which somebody else may have written. */
export function ownWords(text: string): string {
  return text
    .slice(0, 100_000)
    .replaceAll(/^(```|~~~)[^]*?(?:^\1|$(?![^]))/gm, "\n\n")
    .replaceAll(/<([a-z][\w-]*)\b[^>]*>[^]*?<\/\1>/gi, "\n\n")
    .replaceAll(/^\s*>.*$/gm, "");
}

function wishesIn(paragraph: string): readonly TypedMemory[] {
  const found: TypedMemory[] = [];
  const pieces = paragraph.split(/\n(?=.*\b(?:remember|forget)\b)/i).flatMap((piece) => fromRemember(piece.trim()));
  for (const piece of pieces) {
    const match = opening.exec(piece);
    if (match === null) continue;
    const isAsked = match.groups?.["asked"] !== undefined;
    const said = isAsked ? piece.slice(match[0].length).replace(/\?\s*$/, "") : piece.slice(match[0].length);
    if (isAsked && !startsStatement.test(said)) continue;
    const isBlock = match[0].trimStart().includes("\n");
    const text =
      (match.groups?.["colon"] ?? match.groups?.["dash"]) === undefined
        ? firstSentence(said)
        : withoutTask(isBlock ? said : firstLine(said));
    const whole = cutTask(text)
      .replaceAll(/[ \t]*\n\s*/g, "\n")
      .trim();
    const isEverywhere = match.groups?.["where"] !== undefined || atEnd.test(whole);
    found.push({ text: whole.replace(atEnd, "").slice(0, LONGEST).trim(), everywhere: isEverywhere });
  }
  return found;
}

/** The prompt without what it asks to remember, which is stored as a memory. */
export function besidesMemories(prompt: string): string {
  const memories = typedMemories(prompt).map((memory) => memory.text);
  if (memories.length === 0) return prompt;
  const rest = prompt.split(/(?<=[.!?])\s+|\n+/).flatMap((sentence) => {
    const plain = sentence.trim();
    if (!opening.test(plain)) return memories.some((memory) => memory.includes(plain)) ? [] : [plain];
    const memory = memories.find((one) => plain.includes(one)) ?? plain;
    const behind = plain.slice(plain.indexOf(memory) + memory.length).replace(/^[\s,;.!–—-]+(?:and\s+)?/i, "");
    return atEnd.test(`, ${behind}`) ? [] : [behind];
  });
  return rest.filter((one) => one !== "").join(" ");
}

/** Returns the text from the first sentence that begins with a request to remember. */
function fromRemember(piece: string): readonly string[] {
  if (opening.test(piece)) return [piece];
  const starts = [...piece.matchAll(sentenceStart)].map((match) => match.index + match[0].length);
  const at = starts.find((start) => opening.test(piece.slice(start)));
  return at === undefined ? [] : [piece.slice(at)];
}

const sentenceStart = /(?<=[.!?])\s+(?=\p{L})/gu;

function firstSentence(said: string): string {
  return said.split(/\n/)[0]?.split(/(?<=[.!?])\s+(?=\p{Lu})/u)[0] ?? said;
}

/** Includes a list that follows. */
function firstLine(said: string): string {
  const [first = "", ...others] = said.split("\n");
  const end = others.findIndex((line) => !/^\s*(?:[-*•]|\d+[.)])\s/.test(line));
  return [first, ...(end === -1 ? others : others.slice(0, end))].join("\n");
}

/** Cuts off a following task or question. */
function withoutTask(said: string): string {
  const starts = [...said.matchAll(/(?<=[.!?])\s+(?=\p{L})|\n\s*/gu)].map(({ index, 0: gap }) => ({
    end: index,
    start: index + gap.length,
  }));
  const at = starts.find(({ start }, i) => {
    const sentence = said.slice(start, starts[i + 1]?.end);
    return isOwnTask(sentence) || sentence.trimEnd().endsWith("?");
  });
  return at === undefined ? said : said.slice(0, at.end);
}

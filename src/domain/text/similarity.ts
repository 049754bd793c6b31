/** The similarity of two texts by their words, from 0 to 1. Deterministic. */
export function textSimilarity(a: string, b: string): number {
  const [one, other] = [contentWords(a), contentWords(b)];
  if (one.length === 0 || other.length === 0) return a.trim() === b.trim() ? 1 : 0;
  const { shared, onlyOne, onlyOther } = paired(one, other);
  const dice = (2 * shared) / (one.length + other.length);
  // A replaced word makes a different claim ("prefers Rust", "prefers Go"), however long the sentence is.
  const replaced = onlyOne.length > 0 && onlyOther.length > 0;
  return replaced || isTurned([...onlyOne, ...onlyOther]) ? Math.min(dice, OTHER_CLAIM) : dice;
}

/**
 * True if one text denies what the other says, has another number, or has one word in place of another ("increase", "decrease"):
 * then a similar meaning is not the same claim.
 */
export function differsInClaim(a: string, b: string): boolean {
  const { onlyOne, onlyOther } = paired(contentWords(a), contentWords(b));
  return isTurned([...onlyOne, ...onlyOther]) || (onlyOne.length === 1 && onlyOther.length === 1);
}

function isTurned(unshared: readonly string[]): boolean {
  return unshared.some((word) => negations.has(word) || /\d/.test(word));
}

/** Below any sensible threshold for "the same", but high enough to count as related. */
const OTHER_CLAIM = 0.8;

function paired(one: readonly string[], other: readonly string[]) {
  const left = [...other];
  const onlyOne: string[] = [];
  let shared = 0;
  for (const word of one) {
    const at = bestMatch(word, left);
    if (at === -1) onlyOne.push(word);
    else {
      left.splice(at, 1);
      shared++;
    }
  }
  return { shared, onlyOne, onlyOther: left };
}

function bestMatch(word: string, among: readonly string[]): number {
  const same = among.indexOf(word);
  return same !== -1 ? same : among.findIndex((each) => isVariant(word, each));
}

/** True for an inflection or a typo; never for numbers, in which every digit counts. */
function isVariant(a: string, b: string): boolean {
  if (/\d/.test(a) || /\d/.test(b) || Math.min(a.length, b.length) < 4) return false;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  if (long.startsWith(short) && long.length - short.length <= 3) return true;
  return a.length > 5 && a.length === b.length && [...a].filter((letter, at) => letter !== b[at]).length === 1;
}

/** The words of a question that also occur in the text, inflected or not. */
export function sharedWords(question: string, text: string): readonly string[] {
  const there = contentWords(text);
  return [...new Set(contentWords(question))].filter((word) => bestMatch(word, there) !== -1);
}

/** Lower-case words, without those that carry no claim. */
export function contentWords(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+(?:[.'-][\p{L}\p{N}_]+)*/gu) ?? [];
  return words.map((word) => word.replace(/n't$/, "not")).filter((word) => !fillers.has(word));
}

const negations = new Set(
  "not no never none without cannot dont doesnot donot isnot arenot wasnot neither nor nicht kein nie".split(" "),
);
const fillers = new Set(
  "a an the is are was were be been am of to in on at for and or that this it its as by with".split(" "),
);

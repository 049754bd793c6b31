/**
 * Porter's stemmer: search treats `connected`, `connecting` and `connection` as one word. English only; most words of
 * other languages are unchanged. The result is a key, not a word.
 */
export function stem(word: string): string {
  if (word.length < 3 || word.length > LONGEST || !/^[a-z]+$/.test(word)) return word;
  const known = stems.get(word);
  if (known !== undefined) return known;
  // A leading y is a consonant; the patterns below treat every y as a vowel.
  const guarded = word.startsWith("y") ? `Y${word.slice(1)}` : word;
  const found = steps.reduce((left, step) => step(left), guarded).toLowerCase();
  if (stems.size >= MOST_KEPT) stems.clear();
  stems.set(word, found);
  return found;
}

const LONGEST = 40;
/** Cache size: the same words recur. */
const MOST_KEPT = 50_000;
const stems = new Map<string, string>();

const consonant = "[^aeiou]";
const vowel = "[aeiouy]";
const consonants = `${consonant}[^aeiouy]*`;
const vowels = `${vowel}[aeiou]*`;
/** The number of vowel-consonant sequences, which Porter calls the measure; all rules depend on it. */
const someMeasure = new RegExp(`^(${consonants})?${vowels}${consonants}`);
const measureOne = new RegExp(`^(${consonants})?${vowels}${consonants}(${vowels})?$`);
const moreMeasure = new RegExp(`^(${consonants})?${vowels}${consonants}${vowels}${consonants}`);
const hasVowel = new RegExp(`^(${consonants})?${vowel}`);
const shortEnd = new RegExp(`^${consonants}${vowel}[^aeiouwxy]$`);

const steps: readonly ((word: string) => string)[] = [
  plural,
  pastAndProgressive,
  // As in Porter's second version: the stem of `deployment` must be `deploy`.
  (word) => (/.[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}i` : word),
  (word) => replaced(word, longEndings),
  (word) => replaced(word, middleEndings),
  withoutEnding,
  withoutFinalE,
  (word) => (word.endsWith("ll") && moreMeasure.test(word) ? word.slice(0, -1) : word),
];

function plural(word: string): string {
  if (/.(ss|i)es$/.test(word)) return word.slice(0, -2);
  return /.[^s]s$/.test(word) ? word.slice(0, -1) : word;
}

function pastAndProgressive(word: string): string {
  if (/.eed$/.test(word)) return someMeasure.test(word.slice(0, -3)) ? word.slice(0, -1) : word;
  const begin = /^(.+?)(ed|ing)$/.exec(word)?.[1];
  if (begin === undefined || !hasVowel.test(begin)) return word;
  if (/(at|bl|iz)$/.test(begin)) return `${begin}e`;
  if (/([^aeiouylsz])\1$/.test(begin)) return begin.slice(0, -1);
  return shortEnd.test(begin) ? `${begin}e` : begin;
}

function replaced(word: string, endings: Readonly<Record<string, string>>): string {
  for (const [ending, by] of Object.entries(endings)) {
    if (!word.endsWith(ending) || word.length === ending.length) continue;
    const begin = word.slice(0, -ending.length);
    return someMeasure.test(begin) ? begin + by : word;
  }
  return word;
}

function withoutEnding(word: string): string {
  const found = /^(.+?)(al|ance|ence|er|ic|able|ible|ant|ement|ment|ent|ou|ism|ate|iti|ous|ive|ize)$/.exec(word)?.[1];
  if (found !== undefined) return moreMeasure.test(found) ? found : word;
  const begin = /^(.+?[st])ion$/.exec(word)?.[1];
  return begin !== undefined && moreMeasure.test(begin) ? begin : word;
}

function withoutFinalE(word: string): string {
  if (!word.endsWith("e") || word.length === 1) return word;
  const begin = word.slice(0, -1);
  return moreMeasure.test(begin) || (measureOne.test(begin) && !shortEnd.test(begin)) ? begin : word;
}

/** Longer endings first, before those they end with. */
const longEndings: Readonly<Record<string, string>> = {
  ational: "ate",
  tional: "tion",
  enci: "ence",
  anci: "ance",
  izer: "ize",
  bli: "ble",
  alli: "al",
  entli: "ent",
  ousli: "ous",
  eli: "e",
  ization: "ize",
  ation: "ate",
  ator: "ate",
  alism: "al",
  iveness: "ive",
  fulness: "ful",
  ousness: "ous",
  aliti: "al",
  iviti: "ive",
  biliti: "ble",
  logi: "log",
};

const middleEndings: Readonly<Record<string, string>> = {
  icate: "ic",
  ative: "",
  alize: "al",
  iciti: "ic",
  ical: "ic",
  ful: "",
  ness: "",
};

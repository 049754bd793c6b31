/**
 * An upper bound of a text's tokens for any tokenizer. It is a weighted sum over the characters, because a bundled tokenizer
 * would have a megabyte and be right for one model only. The weights were fitted to the counts of five tokenizers (two of
 * OpenAI, one each of Anthropic, Meta and Google) on prose, code, tool calls, other languages, base64, hex and minified JSON.
 * On texts not used for the fit, the bound is about twice the true count and too low for fewer than 1 in 10,000
 * (docs/models.md).
 */
export function boundTokens(text: string): number {
  let tokens = text === "" ? 0 : PER_TEXT;
  let before = 0;
  let run = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isLower(code)) {
      const goesOn = isLower(before) || (isUpper(before) && run === 1);
      run = goesOn ? run + 1 : 1;
      tokens += goesOn ? (run > 10 ? LONG_WORD : run > 4 ? WORD_TAIL : 0) : WORD;
    } else if (isUpper(code)) {
      run = isUpper(before) ? run + 1 : 1;
      tokens += run > 1 ? UPPER : WORD;
    } else if (isBlank(code)) {
      if (code === before) tokens += REPEATED_BLANK;
      else if (code !== SPACE || isBlank(before)) tokens += BLANK;
    } else if (isDigit(code)) tokens += DIGIT;
    else if (code < 128) tokens += code === before ? REPEATED_SIGN : SIGN;
    else tokens += code === before ? scriptWeight(code) / 2 : scriptWeight(code);
    before = code;
  }
  return Math.ceil(tokens);
}

const PER_TEXT = 4;
/** The first four letters of a word. A capital starts a new word, so that random text counts as many words. */
const WORD = 1.5;
const WORD_TAIL = 0.25;
const LONG_WORD = 0.15;
const UPPER = 1.1;
const DIGIT = 1.1;
const SIGN = 1.1;
const REPEATED_SIGN = 0.35;
/** A line break, a tab, or spaces after one. A single space is part of the word after it. */
const BLANK = 1.4;
const REPEATED_BLANK = 0.07;
const SPACE = 32;

/** Tokens per UTF-16 unit of other scripts: the first code after each range, and the weight of the range. */
const scripts: readonly (readonly [end: number, weight: number])[] = [
  [0x250, 1.6], // Latin with accents
  [0x370, 2],
  [0x400, 1.6], // Greek
  [0x530, 1.1], // Cyrillic
  [0x590, 2.4], // Armenian
  [0x700, 1.7], // Hebrew, Arabic
  [0x900, 3],
  [0x980, 1.7], // Devanagari
  [0xe00, 3.3],
  [0xe80, 2], // Thai
  [0x2000, 3.3],
  [0x3000, 2.5], // punctuation, arrows, lines, symbols
  [0x3100, 1.7], // Kana
  [0xac00, 2], // Han
  [0xd7b0, 1.7], // Hangul
  [0xe000, 2], // half of a pair: emoji and rare signs
];

function scriptWeight(code: number): number {
  for (const [end, weight] of scripts) if (code < end) return weight;
  return 3;
}

function isLower(code: number): boolean {
  return code >= 97 && code <= 122;
}

function isUpper(code: number): boolean {
  return code >= 65 && code <= 90;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isBlank(code: number): boolean {
  return code === SPACE || (code >= 9 && code <= 13);
}

import { haveSameWords } from "../text/same-words.ts";

export interface OptionWord {
  /** `--config`, `-n`, `-uroot`. */
  readonly name: string;
  readonly value: string | null;
}

/** The words that only one of two calls has, in their order. Operands include values whose option both have. */
export interface WordChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly addedOptions: readonly OptionWord[];
  readonly removedOptions: readonly OptionWord[];
}

export function listWordChanges(before: readonly string[], after: readonly string[]): WordChanges {
  const [removed, added] = [splitWords(without(before, after)), splitWords(without(after, before))];
  return {
    added: added.operands,
    removed: removed.operands,
    addedOptions: added.options,
    removedOptions: removed.options,
  };
}

/** The value of an added option is the added word behind it. */
function splitWords(words: readonly (string | null)[]): {
  readonly options: readonly OptionWord[];
  readonly operands: readonly string[];
} {
  const options: OptionWord[] = [];
  const operands: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? null;
    if (word === null || word === "--" || word === "-") continue;
    if (!/^--?[A-Za-z]/.test(word)) {
      operands.push(word);
      continue;
    }
    const [, name = word, own = null] = /^(--?[A-Za-z][^=]*)=(.*)$/s.exec(word) ?? [];
    const next = words[at + 1] ?? null;
    const isValue = own === null && next !== null && !next.startsWith("-");
    options.push({ name, value: isValue ? next : own });
    if (isValue) at++;
  }
  return { options, operands };
}

/** The words in order; null where the other call has the word too. */
function without(words: readonly string[], others: readonly string[]): readonly (string | null)[] {
  const left = [...others];
  return words.map((word) => {
    const at = left.indexOf(word);
    if (at >= 0) left.splice(at, 1);
    return at < 0 ? word : null;
  });
}

/** True if words of both have another order. An option may move if it keeps what is behind it, and the others their order. */
export function isReordered(before: readonly string[], after: readonly string[]): boolean {
  const [was, now] = [keptIn(before, after), keptIn(after, before)];
  if (was.join("\n") === now.join("\n")) return false;
  const operands = (words: readonly string[]) => words.filter((word) => !word.startsWith("-")).join("\n");
  const pairs = (words: readonly string[]) =>
    words
      .flatMap((word, at) => (word.startsWith("-") ? [`${word} ${words[at + 1]?.replace(/^-.*/s, "") ?? ""}`] : []))
      .toSorted()
      .join("\n");
  return operands(was) !== operands(now) || pairs(was) !== pairs(now);
}

function keptIn(words: readonly string[], others: readonly string[]): readonly string[] {
  const other = without(words, others);
  return words.filter((_, at) => other[at] === null);
}

/**
 * True if one is the other, spelled in another way: `--feature` and `--features`, `-refresh=only` and `-refresh-only`,
 * `--environment` and `--env`, `--current` and `--show-current`.
 */
export function isNearOption(wrong: OptionWord, right: OptionWord): boolean {
  const [a, b] = [bare(wrong.name), bare(right.name)];
  // Of one letter, the case makes another option of it.
  if (letters(a).length < 3 || letters(b).length < 3) return false;
  const whole = ({ name, value }: OptionWord) => letters(bare(name) + (value ?? ""));
  if (letters(a) === letters(b) || whole(wrong) === letters(b) || letters(a) === whole(right)) return true;
  if (`${a}s` === b || `${b}s` === a || haveSameWords(a, b)) return true;
  if (`show-${a}` === b || `list-${a}` === b || `print-${a}` === b) return true;
  const [words, others] = [a.split("-"), b.split("-")];
  return words.length === others.length && words.every((word, at) => isShort(word, others[at] ?? ""));
}

/** True if the words are one, or one is the other, shortened: `dir`, `pkg`. */
function isShort(one: string, other: string): boolean {
  if (one === other) return true;
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  if (short.length < 3 || short[0] !== long[0]) return false;
  return long.startsWith(short) || (!/[aeiou]/.test(short) && isSubsequence(short, long));
}

function isSubsequence(short: string, long: string): boolean {
  let at = 0;
  for (const letter of long) if (letter === short[at]) at++;
  return at === short.length;
}

function bare(name: string): string {
  return name.replace(/^-+/, "");
}

function letters(text: string): string {
  return text.replace(/[^A-Za-z0-9]/g, "").toLowerCase();
}

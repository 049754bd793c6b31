import { isMisspelling } from "../../lib/nearest.ts";

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

/** True if one is the other, spelled right: `--feature` and `--features`, `-refresh=only` and `-refresh-only`. */
export function isNearOption(wrong: OptionWord, right: OptionWord): boolean {
  const letters = ({ name, value }: OptionWord, withValue: boolean) =>
    (withValue && value !== null ? name + value : name).replace(/[^A-Za-z0-9]/g, "").toLowerCase();
  const [a, b] = [letters(wrong, false), letters(right, false)];
  if (a === b || letters(wrong, true) === b || a === letters(right, true)) return true;
  return a.length > 2 && b.length > 2 && isMisspelling(a, b);
}

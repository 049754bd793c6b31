import type { Matcher } from "../../domain/rule/rule.ts";
import { mayTakeValue, type ShellCommand } from "../../domain/shell/command.ts";
import { flagTable } from "../../domain/shell/flags.ts";
import { CALL_TRAIT, maskNumbers } from "../../domain/shell/traits.ts";
import { plainPath } from "../../domain/shell/plain-path.ts";
import { typedStart } from "../../domain/shell/typed-head.ts";

/**
 * True if the rule is about the operands of this call: every call it matches has them, so that what worked instead may
 * be named with its own.
 */
export function pinsOperands({ has = [] }: Matcher, command: ShellCommand): boolean {
  if (has.some((trait) => trait.startsWith(CALL_TRAIT))) return true;
  const isNamed = (word: string) =>
    [word, plainPath(word, command.program)].some((one) =>
      [one, maskNumbers(one)].some((text) =>
        has.some((trait) => trait === `arg ${text}` || (/^arg -\S+ /.test(trait) && trait.endsWith(` ${text}`))),
      ),
    );
  const operands = operandsOf(command);
  return operands.length > 0 && operands.every(isNamed);
}

export function operandsOf({ args }: ShellCommand): readonly string[] {
  return args.filter((arg) => arg !== "-" && arg !== "--");
}

/**
 * What made the difference between two calls of one command, without operands, which belong to the one case: the
 * command with the options that only the second has. Null if that says nothing: other operands, or nothing but fewer
 * options.
 */
export function describeConstantChange(
  before: ShellCommand,
  after: ShellCommand,
): { readonly command: string; readonly valued: string } | null {
  const added = without(optionsOf(after), optionsOf(before));
  const dropped = without(operandsOf(before), operandsOf(after)).filter(
    // The value of an option that was left out.
    (word) => !optionsOf(before).some((option) => option.endsWith(` ${word}`)),
  );
  if (dropped.length > 0) return null;
  // The same command of another place: `.venv/bin/pip install`.
  if (added.length > 0 || typedStart(before) !== typedStart(after)) {
    const command = [typedStart(after), ...added].join(" ");
    return {
      command,
      valued: [typedStart(after), ...added.map((option) => withValue(option, before, after))].join(" "),
    };
  }
  const settings = without(after.assignments, before.assignments);
  if (settings.length === 0) return null;
  const command = [...settings, typedStart(after)].join(" ");
  return { command, valued: command };
}

/**
 * The command without the options that the failed call had too: they belong to the one case, unless the rule is about
 * them or about the very call.
 */
export function withoutSharedOptions(before: ShellCommand, after: ShellCommand, { has = [] }: Matcher): string {
  if (has.some((trait) => trait.startsWith(CALL_TRAIT))) return after.text;
  const isRequired = (option: string) => {
    const name = option.split(/[= ]/, 1)[0] ?? "";
    return has.some((trait) => trait === `flag ${name}` || trait.startsWith(`arg ${name} `));
  };
  const others = placedOptions(before).map(({ text }) => text);
  const shared = placedOptions(after).filter(({ text }) => others.includes(text) && !isRequired(text));
  if (shared.length === 0) return after.text;
  const isShared = (at: number) => shared.some(({ from, to }) => at >= from && at < to);
  const kept = after.words.filter((_, at) => !isShared(at)).map(quoteWord);
  const isWrapped = after.wrappers.some((one) => !before.wrappers.includes(one));
  const start = isWrapped ? [startOf(after)] : without(after.assignments, before.assignments);
  return [...start, ...kept].filter((word) => word !== "").join(" ");
}

/** What stands before the program. */
function startOf({ text, words }: ShellCommand): string {
  return text.slice(0, Math.max(0, text.indexOf(words[0] ?? ""))).trim();
}

function quoteWord(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Options with the places of their words; the word behind an option is its value if it may be one. */
function placedOptions({ program, head, words }: ShellCommand): readonly {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}[] {
  const table = flagTable(program, head.split(" ").slice(1));
  return words.flatMap((word, from) => {
    const isBehindOperands = words.slice(0, from).includes("--");
    if (from === 0 || isBehindOperands || !/^--?[A-Za-z]/.test(word)) return [];
    const next = words[from + 1];
    const mayHave = table.takesValue(word) || (!table.complete && mayTakeValue(word));
    const isValued = mayHave && next !== undefined && !next.startsWith("-");
    return [{ text: isValued ? `${word} ${next}` : word, from, to: from + (isValued ? 2 : 1) }];
  });
}

/** The option with the word behind it, if only the second call has that word too. */
function withValue(option: string, before: ShellCommand, after: ShellCommand): string {
  const next = after.words[after.words.indexOf(option) + 1];
  const isValue = option.startsWith("--") && next !== undefined && /^[^-\s]\S*$/.test(next);
  return isValue && !before.words.includes(next) ? `${option} ${next}` : option;
}

/** Options in order, each with its value if it is known to take one. */
function optionsOf({ program, head, words }: ShellCommand): readonly string[] {
  const table = flagTable(program, head.split(" ").slice(1));
  const options: string[] = [];
  for (const [at, word] of words.entries()) {
    if (word === "--") break;
    if (at === 0 || !word.startsWith("-") || word === "-") continue;
    const next = words[at + 1];
    options.push(table.takesValue(word) && next !== undefined && !/\s/.test(next) ? `${word} ${next}` : word);
  }
  return options;
}

function without(words: readonly string[], others: readonly string[]): readonly string[] {
  const left = [...others];
  return words.filter((word) => {
    const at = left.indexOf(word);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

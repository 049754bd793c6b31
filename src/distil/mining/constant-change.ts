import type { Matcher } from "../../domain/rule/rule.ts";
import type { ShellCommand } from "../../domain/shell/command.ts";
import { flagTable } from "../../domain/shell/flags.ts";
import { CALL_TRAIT, maskNumbers } from "../../domain/shell/traits.ts";
import { plainPath } from "../../domain/shell/plain-path.ts";
import { typedHead } from "../../domain/shell/typed-head.ts";

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
  if (added.length > 0 || typedHead(before) !== typedHead(after)) {
    const command = [typedHead(after), ...added].join(" ");
    return {
      command,
      valued: [typedHead(after), ...added.map((option) => withValue(option, before, after))].join(" "),
    };
  }
  const settings = without(after.assignments, before.assignments);
  if (settings.length === 0) return null;
  const command = [...settings, typedHead(after)].join(" ");
  return { command, valued: command };
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

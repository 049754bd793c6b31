import { isOfNetwork, isOfPerson, isOfValues } from "../domain/cause/blame.ts";
import type { CauseKind } from "../domain/cause/patterns.ts";
import type { Event } from "../domain/event/event.ts";
import { hintIn } from "../domain/event/hint.ts";
import { prefixOf } from "../domain/event/instead.ts";
import { matches } from "../domain/rule/matcher.ts";
import type { Matcher } from "../domain/rule/rule.ts";
import { type Command, commandsOf, isShellTool, mainCommand, scriptOf } from "../domain/shell/command.ts";
import { shellTextOf } from "../domain/shell/shell-text.ts";
import { stepsOf } from "../domain/shell/step.ts";

/** What the rule is about whose remedy is looked for. */
export interface Warned {
  readonly kind: CauseKind | null;
  readonly matcher: Matcher;
}

/** Whether a call that worked later can be what to do instead: by why the first one failed, and by what the rule warns of. */
export function mayHelp({ kind, matcher }: Warned, failed: Event, by: Event): boolean {
  const after = mainCommand(shellOf(by));
  const before = mainCommand(shellOf(failed));
  const prefix = before === null || after === null ? null : prefixOf(before, after);
  // With something put before it, the same command is another call.
  const isSame = before !== null && before.text === after?.text;
  if (!isSame && matches(matcher, stepsOf({ ...by, tool: by.tool ?? "" }), new Set())) return false;
  if (isNamedIn(failed.error ?? failed.text ?? "", after, prefix)) return true;
  // `sh tools/up.sh` where `tools/up.sh` may not be run.
  if (isOfPerson(kind)) return kind === "no-permission" && prefix !== null;
  // What was put before the same call did not bring the network back.
  if (isSame) return !isOfNetwork(kind);
  if (isOfValues(kind) || after === null) return true;
  return !commandsOf(shellOf(failed)).some((one) => isOtherValue(one, after));
}

function shellOf({ tool, input }: Event): string {
  return tool !== null && isShellTool(tool) ? (shellTextOf(input) ?? "") : "";
}

function isNamedIn(error: string, after: Command | null, prefix: string | null): boolean {
  if (prefix !== null && error.includes(prefix)) return true;
  const hint = hintIn(error);
  return hint !== null && after !== null && ` ${after.text} `.includes(` ${hint} `);
}

/** The same command with the same options on something else: `--stage 8` for `--stage 7`. It does other work. */
function isOtherValue(one: Command, other: Command): boolean {
  const [a, b] = [scriptOf(one), scriptOf(other)];
  if (a !== null && b !== null) return a.words[0] === b.words[0] && options(a) === options(b);
  return a === null && b === null && one.head === other.head && options(one) === options(other);
}

function options({ flags, assignments, wrappers }: Command): string {
  return JSON.stringify([flags.map((flag) => flag.replace(/^(-[A-Za-z])\d+$/, "$1")), assignments, wrappers]);
}

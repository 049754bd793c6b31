import { isTestRunner } from "../event/alternative-call.ts";
import type { ShellCommand } from "../shell/command.ts";

/** Programs that only show something, whatever their options are. */
const showing: ReadonlySet<string> = new Set(
  "cat ls head tail grep egrep fgrep wc stat file cut nl tac du df jq diff tree xxd od".split(" "),
);

/** Options by which a test runner runs fewer tests. */
const narrowing: ReadonlySet<string> = new Set("-k -t -run --filter --grep --testNamePattern --test".split(" "));

/** True if one more option can do no harm, though no error names it. */
export function isHarmlessOption(command: ShellCommand, option: string): boolean {
  return showing.has(command.program) || (narrowing.has(option) && isTestRunner(command));
}

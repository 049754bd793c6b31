import { isTestRunner } from "../event/alternative-call.ts";
import type { ShellCommand } from "../shell/command.ts";
import { isWritingOption, onlyShows } from "../shell/only-shows.ts";

/** Options by which a test runner runs fewer tests. */
const narrowing: ReadonlySet<string> = new Set("-k -t -run --filter --grep --testNamePattern --test".split(" "));

/** True if one more option can do no harm, though no error names it. */
export function isHarmlessOption(command: ShellCommand, option: string): boolean {
  const isOfShowing = onlyShows(command) && !isWritingOption(command, option);
  return isOfShowing || (narrowing.has(option) && isTestRunner(command));
}

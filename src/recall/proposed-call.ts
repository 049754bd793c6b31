import { isShellTool, mainCommand, shellTextOf } from "../domain/command.ts";
import type { ProposedCall } from "../domain/rule.ts";

/** What matchers look at, read off a call that has not run yet. */
export function proposedCall(tool: string, input: unknown): ProposedCall {
  if (!isShellTool(tool)) return { tool, head: null, command: null };
  const shell = shellTextOf(input);
  const main = shell === null ? null : mainCommand(shell);
  return { tool: "shell", head: main?.head ?? null, command: main?.text ?? null };
}

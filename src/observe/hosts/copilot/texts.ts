import { hashText } from "../../../lib/hash.ts";

/** Copilot reports success for every command that it could start; the exit code is in the last line. */
export function readCopilotExitCode(tool: string, text: string | null): number | null {
  if (text === null || !shells.test(tool)) return null;
  const code = trailer.exec(text.slice(-200))?.[1];
  return code === undefined ? null : Number(code);
}

/** The shell, and the tools that poll a running one. */
const shells = /^(?:\w+_)?(?:bash|powershell|shell)$/;
const trailer = /<(?:shellId: [^\s>]+ completed|exited|command) with exit code (-?\d{1,10})>\s*$/;

/** Hooks identify a prompt only by its time; the transcript records what the hooks were sent. */
export function copilotPromptId(at: number, prompt: string): string {
  return `${at}:${hashText(prompt.trim())}`;
}

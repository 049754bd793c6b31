import { hashText } from "../../../lib/hash.ts";

/** Copilot says that all is well with every command that it could start; how it ended stands in the last line. */
export function readCopilotExitCode(tool: string, text: string | null): number | null {
  if (text === null || !shells.test(tool)) return null;
  const code = trailer.exec(text.slice(-200))?.[1];
  return code === undefined ? null : Number(code);
}

/** The shell itself, and the tools that look after one that runs on. */
const shells = /^(?:\w+_)?(?:bash|powershell|shell)$/;
const trailer = /<(?:shellId: [^\s>]+ completed|exited|command) with exit code (-?\d{1,10})>\s*$/;

/** Hooks know a prompt by its time only, and the transcript keeps what hooks were told. */
export function copilotPromptId(at: number, prompt: string): string {
  return `${at}:${hashText(prompt.trim())}`;
}

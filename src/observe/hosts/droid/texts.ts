/** The exit code of a command, from the last line of its text. */
export function readDroidExitCode(tool: string, text: string | null): number | null {
  if (tool !== "Execute" || text === null) return null;
  const code = /\[Process exited with code (-?\d{1,10})\]\s*$/.exec(text.slice(-200))?.[1];
  return code === undefined ? null : Number(code);
}

import { isRecord } from "../../lib/json.ts";

/** Returns the shell text of a call's input, from any host's field; null if there is none. */
export function findShellText(input: unknown): string | null {
  if (typeof input === "string") return input;
  if (Array.isArray(input)) return argvText(input);
  if (!isRecord(input)) return null;
  for (const field of ["command", "cmd", "commands", "script", "shell_command", "CommandLine", "command_line"]) {
    const value = input[field];
    if (typeof value === "string") return value;
    if (Array.isArray(value))
      return field === "commands" ? value.filter((line) => typeof line === "string").join("\n") : argvText(value);
  }
  return null;
}

function argvText(argv: readonly unknown[]): string | null {
  const words = argv.filter((word): word is string => typeof word === "string");
  if (words.length === 0) return null;
  if (words.length === 1) return words[0] ?? null;
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(" ");
}

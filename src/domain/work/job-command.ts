import { redact } from "../redact/redact.ts";

/**
 * What is wrong with a command: whatever is stored has its secrets replaced, so a command with one would run with a
 * placeholder. Null if it can be stored as it is.
 */
export function findCommandFault(command: string): string | null {
  return redact(command) === command ? null : "the command contains a secret, and secrets are not stored";
}

/** True if an earlier version stored a placeholder instead of a secret. */
export function hasPlaceholder(command: string): boolean {
  return /\[redacted:[\w-]+\]/.test(command);
}

/**
 * True if a result says that its call never ran. Loose, because a call that ran was already reported by its own
 * event.
 */
export function isNeverRun(text: string): boolean {
  return knownRefusal.test(text) || needsApproval.test(text);
}

/**
 * The text of a refusal, recognisable as one by itself. Newer versions begin some with the command (`touch in '…'
 * needs approval.`), which looks like output of a command.
 */
export function toRefusalText(tool: string, text: string): string {
  return knownRefusal.test(text) ? text : `Permission to use ${tool} was denied: ${text}`;
}

const knownRefusal =
  /^(<tool_use_error>|PreToolUse:\S+ hook error:|Permission to use |Permission for this tool use was denied|Claude requested permissions |The user doesn't want to proceed )/;

const needsApproval = /^[^\n]{1,1000}? (?:(?:needs|requires) approval\b|was blocked\. For security)/;

/**
 * True if this is the client's wording for the user's refusal. A tool can print it too; only the transcript marks the
 * difference.
 */
export function isUserRefusal(refusal: string): boolean {
  return /^The user|The user said:/.test(refusal);
}

/**
 * The output of a call that ran, but has no exit code. If it reads like a refusal, it gets a prefix, so that it does
 * not count as the user's refusal.
 */
export function toPrintedText(text: string): string {
  return /^(?!Exit code)(?=[^]{0,400}\buser\b)[^]{0,400}(?:want to|reject|declin|denie|refus|cancel)/i.test(text)
    ? `It printed: ${text}`
    : text;
}

/** Whether a result that the model was shown says that its call never ran. Loose: a call that ran was told before by its own event. */
export function isNeverRun(text: string): boolean {
  return knownRefusal.test(text) || needsApproval.test(text);
}

/**
 * A refusal in words that say so by themselves. Newer versions begin some with the command (`touch in '…' needs
 * approval.`), which alone cannot be told from what a command printed.
 */
export function toRefusalText(tool: string, text: string): string {
  return knownRefusal.test(text) ? text : `Permission to use ${tool} was denied: ${text}`;
}

const knownRefusal =
  /^(<tool_use_error>|PreToolUse:\S+ hook error:|Permission to use |Permission for this tool use was denied|Claude requested permissions |The user doesn't want to proceed )/;

const needsApproval = /^[^\n]{1,1000}? (?:(?:needs|requires) approval\b|was blocked\. For security)/;

/**
 * Whether these are the words of the client for its user's no. A batch carries them, but a tool can print them too: only the
 * transcript marks whose they are.
 */
export function isUserRefusal(refusal: string): boolean {
  return /^The user|The user said:/.test(refusal);
}

/** What a call printed that did run, and had no exit code to show for it. In the words of a refusal it would count as its user's no. */
export function toPrintedText(text: string): string {
  return /^(?!Exit code)(?=[^]{0,400}\buser\b)[^]{0,400}(?:want to|reject|declin|denie|refus|cancel)/i.test(text)
    ? `It printed: ${text}`
    : text;
}

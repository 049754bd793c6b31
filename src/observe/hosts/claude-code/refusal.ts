/** Whether a result that the model was shown says that its call never ran. Loose: a call that ran was told before by its own event. */
export function neverRan(text: string): boolean {
  return known.test(text) || needsApproval.test(text);
}

/**
 * A refusal in words that say so by themselves. Newer versions begin some with the command (`touch in '…' needs
 * approval.`), which alone cannot be told from what a command printed.
 */
export function asRefusal(tool: string, text: string): string {
  return known.test(text) ? text : `Permission to use ${tool} was denied: ${text}`;
}

const known =
  /^(<tool_use_error>|PreToolUse:\S+ hook error:|Permission to use |Permission for this tool use was denied|Claude requested permissions |The user doesn't want to proceed )/;

const needsApproval = /^[^\n]{1,1000}? (?:(?:needs|requires) approval\b|was blocked\. For security)/;

/** The words with which the client tells that its user said no. Neither a hook nor a batch is ever told of that: only the transcript is. */
const userRefused =
  /^(?:Error: )?(?:The user (?:doesn't|does not|didn't) want to|Permission for this tool use was denied\.[^]{0,400}\bThe user said:|User rejected tool use|(?:Tool use |The tool use |Command )?(?:was )?(?:rejected|declined) by (?:the )?user\b|\[Request interrupted by user)/i;

export function saysUserRefused(text: string): boolean {
  return userRefused.test(text.trimStart());
}

/** What a call printed that did run. In the words of a refusal it would count as its user's no. */
export function asPrinted(text: string): string {
  return saysUserRefused(text) ? `It printed: ${text}` : text;
}

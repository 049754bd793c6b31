/** A rule as shown to an agent. It contains the id, so that we recognise the message when a host returns it. */
export function renderRuleMessage(id: string, text: string): string {
  return `oldhand, rule ${id}: ${text}`;
}

/** The message of a hold: the rule, and that a repeated call passes. */
export function renderHoldMessage(id: string, text: string): string {
  return `${HELD} rule ${id}: ${text} Repeat the call if you mean it.`;
}

const HELD = "oldhand, held once by";

/** What the message of every hold has. */
export const HELD_MESSAGE = `${HELD} rule `;

/** A regular expression for the beginning of such a message. */
export const RULE_MESSAGE_PREFIX = String.raw`oldhand, (?:held once by )?rule \S{1,40}: `;

/** True if the error of a call that did not run contains our hold message, whichever host wrapped it. */
export function isHeldByUs(error: string | null): boolean {
  return error !== null && new RegExp(String.raw`\b${HELD} rule \S{1,40}: `).test(error.slice(0, 400));
}

/** How oldhand's own command and tool refuse. The program worked; the action is not allowed for an agent. */
export const OUR_REFUSAL = /^(?:Error: )?(?:oldhand: .{1,500} \[refused\]|\{"error":\{"code":"refused")/m;

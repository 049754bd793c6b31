/** A rule as it is said by itself: with its id, so that what comes back in a host's words is recognised. */
export function renderRuleMessage(id: string, text: string): string {
  return `oldhand, rule ${id}: ${text}`;
}

/** The same where the call is held once: what to do instead, and that the repeat passes. */
export function renderHoldMessage(id: string, text: string): string {
  return `${HELD} rule ${id}: ${text} Repeat the call if you mean it.`;
}

const HELD = "oldhand, held once by";

/** How such a sentence begins, as a pattern. */
export const RULE_MESSAGE_PREFIX = String.raw`oldhand, (?:held once by )?rule \S{1,40}: `;

/** Of a call that did not run: whether a rule of ours held it, whoever passes the words on. */
export function isHeldByUs(error: string | null): boolean {
  return error !== null && new RegExp(String.raw`\b${HELD} rule \S{1,40}: `).test(error.slice(0, 400));
}

/** What our own program answers where it refuses, as command and as tool: it works, and this was not for an agent to do. */
export const OUR_REFUSAL = /^(?:Error: )?(?:oldhand: .{1,500} \[refused\]|\{"error":\{"code":"refused")/m;

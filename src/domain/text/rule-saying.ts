/** A rule as it is said by itself: with its id, so that what comes back in a host's words is recognised. */
export function namedSaying(id: string, text: string): string {
  return `oldhand, rule ${id}: ${text}`;
}

/** How such a sentence begins, as a pattern. */
export const RULE_SAYING = String.raw`oldhand, rule \S{1,40}: `;

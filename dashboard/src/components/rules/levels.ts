/** How hard a rule insists, softest first. */
export const levels = ["watch", "advise", "nudge", "ask", "deny"] as const;

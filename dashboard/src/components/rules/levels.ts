/** How strongly a rule acts, weakest first. */
export const levels = ["watch", "advise", "nudge", "ask", "deny"] as const;

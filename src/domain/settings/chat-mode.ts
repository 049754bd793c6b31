/** What oldhand's own agent may do without a person's yes. */
export const chatModes = ["read-only", "ask", "edit", "unattended"] as const;
export type ChatMode = (typeof chatModes)[number];

/** What oldhand's own agent may do without a person's yes. */
export const chatModes = ["read-only", "ask", "edit", "unattended"] as const;
export type ChatMode = (typeof chatModes)[number];

/** For the person who chooses one. Without a full stop. */
export const describeMode: Readonly<Record<ChatMode, string>> = {
  "read-only": "only reads; no changes, no commands, no contact outside",
  ask: "each change, each command and each contact outside waits for your yes",
  edit: "changes files and runs sandboxed commands; asks for the rest",
  unattended: "like edit, but asks nobody: what would ask is refused",
};

/** What the person is told if a session does not go on in the mode that it was left in. `change`: how to get that mode back. */
export function describeModeBack(before: ChatMode, now: ChatMode, change: string): string {
  return `The session was in the mode ${before}. It goes on in ${now}, as set by chat.mode. To change it: ${change} ${before}`;
}

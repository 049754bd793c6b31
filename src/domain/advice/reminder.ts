import type { Policy } from "../policy.ts";

export type Reminder = "ask" | "insist" | "closing";

/**
 * Returns the reminder to show to a session that has saved nothing, or null. Each is shown once; repeating it does not
 * help.
 */
export function chooseReminder(
  session: { readonly interactions: number; readonly logged: boolean; readonly prompt: string },
  wasShown: (reminder: Reminder) => boolean,
  policy: Pick<Policy["recall"], "remindAfter" | "insistAfter">,
): Reminder | null {
  if (session.logged) return null;
  // In the first two interactions there is nothing to save yet.
  if (isClosingPrompt(session.prompt) && session.interactions > 2 && !wasShown("closing")) return "closing";
  if (session.interactions >= policy.insistAfter) return wasShown("insist") ? null : "insist";
  return session.interactions >= policy.remindAfter && !wasShown("ask") ? "ask" : null;
}

/** True if the user is ending the session. */
export function isClosingPrompt(prompt: string): boolean {
  return prompt.length <= LONGEST && closing.test(prompt);
}

/** A longer prompt is a task that happens to mention an end. */
const LONGEST = 300;

const closing =
  /\b(?:log (?:memories|state)|save (?:state|memories)|clos(?:e|ing) (?:out|session|chat|this session)|wrap(?:ping)? (?:this |it |things )?up|end (?:the |this )?(?:session|chat)|shut(?:ting)? down for|before (?:i |we )?(?:close|go|leave)\b|sign(?:ing)? off|that'?s (?:all|it) for (?:today|now)|(?:we'?re|i'?m) done (?:for (?:today|now)|here)|call it a day|good ?night|goodbye)\b/i;

/** How an agent can save something in its host. `own`: it is oldhand's own agent. */
export type LogAccess = "own" | "tools" | "commands" | "nothing";

const names: Readonly<Record<Exclude<LogAccess, "nothing">, string>> = {
  own: "your tool `remember`",
  tools: "oldhand's tools `mistake`, `win` or `remember`",
  commands: "`oldhand mistake`, `oldhand win` or `oldhand remember`",
};

/** Null if the agent has no means to save anything; then no reminder is shown. */
export function describeLogAccess(access: LogAccess): string | null {
  return access === "nothing" ? null : names[access];
}

export function formatReminder(reminder: Reminder, means: string): string {
  switch (reminder) {
    case "ask":
      return `Nothing from this session is saved yet. If a later session should know something from it, save that with ${means}.`;
    case "insist":
      return `This session is long and nothing from it is saved. Save now what a later session must know, with ${means}.`;
    case "closing":
      return `The session is about to end and nothing from it is saved. Before you answer, save what was learned with ${means}; if there is nothing, say so.`;
  }
}

import type { Policy } from "../policy.ts";

export type Reminder = "ask" | "insist" | "closing";

/**
 * Whether a session that has written nothing down should be reminded of it, and how. Each only once: who was told does
 * not forget it by being told again.
 */
export function chooseReminder(
  session: { readonly interactions: number; readonly logged: boolean; readonly prompt: string },
  wasShown: (reminder: Reminder) => boolean,
  policy: Pick<Policy["recall"], "remindAfter" | "insistAfter">,
): Reminder | null {
  if (session.logged) return null;
  // Three words into a session there is nothing to write down yet.
  if (isClosingPrompt(session.prompt) && session.interactions > 2 && !wasShown("closing")) return "closing";
  if (session.interactions >= policy.insistAfter) return wasShown("insist") ? null : "insist";
  return session.interactions >= policy.remindAfter && !wasShown("ask") ? "ask" : null;
}

/** Whether somebody takes leave. */
export function isClosingPrompt(prompt: string): boolean {
  return prompt.length <= LONGEST && closing.test(prompt);
}

/** Longer is a task that happens to mention an end. */
const LONGEST = 300;

const closing =
  /\b(?:log (?:memories|state)|save (?:state|memories)|clos(?:e|ing) (?:out|session|chat|this session)|wrap(?:ping)? (?:this |it |things )?up|end (?:the |this )?(?:session|chat)|shut(?:ting)? down for|before (?:i |we )?(?:close|go|leave)\b|sign(?:ing)? off|that'?s (?:all|it) for (?:today|now)|(?:we'?re|i'?m) done (?:for (?:today|now)|here)|call it a day|good ?night|goodbye)\b/i;

/** By what an agent can write something down where it works. */
export type LogAccess = "tools" | "commands" | "nothing";

const names: Readonly<Record<Exclude<LogAccess, "nothing">, string>> = {
  tools: "oldhand's tools `mistake`, `win` or `remember`",
  commands: "`oldhand mistake`, `oldhand win` or `oldhand remember`",
};

/** Null where there is nothing to write it down with: then nobody is asked to. */
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

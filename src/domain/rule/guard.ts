import { OUR_REFUSAL, RULE_MESSAGE_PREFIX } from "../text/rule-message-text.ts";

/** Who held a call back, and why, as the host told it. */
export interface Block {
  readonly by: "hook" | "permissions" | "policy";
  /** Which hook, where the host says so. */
  readonly rule: string | null;
  readonly reason: string;
}

/** Of a call that was denied; null where it was a rule of ours, which is in the record of what was shown, or our own program. */
export function parseBlock(error: string): Block | null {
  const text = error.replace(/^Error: /, "").trim();
  if (ourReason.test(text.slice(0, 400)) || OUR_REFUSAL.test(text)) return null;
  const hook =
    /^(?:Pre|Post)ToolUse:\S* hook (?:error|blocked|denied|stopped)[^:\n]*:?\s*(?:\[([^\]\n]{1,200})\]:?\s*)?/.exec(
      text,
    );
  if (hook) return { by: "hook", rule: nameOf(hook[1]), reason: text.slice(hook[0].length).trim() };
  const other =
    /^(?:Hook \S+ (?:denied|blocked)|Tool execution blocked: |(?:Blocked|Denied) by (?:a |the )?(?:\S+ )?hook)/i.exec(
      text,
    );
  if (other) return { by: "hook", rule: null, reason: text.slice(other[0].length).trim() };
  return { by: /permission|approval/i.test(text.slice(0, 400)) ? "permissions" : "policy", rule: null, reason: text };
}

/** Behind the words of whoever passed it on. */
const ourReason = new RegExp(String.raw`\b${RULE_MESSAGE_PREFIX}`);

/** The program of a hook's command line, without its folder. */
function nameOf(command: string | undefined): string | null {
  const words = (command ?? "").split(/\s+/).map((word) => word.split(/[/\\]/).at(-1) ?? "");
  return words.findLast((word) => /^[\w.-]+\.\w+$/.test(word)) ?? words[0] ?? null;
}

import { OUR_REFUSAL, RULE_MESSAGE_PREFIX } from "../text/rule-message-text.ts";

/** Who blocked a call, and why, as the host reported it. */
export interface Block {
  readonly by: "hook" | "permissions" | "policy";
  /** The name of the hook, if the host reports it. */
  readonly rule: string | null;
  readonly reason: string;
}

/** Parses the error of a denied call. Null if our own rule or program denied it; those are recorded elsewhere. */
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

/** May follow the words of the host that passed it on. */
const ourReason = new RegExp(String.raw`\b${RULE_MESSAGE_PREFIX}`);

/** The program in a hook's command line, without its folder. */
function nameOf(command: string | undefined): string | null {
  const words = (command ?? "").split(/\s+/).map((word) => word.split(/[/\\]/).at(-1) ?? "");
  return words.findLast((word) => /^[\w.-]+\.\w+$/.test(word)) ?? words[0] ?? null;
}

import { renderHoldMessage, renderRuleMessage } from "../../text/rule-message-text.ts";
import { describeTool, asToolName } from "../../text/tool-name.ts";
import { isApproved } from "../backing.ts";
import type { Rule } from "../rule.ts";

/** A rule's sentence as agents see it. Removes unsafe tool names, which older rules may contain. */
export function formatRuleText({ text, origin, matcher }: Pick<Rule, "text" | "origin" | "matcher">): string {
  const tool = matcher?.tool ?? "";
  if (origin === "owner" || tool === "" || asToolName(tool) !== null) return text;
  const names = [tool, tool.replaceAll(/\s+/g, " ").trim()];
  return names.reduce((result, name) => result.replaceAll(name, describeTool(tool)), text);
}

type RuleToFormat = Pick<Rule, "id" | "text" | "origin" | "matcher" | "status">;

/** The rule as a message, with its id, and marked if it is not approved. */
export function formatRuleMessage(rule: RuleToFormat): string {
  return renderRuleMessage(rule.id, markedText(rule));
}

function markedText(rule: RuleToFormat): string {
  return isApproved(rule) ? formatRuleText(rule) : `${formatRuleText(rule)} (candidate; not yet reviewed)`;
}

/** The message of a hold. Other rules that hold the same call are included. */
export function formatHoldMessage([rule, ...others]: readonly [RuleToFormat, ...RuleToFormat[]]): string {
  return renderHoldMessage(rule.id, [markedText(rule), ...others.map(formatRuleMessage)].join(" "));
}

/** The message of a denied call. Says who can allow it, because the agent cannot. */
export function formatDenyMessage(rule: RuleToFormat): string {
  return `${formatRuleMessage(rule)} Only the user can allow it, once, in a terminal: oldhand override ${rule.id}`;
}

/** For the person: which rule stopped the call, and what lets it pass. */
export function formatStopForPerson(
  [rule, ...others]: readonly [RuleToFormat & Pick<Rule, "level">, ...RuleToFormat[]],
  delivery: "hold" | "deny",
): string {
  const text = [markedText(rule), ...others.map(formatRuleMessage)].join(" ").replace(/[^.!?]$/, "$&.");
  if (delivery === "hold") return `Held once by rule ${rule.id}: ${text} If the agent repeats the call, it passes.`;
  const what =
    rule.level === "ask" ? `Rule ${rule.id} wants your yes, and nobody can be asked here` : `Denied by rule ${rule.id}`;
  return `${what}: ${text} To allow it once: oldhand override ${rule.id}`;
}

/** The message for a rule at `ask` on a host that cannot ask. Says how the owner can allow it. */
export function formatUnaskedMessage(rule: RuleToFormat): string {
  return `${formatRuleMessage(rule)} This host cannot ask the user, so the call is refused. Only the user can allow it, once, in a terminal: oldhand override ${rule.id}`;
}

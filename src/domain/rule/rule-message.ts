import { renderHoldMessage, renderRuleMessage } from "../text/rule-message-text.ts";
import { describeTool, asToolName } from "../text/tool-name.ts";
import { isApproved } from "./backing.ts";
import type { Rule } from "./rule.ts";

/** A rule's sentence as agents hear it. One that was written while a tool's name could say anything says it no more. */
export function formatRuleText({ text, origin, matcher }: Pick<Rule, "text" | "origin" | "matcher">): string {
  const tool = matcher?.tool ?? "";
  if (origin === "owner" || tool === "" || asToolName(tool) !== null) return text;
  const names = [tool, tool.replaceAll(/\s+/g, " ").trim()];
  return names.reduce((result, name) => result.replaceAll(name, describeTool(tool)), text);
}

type RuleToFormat = Pick<Rule, "id" | "text" | "origin" | "matcher" | "status">;

/** The same as a sentence of its own, with the rule's id, and with a word where nobody has approved it. */
export function formatRuleMessage(rule: RuleToFormat): string {
  return renderRuleMessage(rule.id, markedText(rule));
}

function markedText(rule: RuleToFormat): string {
  return isApproved(rule) ? formatRuleText(rule) : `${formatRuleText(rule)} (candidate; not yet reviewed)`;
}

/** The same where it holds the call; rules that hold it too are said in one text with it. */
export function formatHoldMessage([rule, ...others]: readonly [RuleToFormat, ...RuleToFormat[]]): string {
  return renderHoldMessage(rule.id, [markedText(rule), ...others.map(formatRuleMessage)].join(" "));
}

/** The same where the call is refused for good: who lets it pass, as the agent cannot. */
export function formatDenyMessage(rule: RuleToFormat): string {
  return `${formatRuleMessage(rule)} Only the user can allow it, once, in a terminal: oldhand override ${rule.id}`;
}

/** The same where its owner would be asked, but the host cannot: how the owner lets it pass. */
export function formatUnaskedMessage(rule: RuleToFormat): string {
  return `${formatRuleMessage(rule)} This host cannot ask the user, so the call is refused. The owner can allow it once: oldhand override ${rule.id}`;
}

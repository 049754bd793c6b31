import { heldSaying, namedSaying } from "../text/rule-saying.ts";
import { toolInWords, toolName } from "../text/tool-name.ts";
import { isApproved } from "./backing.ts";
import type { Rule } from "./rule.ts";

/** A rule's sentence as agents hear it. One that was written while a tool's name could say anything says it no more. */
export function spokenText({ text, origin, matcher }: Pick<Rule, "text" | "origin" | "matcher">): string {
  const tool = matcher?.tool ?? "";
  if (origin === "owner" || tool === "" || toolName(tool) !== null) return text;
  const names = [tool, tool.replaceAll(/\s+/g, " ").trim()];
  return names.reduce((said, name) => said.replaceAll(name, toolInWords(tool)), text);
}

type Sayable = Pick<Rule, "id" | "text" | "origin" | "matcher" | "status">;

/** The same as a sentence of its own, with the rule's id, and with a word where nobody has approved it. */
export function ruleSaying(rule: Sayable): string {
  return namedSaying(rule.id, markedText(rule));
}

function markedText(rule: Sayable): string {
  return isApproved(rule) ? spokenText(rule) : `${spokenText(rule)} (candidate; not yet reviewed)`;
}

/** The same where it holds the call; rules that hold it too are said in one text with it. */
export function holdSaying([rule, ...others]: readonly [Sayable, ...Sayable[]]): string {
  return heldSaying(rule.id, [markedText(rule), ...others.map(ruleSaying)].join(" "));
}

/** The same where the call is refused for good: who lets it pass, as the agent cannot. */
export function deniedSaying(rule: Sayable): string {
  return `${ruleSaying(rule)} Only the user can allow it, once, in a terminal: oldhand override ${rule.id}`;
}

/** The same where its owner would be asked, but the host cannot: how the owner lets it pass. */
export function unaskedSaying(rule: Sayable): string {
  return `${ruleSaying(rule)} This host cannot ask the user, so the call is refused. The owner can allow it once: oldhand override ${rule.id}`;
}

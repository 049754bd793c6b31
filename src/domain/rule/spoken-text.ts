import { heldSaying, namedSaying } from "../text/rule-saying.ts";
import { toolInWords, toolName } from "../text/tool-name.ts";
import type { Rule } from "./rule.ts";

/** A rule's sentence as agents hear it. One that was written while a tool's name could say anything says it no more. */
export function spokenText({ text, origin, matcher }: Pick<Rule, "text" | "origin" | "matcher">): string {
  const tool = matcher?.tool ?? "";
  if (origin === "owner" || tool === "" || toolName(tool) !== null) return text;
  const names = [tool, tool.replaceAll(/\s+/g, " ").trim()];
  return names.reduce((said, name) => said.replaceAll(name, toolInWords(tool)), text);
}

/** The same as a sentence of its own, with the rule's id. */
export function ruleSaying(rule: Pick<Rule, "id" | "text" | "origin" | "matcher">): string {
  return namedSaying(rule.id, spokenText(rule));
}

/** The same where it holds the call. */
export function holdSaying(rule: Pick<Rule, "id" | "text" | "origin" | "matcher">): string {
  return heldSaying(rule.id, spokenText(rule));
}

/** The same where its owner would be asked, but the host cannot: how the owner lets it pass. */
export function unaskedSaying(rule: Pick<Rule, "id" | "text" | "origin" | "matcher">): string {
  return `${ruleSaying(rule)} Nobody can be asked here, so the call is refused. Its owner lets it pass once with: oldhand override ${rule.id}`;
}

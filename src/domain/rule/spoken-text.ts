import { namedSaying } from "../text/rule-saying.ts";
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

/** The same as a sentence of its own, with the rule's id, and with a word where nobody has approved it. */
export function ruleSaying(rule: Pick<Rule, "id" | "text" | "origin" | "matcher" | "status">): string {
  const said = namedSaying(rule.id, spokenText(rule));
  return isApproved(rule) ? said : `${said} (likely; not yet reviewed)`;
}

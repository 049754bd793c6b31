import { findBlockReason } from "./instruction-like.ts";
import { isFromUserWords } from "../rule/backing.ts";
import { scopeCovers, type ActiveRule, isSpeaking } from "../rule/rule.ts";

/** True if a rule may be shown to agents of this workspace, at any moment, in a rules file or in a team's file. */
export function canShowRule(rule: RuleToShow & Pick<ActiveRule, "scope">, workspace: string | null): boolean {
  return scopeCovers(rule.scope, workspace) && isShowable(rule);
}

type RuleToShow = Pick<ActiveRule, "status" | "level" | "origin" | "text" | "signature">;

/**
 * True if a rule may be shown to agents at all. Approved rules may. Before approval, external rules and rules from
 * users' words may not, nor texts that read like instructions.
 */
export function isShowable(rule: RuleToShow): boolean {
  if (!isSpeaking(rule)) return false;
  if (rule.status === "approved") return true;
  if (isFromUserWords(rule)) return false;
  return rule.origin !== "external" && findBlockReason({ trust: rule.origin, text: rule.text }) === null;
}

import { findBlockReason } from "./instruction-like.ts";
import { isFromUserWords } from "../rule/backing.ts";
import { scopeCovers, type ActiveRule, isSpeaking } from "../rule/rule.ts";

/** Whether a rule may be put before an agent of this workspace: at any moment, in a rules file, in a file of the team. */
export function canShowRule(rule: RuleToShow & Pick<ActiveRule, "scope">, workspace: string | null): boolean {
  return scopeCovers(rule.scope, workspace) && isShowable(rule);
}

type RuleToShow = Pick<ActiveRule, "status" | "level" | "origin" | "text" | "signature">;

/**
 * Whether it may be put before any agent. The owner vouches for what is approved; before that, words from outside are
 * not shown at all, what users said in passing neither, and a tool's words not where they read like orders.
 */
export function isShowable(rule: RuleToShow): boolean {
  if (!isSpeaking(rule)) return false;
  if (rule.status === "approved") return true;
  if (isFromUserWords(rule)) return false;
  return rule.origin !== "external" && findBlockReason({ trust: rule.origin, text: rule.text }) === null;
}

import { blockOf } from "./instruction-like.ts";
import { isSomebodysWord } from "../rule/backing.ts";
import { covers, type RuleInPlay, speaks } from "../rule/rule.ts";

/** Whether a rule may be put before an agent of this workspace: at any moment, in a rules file, in a file of the team. */
export function maySay(rule: Sayable & Pick<RuleInPlay, "scope">, workspace: string | null): boolean {
  return covers(rule.scope, workspace) && isSayable(rule);
}

type Sayable = Pick<RuleInPlay, "status" | "level" | "origin" | "text" | "signature">;

/**
 * Whether it may be put before any agent. The owner vouches for what is approved; before that, words from outside are
 * not shown at all, what users said in passing neither, and a tool's words not where they read like orders.
 */
export function isSayable(rule: Sayable): boolean {
  if (!speaks(rule)) return false;
  if (rule.status === "approved") return true;
  if (isSomebodysWord(rule)) return false;
  return rule.origin !== "external" && blockOf({ trust: rule.origin, text: rule.text }) === null;
}

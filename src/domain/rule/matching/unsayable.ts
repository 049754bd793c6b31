import {
  type CommandRisk,
  findCommandRisk,
  findOptionRisk,
  findSettingRisk,
  findTraitRisk,
} from "../../risk/command-risk.ts";
import { findAdvisedCommand } from "./contradiction.ts";
import type { ActiveRule } from "../rule.ts";

/**
 * True for a mined rule that no agent may read: its sentence teaches a risky command, or it only says that the cause is
 * unknown. Miners make none that speaks; older versions did. What the owner forbids stays in force.
 */
export function isUnsayable(rule: MinedRule): boolean {
  const { origin, level, text } = rule;
  if (origin !== "tool" || level === "ask" || level === "deny") return false;
  return (
    /^(?:Find out why|Unknown cause:|Run `git pull --rebase` before `git pull`) ?/.test(text) ||
    findTaughtRisk(rule) !== null
  );
}

/** True if the owner approved the rule after being told of its risk: the owner's word wins. */
export function isRiskAccepted(
  rule: MinedRule & Pick<ActiveRule, "id" | "status">,
  accepted: ReadonlyMap<string, string>,
): boolean {
  const risk = findTaughtRisk(rule);
  return rule.status === "approved" && risk !== null && accepted.get(rule.id) === risk;
}

/** What the sentence of a mined rule teaches that forces, deletes, discards work, skips a check or raises privileges. */
export function findTaughtRisk({ origin, text, matcher }: Omit<MinedRule, "level">): CommandRisk | null {
  if (origin !== "tool") return null;
  const command = findAdvisedCommand(text);
  const ofCommand = command === null ? null : findCommandRisk(command);
  if (ofCommand !== null) return ofCommand;
  const head = matcher?.head ?? "";
  for (const [, option = ""] of text.matchAll(/(?:without|Use|with) `(--?[A-Za-z][^` ]*)`/g)) {
    const risk = matcher?.has?.includes(`flag ${option}`) === true ? null : findOptionRisk(head, option);
    if (risk !== null) return risk;
  }
  for (const [, wrapper] of text.matchAll(/not under `([^`]+)`/g)) {
    const risk = findTraitRisk(`under ${wrapper}`, head);
    if (risk !== null) return risk;
  }
  const [, setting] = /\bwith `([A-Za-z_]\w*=[^`]*)` before it/.exec(text) ?? [];
  return setting === undefined ? null : findSettingRisk(setting);
}

type MinedRule = Pick<ActiveRule, "origin" | "level" | "text" | "matcher">;

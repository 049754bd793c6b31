import { findCommandRisk, findOptionRisk, findSettingRisk, findTraitRisk } from "../../risk/command-risk.ts";
import { findAdvisedCommand } from "./contradiction.ts";
import type { ActiveRule } from "../rule.ts";

/**
 * True for a mined rule that no agent may read: its sentence teaches a command that forces, deletes, discards work, skips
 * a check or raises privileges, or it only says that the cause is unknown. Miners make none that speaks; older versions
 * did. What the owner forbids stays in force.
 */
export function isUnsayable({ origin, level, text, matcher }: MinedRule): boolean {
  if (origin !== "tool" || level === "ask" || level === "deny") return false;
  if (/^(?:Find out why|Unknown cause:|Run `git pull --rebase` before `git pull`) ?/.test(text)) return true;
  const command = findAdvisedCommand(text);
  if (command !== null && findCommandRisk(command) !== null) return true;
  const head = matcher?.head ?? "";
  for (const [, option] of text.matchAll(/(?:without|Use|with) `(--?[A-Za-z][^` ]*)`/g))
    if (findOptionRisk(head, option ?? "") !== null && matcher?.has?.includes(`flag ${option}`) !== true) return true;
  for (const [, wrapper] of text.matchAll(/not under `([^`]+)`/g))
    if (findTraitRisk(`under ${wrapper}`, head) !== null) return true;
  const [, setting] = /\bwith `([A-Za-z_]\w*=[^`]*)` before it/.exec(text) ?? [];
  return setting !== undefined && findSettingRisk(setting) !== null;
}

type MinedRule = Pick<ActiveRule, "origin" | "level" | "text" | "matcher">;

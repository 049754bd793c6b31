import type { Context } from "../context.ts";
import type { Rule } from "../domain/rule/rule.ts";
import { hashId } from "../lib/ids.ts";
import { getIdentity } from "../store/nouns/identities.ts";
import { getMemory, makeMemoryId } from "../store/nouns/memories.ts";
import { listRules } from "../store/nouns/rules.ts";
import { fillTemplate } from "./templates.ts";

/** The answers to the questions of `oldhand init`, as stored now; null or empty if missing. */
export interface OnboardingState {
  readonly name: string | null;
  readonly address: string | null;
  /** The starting rules that still exist, in any status. */
  readonly rules: readonly string[];
}

export const FEWEST_RULES = 6;
export const MOST_RULES = 10;
/** The key of the memory that says how to address the user. */
export const ADDRESS_KEY = "address";

export async function readOnboarding({ db }: Pick<Context, "db">): Promise<OnboardingState> {
  const soul = await getIdentity(db, "SOUL.md");
  const memory = await getMemory(db, makeMemoryId({ kind: "global" }, ADDRESS_KEY));
  return {
    name: soul === null ? null : (parseAgentName(soul.text) ?? null),
    address: memory === null || memory.status !== "active" ? null : parseAddress(memory.text),
    rules: (await listRules(db)).filter((rule) => rule.id === startingRuleId(rule.text)).map((rule) => rule.text),
  };
}

const NAME = /^Name:[ \t]*(.*)$/m;

export function parseAgentName(soul: string): string | undefined {
  return NAME.exec(soul)?.[1]?.trim();
}

/** Replaces the agent's name; unchanged if the text has none. */
export function replaceAgentName(soul: string, name: string): string {
  return soul.replace(NAME, () => `Name: ${name.replaceAll(/\s+/g, " ").trim()}`);
}

/** A starting rule is the owner's: approved, without a matcher, so it can only advise. Equal texts, same rule. */
export function newStartingRule(text: string, now: number): Rule {
  return {
    id: startingRuleId(text),
    text,
    status: "approved",
    level: "advise",
    confidence: 0.8,
    salience: 0.5,
    origin: "owner",
    scope: { kind: "global" },
    signature: null,
    matcher: null,
    evidence: { observations: 0, sessions: 0, first: now, last: now, refs: [] },
    pinned: false,
    mergedInto: null,
    createdAt: now,
  };
}

function startingRuleId(text: string): string {
  return hashId("r", `starting ${text.toLowerCase()}`);
}

/** Null if the owner reworded it. */
function parseAddress(text: string): string | null {
  const [before = "", after = ""] = fillTemplate("user", { address: "\u0000" }).trim().split("\u0000");
  const isOurs = text.startsWith(before) && text.endsWith(after) && text.length > before.length + after.length;
  return isOurs ? text.slice(before.length, text.length - after.length) : null;
}

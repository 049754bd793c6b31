import type { LogAccess } from "../domain/advice/reminder.ts";
import type { Event } from "../domain/event/event.ts";
import type { LedgerEntry, Mistake } from "../domain/ledger/ledger.ts";
import type { Memory } from "../domain/memory/memory.ts";
import { isApproved } from "../domain/rule/backing.ts";
import { scopeCovers, type ActiveRule } from "../domain/rule/rule.ts";
import { formatRuleText } from "../domain/rule/rule-message.ts";
import { findBlockReason } from "../domain/trust/instruction-like.ts";
import { plainName } from "../domain/trust/trust.ts";
import type { Db } from "../store/engine/db.ts";
import { listRecentMistakes, listRecentWins } from "../store/nouns/ledger.ts";
import type { Part, MessageSection } from "./compose-message.ts";

/** Who is spoken to, and from where. */
export interface Recipient {
  readonly host: string;
  readonly session: string;
  /** The sub-agent that is spoken to; absent or null where it is the session's own agent. */
  readonly agent?: string | null;
  readonly workspace: string | null;
  readonly model: string | null;
  /** How many characters its host takes at this moment. */
  readonly hears: number;
  /** By what it can write something down, asked only where that is to be said. Our tools, where it is left out. */
  readonly wayToKeep?: () => Promise<LogAccess>;
  /** Whether oldhand was off after an event: what its session did then, and whether it ended, nobody knows. */
  readonly wasOffSince?: (event: Event) => Promise<boolean>;
}

/** Approved rules get their room before candidates do; among each the order stays. */
export function takeApprovedFirst(rules: readonly ActiveRule[], most: number): readonly ActiveRule[] {
  return [...rules.filter(isApproved), ...rules.filter((rule) => !isApproved(rule))].slice(0, most);
}

/** Where an agent begins its work. */
export const RULE_HEADINGS = {
  approved: "Rules in force here, hardest first:",
  candidates: "Candidate rules here, not yet reviewed:",
} as const;

/** What is approved and what nobody has reviewed, each under its own heading: an agent may weigh them differently. */
export function toRuleSections(
  rules: readonly ActiveRule[],
  under: { readonly approved: string; readonly candidates: string; readonly share: number },
): readonly MessageSection[] {
  const candidates = rules.filter((rule) => !isApproved(rule));
  return [
    { heading: under.approved, share: under.share * 0.75, parts: rules.filter(isApproved).map(toRulePart) },
    { heading: under.candidates, share: under.share * 0.25, parts: candidates.map(toRulePart) },
  ];
}

function toRulePart(rule: ActiveRule): Part {
  return {
    kind: "rule",
    subject: rule.id,
    level: rule.level,
    says: `[${rule.level}] ${formatRuleText(rule)} (${rule.id})`,
  };
}

export function toMemoryPart(memory: Memory): Part {
  const { id, trust: origin, text } = memory;
  return { kind: "memory", subject: id, says: { label: `memory ${id}`, origin, text } };
}

/** The latest of the ledger that concerns this workspace, but for what reads like orders and is not the owner's. */
export async function listLedgerParts(db: Db, workspace: string | null): Promise<readonly Part[]> {
  const concernsWorkspace = (entry: LedgerEntry & Partial<Mistake>) =>
    (entry.workspace === null || scopeCovers({ kind: "workspace", workspace: entry.workspace }, workspace)) &&
    [entry.what, entry.why, entry.signal ?? "", entry.shouldHave ?? ""].every(
      (text) => findBlockReason({ trust: entry.origin, text }) === null,
    );
  const mistakes = (await listRecentMistakes(db, EACH * 4)).filter(concernsWorkspace).slice(0, EACH);
  const wins = (await listRecentWins(db, EACH * 4)).filter(concernsWorkspace).slice(0, EACH);
  return [...mistakes.map(toMistakePart), ...wins.map(toWinPart)];
}

const EACH = 5;

function toMistakePart(entry: Mistake): Part {
  const signal = entry.signal === "" ? "" : ` Signal: ${entry.signal}`;
  const shouldHave = entry.shouldHave === "" ? "" : ` Should have: ${entry.shouldHave}`;
  const text = `${entry.what}${signal}${shouldHave}`;
  return toEntryPart(entry, `mistake ${entry.id}${quotePattern(entry)}, ${entry.severity}`, text);
}

function toWinPart(entry: LedgerEntry): Part {
  return toEntryPart(entry, `win ${entry.id}${quotePattern(entry)}`, `${entry.what} Why: ${entry.why}`);
}

/** A pattern is whatever somebody called it: in a line of ours only where it is a name. */
function quotePattern({ pattern }: LedgerEntry): string {
  const name = plainName(pattern);
  return name === null ? "" : `, ${name}`;
}

function toEntryPart(entry: LedgerEntry, label: string, text: string): Part {
  return { kind: "entry", subject: entry.id, says: { label, origin: entry.origin, text } };
}

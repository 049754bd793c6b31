import type { LogAccess } from "../domain/advice/reminder.ts";
import type { Event } from "../domain/event/event.ts";
import { isPlainAdvice, isPlainReport, isPlainSuccess } from "../domain/ledger/agent-words.ts";
import type { LedgerEntry, Mistake } from "../domain/ledger/ledger.ts";
import type { Memory } from "../domain/memory/memory.ts";
import { isUsersWord } from "../domain/trust/quote.ts";
import { isApproved } from "../domain/rule/backing.ts";
import { scopeCovers, type ActiveRule } from "../domain/rule/rule.ts";
import { formatRuleText } from "../domain/rule/wording/rule-message.ts";
import { findBlockReason } from "../domain/trust/instruction-like.ts";
import { plainName } from "../domain/trust/trust.ts";
import type { Db } from "../store/engine/db.ts";
import { listRecentMistakes, listRecentWins } from "../store/nouns/ledger.ts";
import type { Part, MessageSection } from "./compose-message.ts";

/** The recipient of advice. */
export interface Recipient {
  readonly host: string;
  readonly session: string;
  /** The sub-agent; absent or null for the session's main agent. */
  readonly agent?: string | null;
  readonly workspace: string | null;
  /** The folder that the agent is in, if known. */
  readonly cwd?: string | null;
  readonly model: string | null;
  /** Maximum characters that the host accepts at this moment. */
  readonly maxCharacters: number;
  /** How the agent can write to oldhand; called only if the text mentions it. Default: our tools. */
  readonly wayToKeep?: () => Promise<LogAccess>;
  /** True if oldhand was off after an event: what the session did then, and whether it ended, is unknown. */
  readonly wasOffSince?: (event: Event) => Promise<boolean>;
}

/** Approved rules get room before candidates; otherwise the order is kept. */
export function takeApprovedFirst(rules: readonly ActiveRule[], most: number): readonly ActiveRule[] {
  return [...rules.filter(isApproved), ...rules.filter((rule) => !isApproved(rule))].slice(0, most);
}

/** The headings at a session's or sub-agent's start. */
export const RULE_HEADINGS = {
  approved: "Rules in force here, hardest first:",
  candidates: "Candidate rules here, not yet reviewed:",
} as const;

/** Approved rules and candidates under separate headings, so that an agent can weigh them differently. */
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
  return {
    kind: "memory",
    subject: id,
    says: { label: `memory ${id}`, origin, isUsersWord: isUsersWord(memory), text },
  };
}

/** The latest ledger entries of this workspace, without blocked ones. */
export async function listLedgerParts(db: Db, workspace: string | null): Promise<readonly Part[]> {
  const concernsWorkspace = (entry: LedgerEntry & Partial<Mistake>) =>
    (entry.workspace === null
      ? entry.origin !== "agent"
      : scopeCovers({ kind: "workspace", workspace: entry.workspace }, workspace)) &&
    [entry.what, entry.why, entry.signal ?? "", entry.shouldHave ?? ""].every(
      (text) => findBlockReason({ trust: entry.origin, text }) === null,
    );
  const isPlain = (entry: LedgerEntry, texts: readonly string[], law: (text: string) => boolean) =>
    entry.origin === "owner" || texts.every(law);
  const mistakes = (await listRecentMistakes(db, EACH * 4))
    .filter((one) => concernsWorkspace(one) && isPlain(one, [one.what], isPlainReport))
    .slice(0, EACH);
  const wins = (await listRecentWins(db, EACH * 4))
    .filter((one) => concernsWorkspace(one) && isPlain(one, [one.what, one.why], isPlainSuccess))
    .slice(0, EACH);
  return [...mistakes.map(toMistakePart), ...wins.map(toWinPart)];
}

const EACH = 5;

function toMistakePart(entry: Mistake): Part {
  const isOwners = entry.origin === "owner";
  const hasSignal = entry.signal !== "" && (isOwners || isPlainReport(entry.signal));
  const hasAdvice = entry.shouldHave !== "" && (isOwners || isPlainAdvice(entry.shouldHave));
  const signal = hasSignal ? ` Signal: ${entry.signal}` : "";
  const shouldHave = hasAdvice ? ` Should have: ${entry.shouldHave}` : "";
  const text = `${entry.what}${signal}${shouldHave}`;
  return toEntryPart(entry, `mistake ${entry.id}${quotePattern(entry)}, ${entry.severity}`, text);
}

function toWinPart(entry: LedgerEntry): Part {
  return toEntryPart(entry, `win ${entry.id}${quotePattern(entry)}`, `${entry.what} Why: ${entry.why}`);
}

/** A pattern is arbitrary text: it is shown in our own line only if it is a plain name. */
function quotePattern({ pattern }: LedgerEntry): string {
  const name = plainName(pattern);
  return name === null ? "" : `, ${name}`;
}

function toEntryPart(entry: LedgerEntry, label: string, text: string): Part {
  return { kind: "entry", subject: entry.id, says: { label, origin: entry.origin, text } };
}

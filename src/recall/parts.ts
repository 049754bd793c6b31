import type { WayToKeep } from "../domain/advice/remind.ts";
import type { Event } from "../domain/event/event.ts";
import type { Entry, Mistake } from "../domain/ledger/ledger.ts";
import type { Memory } from "../domain/memory/memory.ts";
import { isApproved } from "../domain/rule/backing.ts";
import { covers, type RuleInPlay } from "../domain/rule/rule.ts";
import { spokenText } from "../domain/rule/spoken-text.ts";
import { blockOf } from "../domain/trust/instruction-like.ts";
import { plainName } from "../domain/trust/trust.ts";
import type { Db } from "../store/engine/db.ts";
import { recentMistakes, recentWins } from "../store/ledger.ts";
import type { Part, Section } from "./compose.ts";

/** Who is spoken to, and from where. */
export interface Listener {
  readonly host: string;
  readonly session: string;
  /** The sub-agent that is spoken to; absent or null where it is the session's own agent. */
  readonly agent?: string | null;
  readonly workspace: string | null;
  readonly model: string | null;
  /** How many characters its host takes at this moment. */
  readonly hears: number;
  /** By what it can write something down, asked only where that is to be said. Our tools, where it is left out. */
  readonly wayToKeep?: () => Promise<WayToKeep>;
  /** Whether oldhand was off after an event: what its session did then, and whether it ended, nobody knows. */
  readonly wasOffSince?: (event: Event) => Promise<boolean>;
}

/** Approved rules get their room before candidates do; among each the order stays. */
export function approvedFirst(rules: readonly RuleInPlay[], most: number): readonly RuleInPlay[] {
  return [...rules.filter(isApproved), ...rules.filter((rule) => !isApproved(rule))].slice(0, most);
}

/** Where an agent begins its work. */
export const HEADINGS = {
  approved: "Rules in force here, hardest first:",
  candidates: "Candidate rules here, not yet reviewed:",
} as const;

/** What is approved and what nobody has reviewed, each under its own heading: an agent may weigh them differently. */
export function ruleSections(
  rules: readonly RuleInPlay[],
  under: { readonly approved: string; readonly candidates: string; readonly share: number },
): readonly Section[] {
  const candidates = rules.filter((rule) => !isApproved(rule));
  return [
    { heading: under.approved, share: under.share * 0.75, parts: rules.filter(isApproved).map(rulePart) },
    { heading: under.candidates, share: under.share * 0.25, parts: candidates.map(rulePart) },
  ];
}

function rulePart(rule: RuleInPlay): Part {
  return {
    kind: "rule",
    subject: rule.id,
    level: rule.level,
    says: `[${rule.level}] ${spokenText(rule)} (${rule.id})`,
  };
}

export function memoryPart(memory: Memory): Part {
  const { id, trust: origin, text } = memory;
  return { kind: "memory", subject: id, says: { label: `memory ${id}`, origin, text } };
}

/** The latest of the ledger that concerns this workspace, but for what reads like orders and is not the owner's. */
export async function entryParts(db: Db, workspace: string | null): Promise<readonly Part[]> {
  const here = (entry: Entry & Partial<Mistake>) =>
    (entry.workspace === null || covers({ kind: "workspace", workspace: entry.workspace }, workspace)) &&
    [entry.what, entry.why, entry.signal ?? "", entry.shouldHave ?? ""].every(
      (text) => blockOf({ trust: entry.origin, text }) === null,
    );
  const mistakes = (await recentMistakes(db, EACH * 4)).filter(here).slice(0, EACH);
  const wins = (await recentWins(db, EACH * 4)).filter(here).slice(0, EACH);
  return [...mistakes.map(mistakePart), ...wins.map(winPart)];
}

const EACH = 5;

function mistakePart(entry: Mistake): Part {
  const signal = entry.signal === "" ? "" : ` Signal: ${entry.signal}`;
  const shouldHave = entry.shouldHave === "" ? "" : ` Should have: ${entry.shouldHave}`;
  const text = `${entry.what}${signal}${shouldHave}`;
  return entryPart(entry, `mistake ${entry.id}${named(entry)}, ${entry.severity}`, text);
}

function winPart(entry: Entry): Part {
  return entryPart(entry, `win ${entry.id}${named(entry)}`, `${entry.what} Why: ${entry.why}`);
}

/** A pattern is whatever somebody called it: in a line of ours only where it is a name. */
function named({ pattern }: Entry): string {
  const name = plainName(pattern);
  return name === null ? "" : `, ${name}`;
}

function entryPart(entry: Entry, label: string, text: string): Part {
  return { kind: "entry", subject: entry.id, says: { label, origin: entry.origin, text } };
}

import { isApproved } from "../domain/rule/backing.ts";
import { isRiskAccepted, isUnsayable } from "../domain/rule/matching/unsayable.ts";
import { dropContradicted } from "../domain/rule/matching/contradiction.ts";
import { compareLevels, type Rule } from "../domain/rule/rule.ts";
import { canShowRule } from "../domain/trust/showable.ts";
import { formatRuleText } from "../domain/rule/wording/rule-message.ts";

export interface ExportedRules {
  /** The text between the markers; empty if there are no rules. */
  readonly body: string;
  readonly shown: readonly Rule[];
  /** How many did not fit. */
  readonly left: number;
}

/** The rules of a workspace as agents read them, strictest first. The same rules give the same bytes. */
export function renderExportedRules(
  rules: readonly Rule[],
  workspace: string,
  most: number,
  acceptedRisks: ReadonlyMap<string, string> = new Map(),
): ExportedRules {
  const sayable = rules.filter(
    (rule) => canShowRule(rule, workspace) && (!isUnsayable(rule) || isRiskAccepted(rule, acceptedRisks)),
  );
  const holding = dropContradicted(sayable, sayable).toSorted(byPriority);
  const shown: Rule[] = [];
  let room = most - FRAME;
  for (const rule of holding) {
    const needed = formatLine(rule).length + 1;
    if (needed > room) continue;
    room -= needed;
    shown.push(rule);
  }
  const inFileOrder = shown.toSorted(byAge);
  const blocks = [
    formatBlock(APPROVED, inFileOrder.filter(isApproved)),
    formatBlock(
      CANDIDATES,
      inFileOrder.filter((rule) => !isApproved(rule)),
    ),
  ];
  return {
    body: shown.length === 0 ? "" : [HEAD, ...blocks.filter((one) => one !== "")].join("\n\n"),
    shown: inFileOrder,
    left: holding.length - shown.length,
  };
}

const HEAD = `## Rules learned here

\`oldhand export\` writes this part and overwrites changes inside it.`;
const APPROVED = "In force here, hardest first:";
const CANDIDATES = "Candidate rules here, not yet reviewed:";

/** Maximum length of the text around the lines; each part ends with an empty line. */
const FRAME = [HEAD, APPROVED, CANDIDATES].reduce((sum, part) => sum + part.length + 2, 0);

function formatBlock(heading: string, rules: readonly Rule[]): string {
  return rules.length === 0 ? "" : [heading, "", ...rules.map(formatLine)].join("\n");
}

/** Decides which rules get the available room. */
function byPriority(a: Rule, b: Rule): number {
  const approved = Number(isApproved(b)) - Number(isApproved(a));
  return (
    approved ||
    compareLevels(a.level, b.level) ||
    Number(b.pinned) - Number(a.pinned) ||
    b.confidence - a.confidence ||
    byId(a, b)
  );
}

/** Order in the file. Not by confidence: it changes daily, and the file should not. */
function byAge(a: Rule, b: Rule): number {
  return compareLevels(a.level, b.level) || a.createdAt - b.createdAt || byId(a, b);
}

function byId(a: Rule, b: Rule): number {
  return a.id < b.id ? -1 : 1;
}

/** One line per rule, without text that could end the block or open a comment. */
function formatLine(rule: Rule): string {
  return `- ${formatRuleText(rule).replace(/\s+/g, " ").trim().replaceAll("<!--", "<! --").replaceAll("oldhand:end", "oldhand: end")}`;
}

import { splitLines, joinLines } from "../../lib/line-diff.ts";
import { findInstruction } from "../trust/instruction-like.ts";
import type { Origin } from "../rule/rule.ts";

/**
 * The files that define who an agent is, in order of precedence: if two disagree, the earlier one wins. USER.md is
 * generated from pinned memories (`memory-file.ts`); the others are stored as texts.
 */
export const identityFiles = ["SHIELD.md", "SOUL.md", "USER.md", "HARNESS.md"] as const;
export const identityNames = ["SHIELD.md", "SOUL.md", "HARNESS.md"] as const;
export type IdentityName = (typeof identityNames)[number];

/** One file and its text in the mind. */
export interface Identity {
  readonly id: IdentityName;
  readonly text: string;
}

/** The section of SOUL.md for proven rules. */
export const experienceSection = "What experience taught";

export const proposalStatuses = ["open", "accepted", "rejected", "refused"] as const;

/** A proposed change of the identity, for the owner to decide. One that is refused at once is kept as a record. */
export interface IdentityProposal {
  readonly id: string;
  readonly file: (typeof identityFiles)[number];
  readonly before: string;
  readonly after: string;
  readonly reason: string;
  readonly origin: Origin;
  /** Who made it, as the journal formats actors. */
  readonly actor: string;
  /** The fundamental rule it comes from, or null. */
  readonly rule: string | null;
  readonly status: (typeof proposalStatuses)[number];
  /** The reason for the refusal, or null. */
  readonly refusal: string | null;
  readonly createdAt: number;
}

/** Returns why this must not be proposed, or null. The owner may change everything. */
export function findProposalRefusal(
  proposal: Pick<IdentityProposal, "file" | "before" | "after" | "origin">,
): string | null {
  if (proposal.origin === "owner") return null;
  // A USER.md entry is a claim about the owner, who sees its origin and decides.
  if ((proposal.origin === "external" || proposal.origin === "tool") && proposal.file !== "USER.md")
    return `what comes from ${proposal.origin === "tool" ? "a tool" : "outside"} cannot change the identity`;
  const breach = findProtectionBreach(proposal.file, proposal.before, proposal.after);
  if (breach !== null) return breach;
  const before = new Set(splitLines(proposal.before));
  const order = splitLines(proposal.after)
    .filter((line) => !before.has(line))
    .map((line) => findInstruction(line.replace(/^[\s>*+-]+/, "")))
    .find((why) => why !== null);
  return order === undefined ? null : `it looks like injected instructions: ${order}`;
}

/** Escapes lines that could be mistaken for a file name or a heading in the text of an identity. */
export function withoutHeadings(text: string): string {
  return text
    .split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)
    .map((line) => line.replace(HEADING, "$1\\$2"))
    .join("\n");
}

/**
 * `# …`, `[SOUL.md]`, underlined headings and code fences (which would swallow what follows), also inside lists and
 * quotations.
 */
const HEADING = /^([\s>*+-]*)(#{1,6}(?=\s|$)|\[[\w. -]{1,40}\](?!\()|={3,}|`{3,}|~{3,}|-{3,}\s*$)/u;

/** Returns which protection a change by anyone but the owner would break, or null. */
export function findProtectionBreach(file: IdentityProposal["file"], before: string, after: string): string | null {
  if (before === after) return null;
  if (file === "SHIELD.md") return "SHIELD.md is protected as a whole";
  const [was, is] = [protectedSections(before), protectedSections(after)];
  const kept = new Set(is.map((one) => one.text));
  const broken = was.find((one) => !kept.has(one.text));
  if (broken !== undefined) return `the section "${broken.title}" of ${file} is protected`;
  const known = new Set(was.map((one) => one.text));
  const added = is.find((one) => !known.has(one.text));
  if (added !== undefined) return `only the owner may protect a section ("${added.title}")`;
  const same = was.length === is.length && was.every((one, at) => one.text === is[at]?.text);
  return same ? null : `the protected sections of ${file} keep their order`;
}

export interface IdentitySection {
  readonly title: string;
  readonly level: number;
  readonly protected: boolean;
  /** The line number of its heading, from 0. */
  readonly at: number;
  /** Includes its heading and its subsections. */
  readonly text: string;
}

/**
 * A section reaches from a heading to the next one of the same or a higher level. Text before the first heading is in
 * no section.
 */
export function parseSections(text: string): readonly IdentitySection[] {
  const lines = splitLines(text);
  const heads = headings(lines);
  return heads.map((head, index) => {
    const next = heads.slice(index + 1).find((other) => other.level <= head.level);
    return {
      title: head.title.replace(PROTECTED, "").trim(),
      level: head.level,
      protected: PROTECTED.test(head.title),
      at: head.at,
      // Trailing empty lines only separate it from the next section.
      text: lines
        .slice(head.at, next?.at ?? lines.length)
        .join("\n")
        .trimEnd(),
    };
  });
}

export function protectedSections(text: string): readonly IdentitySection[] {
  return parseSections(text).filter((one) => one.protected);
}

/** Appends a list item to a section; creates the section if it is missing. */
export function withPoint(text: string, section: string, point: string): string {
  const lines = splitLines(text);
  const heads = headings(lines);
  const index = heads.findIndex((head) => head.title.replace(PROTECTED, "").trim() === section);
  const line = `- ${point.replaceAll(/\s+/g, " ").trim()}`;
  if (index === -1) return joinLines([...lines, ...(lines.length === 0 ? [] : [""]), `## ${section}`, "", line]);
  let end = heads[index + 1]?.at ?? lines.length;
  while (end > 0 && lines[end - 1]?.trim() === "") end--;
  const first = end === (heads[index]?.at ?? 0) + 1;
  return joinLines([...lines.slice(0, end), ...(first ? ["", line] : [line]), ...lines.slice(end)]);
}

const PROTECTED = /<!--\s*protected\s*-->/;

interface Heading {
  readonly at: number;
  readonly level: number;
  readonly title: string;
}

function headings(lines: readonly string[]): readonly Heading[] {
  const found: Heading[] = [];
  let fence: string | null = null;
  lines.forEach((line, at) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]?.slice(0, 3) ?? null;
    if (mark !== null && (fence === null || fence === mark)) fence = fence === null ? mark : null;
    const head = fence === null ? /^ {0,3}(#{1,6})\s+(.*)$/.exec(line) : null;
    if (head !== null) found.push({ at, level: (head[1] ?? "").length, title: head[2] ?? "" });
  });
  return found;
}

import { splitLines, joinLines } from "../../lib/line-diff.ts";
import { findInstruction } from "../trust/instruction-like.ts";
import type { Origin } from "../rule/rule.ts";

/**
 * The files that say who an agent is, the weightiest first: where two disagree, the earlier one holds. USER.md is made
 * of pinned memories (`memory-file.ts`); the others are texts of their own.
 */
export const identityFiles = ["SHIELD.md", "SOUL.md", "USER.md", "HARNESS.md"] as const;
export const identityNames = ["SHIELD.md", "SOUL.md", "HARNESS.md"] as const;
export type IdentityName = (typeof identityNames)[number];

/** One file's text, as the mind has it. */
export interface Identity {
  readonly id: IdentityName;
  readonly text: string;
}

/** Where SOUL.md keeps what was proven. */
export const experienceSection = "What experience taught";

export const proposalStatuses = ["open", "accepted", "rejected", "refused"] as const;

/** A change of who the agent is, for its owner to decide. One that was refused at once stays as a record of the attempt. */
export interface IdentityProposal {
  readonly id: string;
  readonly file: (typeof identityFiles)[number];
  readonly before: string;
  readonly after: string;
  readonly reason: string;
  readonly origin: Origin;
  /** By whom it was made, in the journal's words. */
  readonly actor: string;
  /** The rule that was proven fundamental, where it comes from one. */
  readonly rule: string | null;
  readonly status: (typeof proposalStatuses)[number];
  /** Why it was refused. */
  readonly refusal: string | null;
  readonly createdAt: number;
}

/** Why this may not even be proposed, or null. The owner may change everything. */
export function findProposalRefusal(
  proposal: Pick<IdentityProposal, "file" | "before" | "after" | "origin">,
): string | null {
  if (proposal.origin === "owner") return null;
  // An entry of USER.md is somebody's word about the owner, who sees whose it is and decides.
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

/** What may be mistaken for a file's name or a heading in the text of an identity is made plain. */
export function withoutHeadings(text: string): string {
  return text
    .split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)
    .map((line) => line.replace(HEADING, "$1\\$2"))
    .join("\n");
}

/** `# …`, `[SOUL.md]`, a line below a heading, a fence that would take in what follows; behind marks of a list or a quotation too. */
const HEADING = /^([\s>*+-]*)(#{1,6}(?=\s|$)|\[[\w. -]{1,40}\](?!\()|={3,}|`{3,}|~{3,}|-{3,}\s*$)/u;

/** Which protection a change by anyone but the owner would break, or null. */
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
  /** The line of its heading, from 0. */
  readonly at: number;
  /** With its heading and everything below it, also its own sections. */
  readonly text: string;
}

/** From a heading to the next one of its level or above. What stands before the first heading is no section. */
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
      // Empty lines at its end part it from what follows, which is not its own affair.
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

/** One more point at the end of a section; the section is made where there is none. */
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

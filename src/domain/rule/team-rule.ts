import { iso, parseTime } from "../../lib/clock.ts";
import { hashText } from "../../lib/hash.ts";
import { isRecord, stableJson, tryParseJson } from "../../lib/json.ts";
import { oneLine, storable } from "../../lib/text.ts";
import { listRuleHosts, formatProvenance, type VersionRange } from "./host-version.ts";
import { redactValue } from "../redact/redact.ts";
import {
  type Level,
  levels,
  type Matcher,
  type Origin,
  origins,
  type Rule,
  type RuleStatus,
  ruleStatuses,
} from "./rule.ts";

/** A rule as a file in the repository, reviewed there and equal on every machine. */
export interface TeamRule {
  readonly id: string;
  readonly text: string;
  /** The author's status. Whoever imports the rule decides again. */
  readonly status: RuleStatus;
  readonly level: Level;
  readonly origin: Origin;
  /** Everywhere, or in the workspace that contains the file. */
  readonly scope: "global" | "workspace";
  readonly matcher: Matcher | null;
  readonly createdAt: number;
  /** For reviewers only: it does not count as evidence where the rule is imported. */
  readonly evidence: {
    readonly observations: number;
    readonly sessions: number;
    /** The hosts and versions it was learned on, for display. */
    readonly hosts: string;
  };
}

export type ParsedTeamFile =
  | { readonly kind: "rule"; readonly rule: TeamRule }
  | { readonly kind: "malformed"; readonly why: string };

/** Deterministic: the same rule gives the same bytes. One field per line, so that diffs are readable. */
export function formatTeamRule(rule: TeamRule): string {
  const head = [
    `id: ${rule.id}`,
    `status: ${rule.status}`,
    `level: ${rule.level}`,
    `scope: ${rule.scope}`,
    `origin: ${rule.origin}`,
    `matcher: ${rule.matcher === null ? "none" : stableJson(rule.matcher)}`,
    `created: ${iso(rule.createdAt)}`,
    `observations: ${rule.evidence.observations}`,
    `sessions: ${rule.evidence.sessions}`,
    ...(rule.evidence.hosts === "" ? [] : [`hosts: ${rule.evidence.hosts}`]),
  ];
  return `---\n${head.join("\n")}\n---\n\n${rule.text}\n`;
}

/** People may write this file by hand, so errors are explained in plain words. */
export function parseTeamRule(file: string): ParsedTeamFile {
  const parts = /^\uFEFF?---\n([^]*?)\n---\n([^]*)$/.exec(file.replaceAll("\r\n", "\n"));
  if (!parts) return malformed("it does not begin with a header between two lines of ---");
  const head = new Map<string, string>();
  for (const line of (parts[1] ?? "").split("\n")) {
    if (/^\s*(#.*)?$/.test(line)) continue;
    const pair = /^([a-z]+):\s*(.*?)\s*$/.exec(line);
    if (!pair) return malformed(`"${line.slice(0, 80)}" is not a line of the form name: value`);
    head.set(pair[1] ?? "", pair[2] ?? "");
  }
  const text = storable((parts[2] ?? "").trim());
  if (text === "") return malformed("it has no sentence below its header");
  if (text.length > MOST_CHARACTERS) return malformed(`its sentence has more than ${MOST_CHARACTERS} characters`);
  return fieldsOf(head, text);
}

/** A hash of the fields that machines must agree on. It tells whether a file has changed since it was last read. */
export function hashTeamRule(rule: TeamRule): string {
  const { text, status, level, scope, matcher } = rule;
  return hashText(stableJson([text, status, level, scope, matcher]));
}

/** True if text, scope and matcher are equal: the parts that a file may change. */
export function hasSameContent(a: TeamRule, b: TeamRule): boolean {
  return stableJson([a.text, a.scope, a.matcher]) === stableJson([b.text, b.scope, b.matcher]);
}

export function toTeamRule(rule: Rule, versions: readonly VersionRange[] = []): TeamRule {
  const { id, status, level, origin, matcher, createdAt, evidence } = rule;
  const text = rule.text.replaceAll("\r\n", "\n").trim();
  const { observations, sessions } = evidence;
  return {
    id,
    text,
    status,
    level,
    origin,
    scope: rule.scope.kind,
    matcher,
    createdAt,
    evidence: { observations, sessions, hosts: formatProvenance(listRuleHosts(rule, versions), versions) },
  };
}

/**
 * The local rule for a file's rule. Nobody here has vouched for it, so it is silent until the owner approves it, also
 * if the file changes a rule in force. Counts from other machines are no evidence here.
 */
export function adoptTeamRule(file: TeamRule, workspace: string, known: Rule | null): Rule {
  const fresh: Rule = {
    id: file.id,
    text: file.text,
    status: "candidate",
    level: "watch",
    confidence: 0.5,
    salience: 0.5,
    origin: "external",
    scope: file.scope === "global" ? { kind: "global" } : { kind: "workspace", workspace },
    signature: null,
    matcher: file.matcher,
    evidence: { observations: 0, sessions: 0, first: file.createdAt, last: file.createdAt, refs: [] },
    pinned: false,
    mergedInto: null,
    createdAt: file.createdAt,
  };
  if (known === null) return fresh;
  const { text, status, level, origin, scope, matcher } = fresh;
  return { ...known, text, status, level, origin, scope, matcher };
}

/** A unique file name that shows what the rule is about. */
export function teamFileName(rule: Pick<TeamRule, "id" | "text">): string {
  const words =
    rule.text
      .normalize("NFKD")
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  const slug = words.slice(0, 8).join("-").slice(0, 60).replace(/-$/, "");
  return `${slug === "" ? "rule" : slug}-${rule.id.slice(-7)}.md`;
}

const MOST_CHARACTERS = 4_000;

function fieldsOf(head: ReadonlyMap<string, string>, text: string): ParsedTeamFile {
  const id = head.get("id") ?? "";
  // The format of our ids. Others could not be typed on the command line.
  if (!/^[a-z]{1,8}_[0-9a-z]{1,40}$/.test(id))
    return malformed(id === "" ? "it has no id" : `"${id.slice(0, 60)}" is not an id`);
  const status = oneOf(ruleStatuses, head.get("status") ?? "candidate");
  if (status === null) return malformed(`its status must be one of ${ruleStatuses.join(", ")}`);
  const level = oneOf(levels, head.get("level") ?? "watch");
  if (level === null) return malformed(`its level must be one of ${levels.join(", ")}`);
  const origin = oneOf(origins, head.get("origin") ?? "external");
  if (origin === null) return malformed(`its origin must be one of ${origins.join(", ")}`);
  const scope = oneOf(["workspace", "global"] as const, head.get("scope") ?? "workspace");
  if (scope === null) return malformed("its scope must be workspace or global");
  const matcher = matcherIn(head.get("matcher") ?? "none");
  if (matcher === undefined) return malformed("its matcher must be none or a JSON object");
  const createdAt = head.has("created") ? parseTime(head.get("created")) : 0;
  if (createdAt === null) return malformed("its created is not a time");
  const evidence = {
    observations: countIn(head.get("observations")),
    sessions: countIn(head.get("sessions")),
    hosts: oneLine(storable(head.get("hosts") ?? ""), 400),
  };
  // Redacted like stored rules; otherwise a secret in the file would differ from the stored rule every time.
  const rule = redactValue({ id, text, status, level, origin, scope, matcher, createdAt, evidence }) as TeamRule;
  return { kind: "rule", rule };
}

function oneOf<T extends string>(all: readonly T[], value: string): T | null {
  return all.find((one) => one === value) ?? null;
}

/** Keeps parts that only a newer oldhand knows; until then the matcher matches nothing (`unknownParts`). */
function matcherIn(text: string): Matcher | null | undefined {
  if (text === "none" || text === "") return null;
  const value = tryParseJson(text);
  return isRecord(value) ? (value as unknown as Matcher) : undefined;
}

function countIn(text: string | undefined): number {
  const count = Number(text ?? 0);
  return Number.isSafeInteger(count) && count >= 0 ? count : 0;
}

function malformed(why: string): ParsedTeamFile {
  return { kind: "malformed", why };
}

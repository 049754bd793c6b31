import type { Ref } from "../event/event.ts";
import { folderCovers, listCoveringFolders } from "../workspace.ts";

export const origins = ["owner", "agent", "tool", "external"] as const;
export type Origin = (typeof origins)[number];

export const ruleStatuses = ["candidate", "approved", "dormant", "retired", "rejected", "merged"] as const;
export type RuleStatus = (typeof ruleStatuses)[number];

export const levels = ["watch", "advise", "nudge", "ask", "deny"] as const;
export type Level = (typeof levels)[number];

/** Where a rule holds: everywhere, or in one workspace. */
export type Scope = { readonly kind: "global" } | { readonly kind: "workspace"; readonly workspace: string };

export interface Evidence {
  readonly observations: number;
  readonly sessions: number;
  readonly first: number;
  readonly last: number;
  /** The very calls, so that `why` ends at events. */
  readonly refs: readonly (Ref & {
    readonly host: string;
    readonly at: number;
    readonly excerpt: string;
  })[];
  /** How many cited calls were purged since: what was counted stays, what they said is gone. */
  readonly purged?: number;
}

/** What a rule lost when its hosts moved on, so that fresh evidence can give it back. */
export interface Doubt {
  /** The releases (`2.1`) of the hosts that its evidence knows nothing of. */
  readonly releases: Readonly<Record<string, string>>;
  readonly confidence: number;
  readonly level: Level;
  readonly status: RuleStatus;
}

/** A sentence an agent should follow. What is counted about it (shown, broken) is derived, never kept here. */
export interface Rule {
  readonly id: string;
  readonly text: string;
  readonly status: RuleStatus;
  readonly level: Level;
  readonly confidence: number;
  readonly salience: number;
  readonly origin: Origin;
  readonly scope: Scope;
  readonly signature: string | null;
  readonly matcher: Matcher | null;
  readonly evidence: Evidence;
  readonly pinned: boolean;
  readonly mergedInto: string | null;
  readonly createdAt: number;
  /** Absent while its hosts are what its evidence knows. */
  readonly doubt?: Doubt;
}

/** What an agent is shown of a rule and judged by; the evidence is long, and for the owner. */
export type ActiveRule = Pick<
  Rule,
  "id" | "text" | "status" | "level" | "salience" | "origin" | "scope" | "signature" | "matcher"
>;

/**
 * The deterministic test that recognises the warned-against call: all of it must hold of one step. Absent parts match anything.
 * What `has` and `lacks` name are traits (`domain/traits.ts`) of the call or of its situation.
 */
export interface Matcher {
  /** `shell` for every host's shell, `edits` for all that changes files; otherwise the tool's own name. */
  readonly tool: string;
  readonly head?: string;
  /** Other spellings of the same command: `python -m pytest` beside `pytest`. */
  readonly heads?: readonly string[];
  /** The whole command, white space folded. */
  readonly command?: string;
  /** A command as a person names it: program, subcommands, flags in any order and spelling, whatever starts it. */
  readonly runs?: string;
  readonly has?: readonly string[];
  readonly lacks?: readonly string[];
}

/** What nobody has decided yet still stands; the store reads its rules by this and by `silentLevel`. */
export const activeStatuses: readonly RuleStatus[] = ["approved", "candidate"];
export const silentLevel: Level = "watch";

export function isActive(rule: Pick<Rule, "status">): boolean {
  return activeStatuses.includes(rule.status);
}

/** A candidate speaks at the level its evidence allows; without enough of it, that is the level that says nothing. */
export function isSpeaking(rule: Pick<Rule, "status" | "level">): boolean {
  return isActive(rule) && rule.level !== silentLevel;
}

/** Decided, and silent: its owner muted it, or it was proved to do nothing. */
export function isMuted(rule: Pick<Rule, "status" | "level">): boolean {
  return rule.status === "approved" && rule.level === silentLevel;
}

/** A workspace's rules hold in its folders too: recorded elsewhere, each of them may look like a workspace of its own. */
export function scopeCovers(scope: Scope, workspace: string | null): boolean {
  return scope.kind === "global" || (workspace !== null && folderCovers(scope.workspace, workspace));
}

/** Every scope that covers what is done there: the global one, the workspace's own, and those of the folders it is in. */
export function listCoveringScopes(workspace: string | null): readonly Scope[] {
  return [
    { kind: "global" },
    ...listCoveringFolders(workspace ?? "").map((folder) => ({ kind: "workspace", workspace: folder }) as const),
  ];
}

export function compareLevels(a: Level, b: Level): number {
  return levels.indexOf(b) - levels.indexOf(a);
}

/** The order in which rules are said, and in which they decide. */
export function compareHardestFirst(a: Rated, b: Rated): number {
  return compareLevels(a.level, b.level) || b.salience - a.salience || (a.id < b.id ? -1 : 1);
}

type Rated = Pick<Rule, "id" | "level" | "salience">;

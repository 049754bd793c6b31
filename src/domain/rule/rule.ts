import type { Ref } from "../event/event.ts";
import { folderCovers, listCoveringFolders } from "../workspace.ts";

export const origins = ["owner", "agent", "tool", "external"] as const;
export type Origin = (typeof origins)[number];

export const ruleStatuses = ["candidate", "approved", "muted", "dormant", "retired", "rejected", "merged"] as const;
export type RuleStatus = (typeof ruleStatuses)[number];

export const levels = ["watch", "advise", "nudge", "ask", "deny"] as const;
export type Level = (typeof levels)[number];

/** Where a rule applies: everywhere, or in one workspace. */
export type Scope = { readonly kind: "global" } | { readonly kind: "workspace"; readonly workspace: string };

export interface Evidence {
  readonly observations: number;
  readonly sessions: number;
  readonly first: number;
  readonly last: number;
  /** The cited calls, so that `why` can show the events. */
  readonly refs: readonly (Ref & {
    readonly host: string;
    readonly at: number;
    readonly excerpt: string;
  })[];
  /** How many cited calls were purged: the counts stay, the texts are gone. */
  readonly purged?: number;
  /** The signatures of its failures, by which others are told from them if the cause is unknown. */
  readonly signatures?: readonly string[];
  /** Absent in rules of earlier versions, and in rules that are not from failed calls. */
  readonly remedy?: RuleRemedy;
  /** Until when such calls worked that only fail since: up to this time, a call that worked counts for nothing. */
  readonly overturned?: number;
  /** Set while the call that the sentence advises fails too often (`domain/remedy/advice-record.ts`). No agent reads it. */
  readonly adviceFails?: AdviceFailures;
}

/** How often the advised call failed, of the latest sessions that made it. */
export interface AdviceFailures {
  readonly failed: number;
  readonly of: number;
}

/** What worked after the failures that a mined rule is about, as the law judged it (`domain/remedy/remedy-law.ts`). */
export interface RuleRemedy {
  /** Where the advice of its sentence comes from; null if the sentence only says what fails. */
  readonly origin: RemedyOrigin | null;
  /** The version of the law that judged it (`domain/remedy/law-version.ts`); absent in rules of earlier versions. */
  readonly law?: number;
  /** What worked, but is shown to agents only if the owner approves it. */
  readonly withheld?: WithheldAdvice;
  /** The options of the failing calls: before review, the rule holds no call of another form. */
  readonly forms: readonly string[];
}

export interface WithheldAdvice {
  /** As it was run. */
  readonly line: string;
  /** Why agents are not shown it. */
  readonly reason: string;
  /** The rule's sentence with this advice. */
  readonly sentence: string;
}

/**
 * Where a remedy comes from. `named`: the error names it. `correction`: the same call, spelled right. `option`: the same
 * call with one more option. `other`: another command first, another variable, folder, program or value.
 */
export type RemedyOrigin = "named" | "correction" | "option" | "other";

/** What a rule lost when its hosts moved to a new release, so that new evidence can restore it. */
export interface Doubt {
  /** The releases (`2.1`) per host for which it has no evidence. */
  readonly releases: Readonly<Record<string, string>>;
  readonly confidence: number;
  readonly level: Level;
  readonly status: RuleStatus;
}

/** A sentence an agent should follow. Counts (shown, broken) are derived and not stored here. */
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
  /** Absent while its evidence covers the hosts' releases. */
  readonly doubt?: Doubt;
}

/**
 * The part of a rule that is needed to show and match it. Without the evidence, which is long and only for the owner.
 */
export type ActiveRule = Pick<
  Rule,
  "id" | "text" | "status" | "level" | "salience" | "origin" | "scope" | "signature" | "matcher"
>;

/**
 * The deterministic test that recognises the warned-against call: all parts must hold for one step. Absent parts match
 * anything. `has` and `lacks` list traits of the call (`domain/shell/traits.ts`) or of its situation (`situation.ts`).
 */
export interface Matcher {
  /** `shell` for every host's shell, `edits` for all tools that change files; otherwise the tool's name. */
  readonly tool: string;
  readonly head?: string;
  /** Other spellings of the same command: `python -m pytest` for `pytest`. */
  readonly heads?: readonly string[];
  /** The whole command, with white space normalised. */
  readonly command?: string;
  /** A command as a person names it: program, subcommands, flags in any order and spelling, however it is started. */
  readonly runs?: string;
  readonly has?: readonly string[];
  readonly lacks?: readonly string[];
}

/** Undecided rules are active too. The store selects rules by this and by `silentLevel`. */
export const activeStatuses: readonly RuleStatus[] = ["approved", "candidate"];
export const silentLevel: Level = "watch";

export function isActive(rule: Pick<Rule, "status">): boolean {
  return activeStatuses.includes(rule.status);
}

/** A candidate speaks at the level its evidence allows; with too little evidence that is the silent level. */
export function isSpeaking(rule: Pick<Rule, "status" | "level">): boolean {
  return isActive(rule) && rule.level !== silentLevel;
}

/** True for a rule that stops calls, or has a person asked. */
export function isGuard({ level, matcher }: Pick<Rule, "level" | "matcher">): boolean {
  return (level === "ask" || level === "deny") && matcher !== null;
}

/** True if its owner muted it. An approved rule at the silent level was muted by an earlier version, or has no effect. */
export function isMuted(rule: Pick<Rule, "status" | "level">): boolean {
  return rule.status === "muted" || (rule.status === "approved" && rule.level === silentLevel);
}

/** A muted rule says nothing, but it is still counted and stands for its mistake. */
export function isActiveOrMuted(rule: Pick<Rule, "status">): boolean {
  return isActive(rule) || rule.status === "muted";
}

/**
 * Workspace rules also apply in its subfolders, because events recorded elsewhere may name a subfolder as the
 * workspace.
 */
export function scopeCovers(scope: Scope, workspace: string | null): boolean {
  return scope.kind === "global" || (workspace !== null && folderCovers(scope.workspace, workspace));
}

/** Every scope that covers a workspace: the global one, its own, and those of its parent folders. */
export function listCoveringScopes(workspace: string | null): readonly Scope[] {
  return [
    { kind: "global" },
    ...listCoveringFolders(workspace ?? "").map((folder) => ({ kind: "workspace", workspace: folder }) as const),
  ];
}

export function compareLevels(a: Level, b: Level): number {
  return levels.indexOf(b) - levels.indexOf(a);
}

/** The order in which rules are shown and applied. */
export function compareHardestFirst(a: Rated, b: Rated): number {
  return compareLevels(a.level, b.level) || b.salience - a.salience || (a.id < b.id ? -1 : 1);
}

type Rated = Pick<Rule, "id" | "level" | "salience">;

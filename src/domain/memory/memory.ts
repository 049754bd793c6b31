import type { Policy } from "../policy.ts";
import { origins, type Origin } from "../rule/rule.ts";

/** A `profile` is about the owner; a `learning` comes from work and must have a category. */
export const memoryKinds = ["fact", "preference", "decision", "learning", "profile"] as const;
export type MemoryKind = (typeof memoryKinds)[number];

export const memoryCategories = ["domain_knowledge", "strategy", "operational", "meta"] as const;
export type MemoryCategory = (typeof memoryCategories)[number];

export const memoryStatuses = ["active", "archived", "superseded"] as const;
export type MemoryStatus = (typeof memoryStatuses)[number];

export const memoryScopes = ["global", "workspace", "goal", "agent"] as const;

/** Where a memory applies: everywhere, or in one workspace, for one goal, for one agent. */
export type MemoryScope =
  | { readonly kind: "global" }
  | { readonly kind: Exclude<(typeof memoryScopes)[number], "global">; readonly name: string };

/** Something known. Counts (uses, last confirmation) are derived and not stored here. */
export interface Memory {
  readonly id: string;
  /** Its name within its scope: writing the same key again replaces the text. Defaults to the id. */
  readonly key: string;
  readonly text: string;
  readonly kind: MemoryKind;
  readonly category: MemoryCategory | null;
  /** From 1 to 100: how much it matters. Independent of confidence, which is how certain it is. */
  readonly importance: number;
  readonly confidence: number;
  readonly tags: readonly string[];
  readonly scope: MemoryScope;
  readonly origin: Origin;
  /** The least trusted origin in its lineage: what was derived from external text stays external. */
  readonly trust: Origin;
  readonly supersedes: readonly string[];
  /** Excluded from decay; if its scope is global, also written to MEMORY.md or USER.md. */
  readonly pinned: boolean;
  readonly status: MemoryStatus;
  readonly createdAt: number;
}

/** Counts derived from a memory's uses. */
export interface MemoryCounts {
  readonly uses: number;
  readonly confirmations: number;
  readonly contradictions: number;
  readonly lastUsedAt: number | null;
  readonly lastConfirmedAt: number | null;
}

/** Who asks: memories of another workspace, goal or agent are never visible. */
export interface Viewer {
  readonly workspace?: string | null | undefined;
  readonly goal?: string | null | undefined;
  readonly agent?: string | null | undefined;
}

type MemoryPolicy = Policy["memory"];

export const defaultImportance = 50;
/** What the owner says counts as true; what an agent concludes must be confirmed. */
export const defaultConfidence: Readonly<Record<Origin, number>> = {
  owner: 0.9,
  agent: 0.5,
  tool: 0.5,
  external: 0.3,
};

/**
 * Lowers the confidence of a memory that was long unused and unconfirmed. Staleness counts from the last use, not from
 * the last decay, so every sweep lowers it further until it is confirmed or archived.
 */
export function sweepMemory(memory: Memory, lastSignAt: number, policy: MemoryPolicy, now: number): Memory {
  const stale = now - Math.max(lastSignAt, memory.createdAt) > policy.staleDays * DAY;
  if (!stale || memory.pinned || memory.status !== "active") return memory;
  return archiveIfUnsure({ ...memory, confidence: clampConfidence(memory.confidence - policy.staleDecay) }, policy);
}

const DAY = 86_400_000;

/** Archives below the threshold. Every function that lowers confidence must end with this. */
export function archiveIfUnsure(memory: Memory, policy: MemoryPolicy): Memory {
  const archived = memory.status === "active" && memory.confidence < policy.archiveBelow;
  return archived ? { ...memory, status: "archived" } : memory;
}

/** Rounds to four decimals: 0.3 - 0.1 must not fall below 0.2 by a rounding error. */
export function clampConfidence(confidence: number): number {
  return Math.round(Math.min(1, Math.max(0, confidence)) * 10_000) / 10_000;
}

export function leastTrusted(all: readonly Origin[]): Origin {
  return origins[Math.max(0, ...all.map((one) => origins.indexOf(one)))] ?? "external";
}

/** Returns what is wrong with a memory, or null. */
export function findMemoryFlaw(memory: Pick<Memory, "kind" | "category" | "text" | "importance">): string | null {
  if (memory.text.trim() === "") return "a memory needs a text";
  if (memory.kind === "learning" && memory.category === null)
    return `a learning needs a category: ${memoryCategories.join(", ")}`;
  if (memory.kind !== "learning" && memory.category !== null) return `only a learning has a category`;
  if (!Number.isInteger(memory.importance) || memory.importance < 1 || memory.importance > 100)
    return "importance is a whole number from 1 to 100";
  return null;
}

export function isVisibleTo(scope: MemoryScope, viewer: Viewer): boolean {
  return scope.kind === "global" || (scope.name !== "" && viewer[scope.kind] === scope.name);
}

export function formatMemoryScope(scope: MemoryScope): string {
  return scope.kind === "global" ? "global" : `${scope.kind} ${scope.name}`;
}

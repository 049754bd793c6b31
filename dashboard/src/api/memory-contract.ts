import type { Change } from "./contract.ts";

export type RecallQuery = {
  readonly query: string;
  readonly workspace?: string;
  readonly limit?: number;
};

/** One thing recalled; its text is null where it is blocked. */
export type Piece = {
  readonly tier: string;
  readonly id: string;
  readonly text: string | null;
  readonly origin: string;
  readonly score: number;
  readonly why: string;
  readonly at: string | null;
  readonly blocked: string | null;
};

export type MemoriesQuery = { readonly status?: string; readonly blocked?: boolean; readonly limit?: number };

export type Memory = {
  readonly id: string;
  readonly key: string;
  readonly text: string;
  readonly kind: string;
  readonly category: string | null;
  readonly importance: number;
  readonly confidence: number;
  readonly tags: readonly string[];
  readonly scope: { readonly kind: string; readonly name: string | null };
  readonly origin: string;
  readonly trust: string;
  readonly pinned: boolean;
  readonly status: string;
  readonly blocked: string | null;
  readonly createdAt: string;
  readonly uses: number;
  readonly confirmations: number;
  readonly contradictions: number;
  readonly lastUsedAt: string | null;
};

export type MemoryEdit = { readonly id: string; readonly text?: string; readonly importance?: number };

export type MemoryDecision = { readonly memory: Memory; readonly changes: readonly Change[] };

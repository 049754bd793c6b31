import type { Change } from "../../domain/journal.ts";
import { supersedeMemory } from "../../domain/memory/decisions.ts";
import {
  clampConfidence,
  defaultConfidence,
  defaultImportance,
  findMemoryFlaw,
  leastTrusted,
  type Memory,
  type MemoryScope,
  formatMemoryScope,
  archiveIfUnsure,
} from "../../domain/memory/memory.ts";
import type { Policy } from "../../domain/policy.ts";
import { origins, type Origin } from "../../domain/rule/rule.ts";
import { contentWords, textSimilarity } from "../../domain/text/similarity.ts";
import { OldhandError } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { oneLine } from "../../lib/text.ts";
import type { Db } from "../engine/db.ts";
import { type Provenance, applyAllChanges, type PlannedChange, planChange, withJournalLock } from "./journal.ts";
import { getMemory, makeMemoryId, memoryNoun, nameMemoryScope, searchMemories } from "../nouns/memories.ts";

/** A memory to store; missing fields keep their value or get the default. */
export interface NewMemory {
  readonly text: string;
  readonly key?: string | undefined;
  readonly kind?: Memory["kind"] | undefined;
  readonly category?: Memory["category"] | undefined;
  readonly importance?: number | undefined;
  readonly confidence?: number | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly scope: MemoryScope;
  readonly origin: Origin;
  readonly supersedes?: readonly string[] | undefined;
  readonly pinned?: boolean | undefined;
  /** Store it even if a similar memory exists. */
  readonly anyway?: boolean | undefined;
  /** The id of a memory without a key, if the caller must find it again. */
  readonly id?: string | undefined;
}

export interface SimilarMemory {
  readonly memory: Memory;
  readonly similarity: number;
}

/** Finds similar memories in a scope: by words by default, or by meaning. */
export type FindSimilarMemories = (db: Db, text: string, scope: MemoryScope) => Promise<readonly SimilarMemory[]>;

export type RememberResult =
  | { readonly kind: "written"; readonly memory: Memory; readonly changes: readonly Change<object>[] }
  | { readonly kind: "known"; readonly memory: Memory; readonly similarity: number };

/** Writes a memory, under its key if it has one. A near duplicate is not written. */
export function remember(
  db: Db,
  given: NewMemory,
  by: Provenance & { readonly policy: Policy["memory"] },
  findSimilar: FindSimilarMemories = findSimilarByWords,
): Promise<RememberResult> {
  return withJournalLock(db, async (tx) => {
    const newMemory = { ...given, scope: await nameMemoryScope(tx, given.scope) };
    const id =
      newMemory.key === undefined ? (newMemory.id ?? newId("m", by.at)) : makeMemoryId(newMemory.scope, newMemory.key);
    const before = await getMemory(tx, id);
    const replaced = await listSuperseded(tx, newMemory, id);
    if (before) assertMayReplace(newMemory.origin, before);
    if (!before && !newMemory.anyway && newMemory.pinned !== true) {
      const near = await findSimilar(tx, newMemory.text, newMemory.scope);
      const known = findKnownMemory(near, newMemory, replaced, by.policy);
      if (known) return { kind: "known", ...known };
    }
    const memory = archiveIfUnsure(
      { ...buildMemory(newMemory, before, replaced, id), createdAt: before?.createdAt ?? by.at },
      by.policy,
    );
    const flaw = findMemoryFlaw(memory);
    if (flaw !== null) throw new OldhandError("usage", flaw, { hint: "oldhand remember --help" });
    const changes = await applyAllChanges(tx, planMemoryChanges([...replaced.map(supersedeMemory), memory], by));
    return { kind: "written", memory: (await getMemory(tx, id)) ?? memory, changes };
  });
}

/** Plans the new states. Use it only for memories read under the same lock. */
export function planMemoryChanges(memories: readonly Memory[], by: Provenance): readonly PlannedChange[] {
  return memories.map((memory) => planChange(memoryNoun, memory.id, by, () => memory));
}

/** Similar texts share their longest words; short ones are in many memories and only cost time. */
export const findSimilarByWords: FindSimilarMemories = async (db, text, scope) => {
  const words = [...new Set(contentWords(text))].toSorted((a, b) => b.length - a.length).slice(0, MAX_QUERY_WORDS);
  const hits = await searchMemories(db, words.join(" "), { scope, status: "active", limit: MAX_CANDIDATES });
  return hits
    .map((memory) => ({ memory, similarity: textSimilarity(memory.text, text) }))
    .toSorted((a, b) => b.similarity - a.similarity);
};

const MAX_CANDIDATES = 50;
const MAX_QUERY_WORDS = 6;

function findKnownMemory(
  near: readonly SimilarMemory[],
  newMemory: NewMemory,
  replaced: readonly Memory[],
  policy: Policy["memory"],
): SimilarMemory | null {
  const known = near.find(
    ({ memory, similarity }) =>
      similarity >= policy.nearDuplicate &&
      !replaced.some((one) => one.id === memory.id) &&
      // A less trusted memory does not replace the owner's own statement.
      originRank(memory.trust) <= originRank(newMemory.origin),
  );
  return known ?? null;
}

function buildMemory(
  newMemory: NewMemory,
  before: Memory | null,
  replaced: readonly Memory[],
  id: string,
): Omit<Memory, "createdAt"> {
  const sameWords = before?.text === newMemory.text;
  return {
    id,
    key: newMemory.key ?? before?.key ?? id,
    text: newMemory.text,
    kind: newMemory.kind ?? before?.kind ?? "fact",
    category: newMemory.category === undefined ? (before?.category ?? null) : newMemory.category,
    importance: newMemory.importance ?? before?.importance ?? defaultImportance,
    confidence: clampConfidence(
      newMemory.confidence ?? (sameWords ? before.confidence : defaultConfidence[newMemory.origin]),
    ),
    tags: [...new Set(newMemory.tags ?? before?.tags ?? [])].toSorted(),
    scope: newMemory.scope,
    origin: newMemory.origin,
    trust: leastTrusted([newMemory.origin, ...replaced.map((one) => one.trust)]),
    supersedes: [...new Set([...(before?.supersedes ?? []), ...replaced.map((one) => one.id)])],
    ...(isRejectedByOwner(newMemory, before)
      ? { pinned: false, status: "archived" }
      : { pinned: newMemory.pinned ?? before?.pinned ?? false, status: "active" }),
  };
}

/** A statement that the owner rejected is not stored again because an agent repeats it. */
function isRejectedByOwner(newMemory: NewMemory, before: Memory | null): boolean {
  const isAgain = before?.kind === "profile" && before.status === "archived" && before.text === newMemory.text;
  return isAgain && newMemory.origin !== "owner";
}

async function listSuperseded(tx: Db, newMemory: NewMemory, id: string): Promise<readonly Memory[]> {
  const found: Memory[] = [];
  for (const each of newMemory.supersedes ?? []) {
    const memory = await getMemory(tx, each);
    if (!memory || each === id)
      throw new OldhandError("not-found", `there is no memory ${each} to supersede`, { hint: "oldhand memories" });
    if (memory.scope.kind !== "global" && formatMemoryScope(memory.scope) !== formatMemoryScope(newMemory.scope))
      throw new OldhandError("refused", `memory ${each} has another scope: ${formatMemoryScope(memory.scope)}`);
    assertMayReplace(newMemory.origin, memory);
    found.push(memory);
  }
  return found;
}

/** A less trusted origin never replaces a more trusted one: a web page cannot change the owner's statement. */
function assertMayReplace(origin: Origin, memory: Memory): void {
  if (originRank(origin) <= originRank(memory.origin)) return;
  throw new OldhandError(
    "refused",
    `memory ${memory.key} comes from the ${memory.origin}; ${origin} may not replace it: ${oneLine(memory.text, 80)}`,
    { hint: "use another key" },
  );
}

function originRank(origin: Origin): number {
  return origins.indexOf(origin);
}

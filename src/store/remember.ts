import type { Change } from "../domain/journal.ts";
import { supersede } from "../domain/memory/decisions.ts";
import {
  clamped,
  defaultConfidence,
  defaultImportance,
  flawOf,
  leastTrusted,
  type Memory,
  type MemoryScope,
  scopeText,
  settled,
} from "../domain/memory/memory.ts";
import type { Policy } from "../domain/policy.ts";
import { origins, type Origin } from "../domain/rule/rule.ts";
import { contentWords, textSimilarity } from "../domain/text/similarity.ts";
import { OldhandError } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { oneLine } from "../lib/text.ts";
import type { Db } from "./engine/db.ts";
import { type By, changeAll, type Planned, planned, underLock } from "./journal.ts";
import { getMemory, memoryIdOf, memoryNoun, searchMemories } from "./memories.ts";

/** What someone wants remembered; what is left out stays as it was, or takes its default. */
export interface Wish {
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
  /** Also when much the same is known already. */
  readonly anyway?: boolean | undefined;
  /** The id of a memory without a key, where whoever writes must be able to find it again. */
  readonly id?: string | undefined;
}

export interface NearMemory {
  readonly memory: Memory;
  readonly similarity: number;
}

/** Finds what says much the same within a scope. By words today; by meaning where someone can. */
export type FindNear = (db: Db, text: string, scope: MemoryScope) => Promise<readonly NearMemory[]>;

export type Remembered =
  | { readonly kind: "written"; readonly memory: Memory; readonly changes: readonly Change<object>[] }
  | { readonly kind: "known"; readonly memory: Memory; readonly similarity: number };

/** Writes a memory, by its key if it has one. What is known already, nearly word for word, is not written twice. */
export function remember(
  db: Db,
  wish: Wish,
  by: By & { readonly law: Policy["memory"] },
  findNear: FindNear = nearByWords,
): Promise<Remembered> {
  return underLock(db, async (tx) => {
    const id = wish.key === undefined ? (wish.id ?? newId("m", by.at)) : memoryIdOf(wish.scope, wish.key);
    const before = await getMemory(tx, id);
    const replaced = await supersededBy(tx, wish, id);
    if (before) mayReplace(wish.origin, before);
    if (!before && !wish.anyway && wish.pinned !== true) {
      const near = await findNear(tx, wish.text, wish.scope);
      const known = knownAlready(near, wish, replaced, by.law);
      if (known) return { kind: "known", ...known };
    }
    const memory = settled({ ...made(wish, before, replaced, id), createdAt: before?.createdAt ?? by.at }, by.law);
    const flaw = flawOf(memory);
    if (flaw !== null) throw new OldhandError("usage", flaw, { hint: "oldhand remember --help" });
    const changes = await changeAll(tx, memoriesAs([...replaced.map(supersede), memory], by));
    return { kind: "written", memory: (await getMemory(tx, id)) ?? memory, changes };
  });
}

/** Memories as they shall be from now on. Only for what was read under the same lock. */
export function memoriesAs(memories: readonly Memory[], by: By): readonly Planned[] {
  return memories.map((memory) => planned(memoryNoun, memory.id, by, () => memory));
}

/** What says the same shares its longest words; the short ones are in every other memory and only cost time. */
export const nearByWords: FindNear = async (db, text, scope) => {
  const words = [...new Set(contentWords(text))].toSorted((a, b) => b.length - a.length).slice(0, TELLING_WORDS);
  const hits = await searchMemories(db, words.join(" "), { scope, status: "active", limit: CANDIDATES });
  return hits
    .map((memory) => ({ memory, similarity: textSimilarity(memory.text, text) }))
    .toSorted((a, b) => b.similarity - a.similarity);
};

const CANDIDATES = 50;
const TELLING_WORDS = 6;

function knownAlready(
  near: readonly NearMemory[],
  wish: Wish,
  replaced: readonly Memory[],
  law: Policy["memory"],
): NearMemory | null {
  const known = near.find(
    ({ memory, similarity }) =>
      similarity >= law.nearDuplicate &&
      !replaced.some((one) => one.id === memory.id) &&
      // What a web page says does not stand in for the owner's own word.
      rank(memory.trust) <= rank(wish.origin),
  );
  return known ?? null;
}

function made(wish: Wish, before: Memory | null, replaced: readonly Memory[], id: string): Omit<Memory, "createdAt"> {
  const sameWords = before?.text === wish.text;
  return {
    id,
    key: wish.key ?? before?.key ?? id,
    text: wish.text,
    kind: wish.kind ?? before?.kind ?? "fact",
    category: wish.category === undefined ? (before?.category ?? null) : wish.category,
    importance: wish.importance ?? before?.importance ?? defaultImportance,
    confidence: clamped(wish.confidence ?? (sameWords ? before.confidence : defaultConfidence[wish.origin])),
    tags: [...new Set(wish.tags ?? before?.tags ?? [])].toSorted(),
    scope: wish.scope,
    origin: wish.origin,
    trust: leastTrusted([wish.origin, ...replaced.map((one) => one.trust)]),
    supersedes: [...new Set([...(before?.supersedes ?? []), ...replaced.map((one) => one.id)])],
    ...(isTurnedDown(wish, before)
      ? { pinned: false, status: "archived" }
      : { pinned: wish.pinned ?? before?.pinned ?? false, status: "active" }),
  };
}

/** What the owner did not want said about themselves does not come back because an agent says it again. */
function isTurnedDown(wish: Wish, before: Memory | null): boolean {
  const isAgain = before?.kind === "profile" && before.status === "archived" && before.text === wish.text;
  return isAgain && wish.origin !== "owner";
}

async function supersededBy(tx: Db, wish: Wish, id: string): Promise<readonly Memory[]> {
  const found: Memory[] = [];
  for (const each of wish.supersedes ?? []) {
    const memory = await getMemory(tx, each);
    if (!memory || each === id)
      throw new OldhandError("not-found", `there is no memory ${each} to supersede`, { hint: "oldhand memories" });
    if (memory.scope.kind !== "global" && scopeText(memory.scope) !== scopeText(wish.scope))
      throw new OldhandError("refused", `memory ${each} is of another scope: ${scopeText(memory.scope)}`);
    mayReplace(wish.origin, memory);
    found.push(memory);
  }
  return found;
}

/** What is less trusted never takes the place of what is more: a web page cannot rewrite the owner's word. */
function mayReplace(origin: Origin, memory: Memory): void {
  if (rank(origin) <= rank(memory.origin)) return;
  throw new OldhandError(
    "refused",
    `memory ${memory.key} comes from the ${memory.origin}; ${origin} may not replace it: ${oneLine(memory.text, 80)}`,
    { hint: "use another key" },
  );
}

function rank(origin: Origin): number {
  return origins.indexOf(origin);
}

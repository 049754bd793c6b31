import type { Memory } from "../src/domain/memory/memory.ts";
import type { Store, SqlValue } from "../src/store/engine/db.ts";
import { makeMemoryId, toPassage } from "../src/store/nouns/memories.ts";
import { putPassages } from "../src/store/nouns/passages.ts";
import { makeRandom } from "../src/lib/random.ts";

/** The model name under which generated vectors are stored. */
export const MADE_MODEL = "made";
export const DIMS = 384;
/** The workspace of all queries. Some memories belong to other workspaces and must not be found. */
export const BENCH_WORKSPACE = "/bench/here";
export const NOW = Date.UTC(2026, 0, 1);

const BATCH = 1_000;

/** Stores `count` memories with one vector each, in bulk and without the journal, which search never reads. */
export async function fillWithMemories(store: Store, count: number): Promise<void> {
  const vectors = await store.db.dialect.vectors();
  for (let from = 0; from < count; from += BATCH) {
    const some = Array.from({ length: Math.min(BATCH, count - from) }, (_, at) => from + at);
    await store.db.tx(async (tx) => {
      await tx.insertMany({ table: "memories", columns }, some.map(makeRow));
      await putPassages(
        tx,
        some.map((n) => toPassage(makeMemory(n))),
      );
      await vectors.put(
        tx,
        some.map((n) => ({
          noun: "memory",
          subject: makeMadeId(n),
          model: MADE_MODEL,
          dims: DIMS,
          vector: makeVector(n),
        })),
      );
    });
  }
}

const columns = [
  ..."number id key text kind category importance confidence tags scope_kind scope_name origin trust supersedes".split(
    " ",
  ),
  ..."pinned status created_at".split(" "),
];

function makeRow(n: number): SqlValue[] {
  const made = makeMemory(n);
  const { id, key, text, kind, category, importance, confidence, origin, trust, status, createdAt } = made;
  const scope = [made.scope.kind, made.scope.kind === "global" ? "" : made.scope.name];
  const tags = JSON.stringify(made.tags);
  return [
    n + 1,
    id,
    key,
    text,
    kind,
    category,
    importance,
    confidence,
    tags,
    ...scope,
    origin,
    trust,
    "[]",
    0,
    status,
    createdAt,
  ];
}

function makeScope(n: number): Memory["scope"] {
  if (n % 5 < 3) return { kind: "global" };
  return { kind: "workspace", name: n % 5 === 3 ? BENCH_WORKSPACE : `/bench/other-${n % 50}` };
}

function makeMadeId(n: number): string {
  return makeMemoryId(makeScope(n), `made-${n}`);
}

function makeMemory(n: number): Memory {
  return {
    id: makeMadeId(n),
    key: makeMadeId(n),
    text: makeText(n),
    kind: "fact",
    category: null,
    importance: 1 + ((n * 37) % 100),
    confidence: ((n * 13) % 10) / 10,
    tags: [`tag${n % 40}`],
    scope: makeScope(n),
    origin: "agent",
    trust: "agent",
    supersedes: [],
    pinned: false,
    status: "active",
    createdAt: NOW - ((n * 7) % 400) * 86_400_000,
  };
}

const VOCABULARY = 20_000;
const TEXT_WORDS = 30;

/** Words with a natural frequency distribution: few very common, most rare. */
function makeWord(draw: number): string {
  const rank = Math.floor(VOCABULARY ** draw);
  const letters = "bcdfghjklmnpqrstvwxz";
  let word = "";
  for (let left = rank + 400; left > 0; left = Math.floor(left / 100))
    word += `${letters[left % 20]}${"aeiou"[Math.floor(left / 20) % 5]}`;
  return word;
}

export function makeText(n: number): string {
  const next = makeRandom(n + 1);
  return Array.from({ length: TEXT_WORDS }, () => makeWord(next())).join(" ");
}

/** Realistic queries: some rare words, some common ones. */
export function makeQueries(): readonly string[] {
  return Array.from({ length: 60 }, (_, n) => {
    const next = makeRandom(n + 1_000_003);
    return Array.from({ length: 3 + (n % 4) }, () => makeWord(next())).join(" ");
  });
}

const TOPICS = 400;

/** Vectors are clustered around about a hundred topics, like texts. A negative `n` is a query about one of them. */
export function makeVector(n: number): Int8Array {
  const topic = makeRandom(Math.abs(n * 7_919) % TOPICS);
  const own = makeRandom(n + 77_000_000);
  return Int8Array.from({ length: DIMS }, () => Math.round((topic() * 2 - 1) * 80 + (own() * 2 - 1) * 47));
}

import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import type { Db, NearVector, VectorStore } from "../../src/store/engine/db.ts";
import { openStore } from "../../src/store/open.ts";
import { stores, withStore } from "../stores.ts";

async function near(
  vectors: VectorStore,
  ...[db, query, options]: Parameters<VectorStore["compare"]>
): Promise<readonly NearVector[]> {
  return (await vectors.compare(db, query, options)).best;
}

type WithDb = (act: (db: Db) => Promise<void>) => Promise<void>;

const kinds: readonly { readonly name: string; readonly with: WithDb }[] = [
  ...stores.map((kind) => ({
    name: kind.name === "postgres" ? "PostgreSQL without pgvector" : "SQLite",
    with: (act: (db: Db) => Promise<void>) => withStore(kind, ({ db }) => act(db)),
  })),
  { name: "PostgreSQL with pgvector", with: withSharedPgvector },
];

describe.each(kinds)("vectors on $name", (kind) => {
  const row = (subject: string, vector: readonly number[], over: { noun?: string; model?: string } = {}) => ({
    noun: "rule",
    model: "m",
    subject,
    dims: vector.length,
    vector: Int8Array.from(vector),
    ...over,
  });
  const options = { noun: "rule", model: "m", k: 10 };

  it("finds what points the same way, whatever its length, best first", () =>
    kind.with(async (db) => {
      const vectors = await db.dialect.vectors();
      await vectors.put(db, [
        row("east", [100, 0, 0, 0]),
        row("short east", [3, 0, 0, 0]),
        row("north-east", [90, 90, 0, 0]),
        row("north", [0, 127, 0, 0]),
        row("west", [-128, 0, 0, 0]),
      ]);
      const found = await near(vectors, db, Int8Array.of(50, 0, 0, 0), options);
      expect(found.map((one) => one.subject)).toEqual(["east", "short east", "north-east", "north", "west"]);
      expect(found.map((one) => Number(one.score.toFixed(4)))).toEqual([1, 1, Number(Math.SQRT1_2.toFixed(4)), 0, -1]);
      expect(await near(vectors, db, Int8Array.of(0, 9, 0, 0), { ...options, k: 1 })).toMatchObject([
        { subject: "north" },
      ]);
    }));

  it("keeps nouns, models and dimensions apart", () =>
    kind.with(async (db) => {
      const vectors = await db.dialect.vectors();
      await vectors.put(db, [
        row("a", [1, 2, 3]),
        row("a", [3, 2, 1], { model: "other" }),
        row("b", [1, 2, 3], { noun: "memory" }),
        row("c", [1, 2, 3, 4]),
      ]);
      const subjects = async (query: Int8Array, over = {}) =>
        (await near(vectors, db, query, { ...options, ...over })).map((one) => one.subject);
      expect(await subjects(Int8Array.of(1, 2, 3))).toEqual(["a"]);
      expect(await subjects(Int8Array.of(1, 2, 3), { noun: "memory" })).toEqual(["b"]);
      expect(await subjects(Int8Array.of(1, 2, 3), { model: "none" })).toEqual([]);
      expect(await subjects(Int8Array.of(1, 2, 3, 4))).toEqual(["c"]);
      await vectors.remove(db, "rule", ["a"]);
      expect(await subjects(Int8Array.of(1, 2, 3), { model: "other" })).toEqual([]);
    }));

  it("looks only at the subjects asked for, however many", () =>
    kind.with(async (db) => {
      const vectors = await db.dialect.vectors();
      await vectors.put(
        db,
        Array.from({ length: 2_500 }, (_, i) => row(`s${i}`, [i % 127, 1])),
      );
      const few = await near(vectors, db, Int8Array.of(127, 1), { ...options, subjects: ["s1", "s3", "none"] });
      expect(few.map((one) => one.subject)).toEqual(["s3", "s1"]);
      const odd = Array.from({ length: 1_250 }, (_, i) => `s${2 * i + 1}`);
      const many = await near(vectors, db, Int8Array.of(127, 1), { ...options, k: 2_000, subjects: odd });
      expect(many.map((one) => one.subject).toSorted()).toEqual(odd.toSorted());
      expect(await near(vectors, db, Int8Array.of(1, 1), { ...options, subjects: [] })).toEqual([]);
    }));

  it("replaces a subject's vector, also twice in one go", () =>
    kind.with(async (db) => {
      const vectors = await db.dialect.vectors();
      await vectors.put(db, [row("a", [1, 0])]);
      await vectors.put(db, [row("a", [5, 5]), row("a", [0, 1])]);
      await vectors.put(db, []);
      const found = await near(vectors, db, Int8Array.of(0, 1), options);
      expect(found).toEqual([{ subject: "a", score: expect.closeTo(1, 6) }]);
      await expect(vectors.put(db, [{ ...row("b", [1, 2]), dims: 3 }])).rejects.toThrow("2 dimensions");
    }));

  it("agrees with the plain formula on any vectors, over more than one block", () =>
    kind.with(async (db) => {
      const vectors = await db.dialect.vectors();
      const dims = 16;
      const all = fc
        .sample(fc.int8Array({ minLength: dims, maxLength: dims }), { numRuns: 2_100, seed: 7 })
        .map((one, i) => row(`s${String(i).padStart(5, "0")}`, [...one]))
        .filter((one) => one.vector.some((value) => value !== 0));
      await vectors.put(db, all);
      const query = Int8Array.from({ length: dims }, (_, i) => (i % 2 === 0 ? 100 - i : -3 * i));
      const found = await near(vectors, db, query, { ...options, k: 20 });
      const exact = all
        .map((one) => cosine(query, one.vector))
        .toSorted((a, b) => b - a)
        .slice(0, 20);
      // An index may miss one of the last; a scan may not.
      const close = found.filter((one, i) => Math.abs(one.score - (exact[i] ?? 2)) < 1e-6);
      expect(close.length).toBeGreaterThanOrEqual(kind.name.endsWith("with pgvector") ? 10 : 20);
      expect(found).toHaveLength(20);
    }));

  it("tells how crowded it is around each: high among many alike, low for one that stands alone", () =>
    kind.with(async (db) => {
      const vectors = await db.dialect.vectors();
      const noun = "crowd";
      const alike = Array.from({ length: 12 }, (_, n) => row(`a${n}`, [100, n, 0], { noun }));
      await vectors.put(db, [...alike, row("alone", [0, 0, 100], { noun })]);
      const compared = await vectors.compare(db, Int8Array.of(50, 0, 50), { noun, model: "m", k: 3 });
      const crowding = await compared.crowding(["a3", "alone", "unknown"]);
      expect([...crowding.keys()].toSorted()).toEqual(["a3", "alone"]);
      expect(crowding.get("a3")).toBeGreaterThan(0.99);
      expect(crowding.get("alone")).toBeCloseTo(0, 5);
      expect((await compared.crowding([])).size).toBe(0);
    }));

  it("works inside a transaction, and is taken back with it", () =>
    kind.with(async (db) => {
      const vectors = await db.dialect.vectors();
      const failing = db.tx(async (tx) => {
        await vectors.put(tx, [row("a", [1, 2])]);
        expect(await near(vectors, tx, Int8Array.of(1, 2), options)).toHaveLength(1);
        throw new Error("undone");
      });
      await expect(failing).rejects.toThrow("undone");
      expect(await near(vectors, db, Int8Array.of(1, 2), options)).toEqual([]);
    }));
});

describe("vectors on a server that got pgvector later", () => {
  it("go on with those stored before, by its index", () =>
    withSharedPgvector(async (db) => {
      await db.run("drop extension if exists vector cascade");
      const vectors = await db.dialect.vectors();
      await db.run("insert into vectors (noun, subject, model, dims, vector) values ('rule', 'old', 'm', 3, ?)", [
        new Uint8Array(Int8Array.of(-128, 5, 127).buffer),
      ]);
      expect(await db.all("select 1 as one from pg_extension where extname = 'vector'")).toEqual([]);
      const options = { noun: "rule", model: "m", k: 5 };
      expect(await near(vectors, db, Int8Array.of(-128, 5, 127), options)).toHaveLength(1);
      await vectors.put(db, [{ noun: "rule", subject: "new", model: "m", dims: 3, vector: Int8Array.of(1, 1, 1) }]);
      const found = await near(vectors, db, Int8Array.of(-128, 5, 127), options);
      expect(found[0]).toEqual({ subject: "old", score: expect.closeTo(1, 6) });
      expect(found.map((one) => one.subject)).toEqual(["old", "new"]);
      expect(await db.all("select indexname from pg_indexes where indexname = 'vectors_near_3'")).toHaveLength(1);
    }));
});

let shared: ReturnType<typeof openPgvector> | undefined;
afterAll(async () => (await shared)?.close());

/** Starting a server takes seconds, so most tests share one. */
async function withSharedPgvector(act: (db: Db) => Promise<void>): Promise<void> {
  shared ??= openPgvector();
  const { db } = await shared;
  await db.run("delete from vectors");
  await act(db);
}

/** PGlite has one backend, hence one connection and no named statements. */
async function openPgvector(): Promise<{ readonly db: Db; close(): Promise<void> }> {
  const lite = await PGlite.create({ extensions: { vector } });
  const server = new PGLiteSocketServer({ db: lite, host: "127.0.0.1", port: 0 });
  const listening = new Promise<number>((resolve) => {
    server.addEventListener("listening", (event) => resolve((event as CustomEvent<{ port: number }>).detail.port));
  });
  await server.start();
  const store = await openStore({
    database: `postgres://postgres:postgres@127.0.0.1:${await listening}/postgres?pooler=transaction`,
    busyMs: 10_000,
  });
  return {
    db: store.db,
    close: async () => {
      await store.close();
      await server.stop();
      await lite.close();
    },
  };
}

function cosine(a: Int8Array, b: Int8Array): number {
  const dot = (x: Int8Array, y: Int8Array) => x.reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

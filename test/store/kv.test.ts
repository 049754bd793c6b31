import { describe, expect, it } from "vitest";
import { getValue, listValues, putValue, removeValue } from "../../src/store/state/kv.ts";
import { openStore } from "../../src/store/open.ts";
import { stores, withStore } from "../stores.ts";

describe.each(stores)("notes on $name", (kind) => {
  const note = { space: "s", key: "k", value: "v", now: 0, ttlMs: 100, maxBytes: 1_000 };

  it("are read until their time is over, and swept by the next writer", () =>
    withStore(kind, async ({ db }) => {
      await putValue(db, note);
      await putValue(db, { ...note, key: "k2", ttlMs: 500 });
      expect(await getValue(db, "s", "k", 99)).toBe("v");
      expect(await getValue(db, "s", "k", 100)).toBeNull();
      expect(await getValue(db, "other", "k", 0)).toBeNull();
      expect(await listValues(db, "s", 50)).toEqual([
        { key: "k", value: "v", until: 100 },
        { key: "k2", value: "v", until: 500 },
      ]);
      await putValue(db, { ...note, space: "other", now: 200 });
      expect(await db.all("select key from kv where space = 's'")).toEqual([{ key: "k2" }]);
      expect(await removeValue(db, "s", "k2")).toBe(true);
      expect(await removeValue(db, "s", "k2")).toBe(false);
    }));

  it("are replaced by key, and their time begins anew", () =>
    withStore(kind, async ({ db }) => {
      await putValue(db, note);
      await putValue(db, { ...note, value: "w\0x", now: 50 });
      expect(await getValue(db, "s", "k", 149)).toBe("w␀x");
    }));

  it("refuse to grow a space over its bound, and change nothing then", () =>
    withStore(kind, async ({ db }) => {
      await putValue(db, { ...note, value: "ä".repeat(400) });
      await expect(putValue(db, { ...note, key: "b", value: "x".repeat(300) })).rejects.toMatchObject({
        code: "refused",
      });
      expect(await getValue(db, "s", "b", 0)).toBeNull();
      await putValue(db, { ...note, space: "t", key: "b", value: "x".repeat(300) });
      await putValue(db, { ...note, value: "small" });
      await putValue(db, { ...note, key: "b", value: "x".repeat(300) });
    }));

  it("keep the bound under eight writers at once", () =>
    withStore(kind, async ({ db }, database) => {
      const writers = await Promise.all(Array.from({ length: 8 }, () => openStore({ database, busyMs: 10_000 })));
      const value = "x".repeat(97);
      for (let i = 0; i < 10; i++) await putValue(db, { ...note, space: "old", key: `${i}`, ttlMs: 1 });
      const put = (on: (typeof writers)[number], key: string) =>
        putValue(on.db, { ...note, key, value, now: 10 }).then(
          () => "put",
          (error: { code: string }) => error.code,
        );
      const results = await Promise.all(writers.flatMap((one, i) => [0, 1, 2, 3].map((n) => put(one, `k${i}${n}`))));
      expect(results.filter((result) => result === "put")).toHaveLength(10);
      expect(results.filter((result) => result === "refused")).toHaveLength(22);
      await Promise.all(writers.map((one) => one.close()));
    }));
});

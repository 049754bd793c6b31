import type { Db } from "../../src/store/engine/db.ts";

/** What the queue's promises rest on. A run without one of them must break a promise; otherwise it proves nothing. */
export const fences = ["token", "lease", "transaction"] as const;
export type Fence = (typeof fences)[number];

/** The same store, with one fence taken out of the queue's statements. */
export function withoutFence(db: Db, fence: Fence): Db {
  if (fence === "transaction") {
    const open: Db = { ...db, tx: (work) => work(open) };
    return open;
  }
  return rewriting(db, rewrites[fence]);
}

const rewrites: Readonly<Record<Exclude<Fence, "transaction">, readonly [string, string]>> = {
  token: ["and token = ?", "and coalesce(token, ?) is not null"],
  lease: ["until <= ", "0 <= "],
};

/** The same store, with a part of its statements replaced. */
export function rewriting(db: Db, [from, to]: readonly [string, string]): Db {
  const rewrite = (sql: string) => sql.replaceAll(from, to);
  return {
    ...db,
    all: (sql, values) => db.all(rewrite(sql), values),
    get: (sql, values) => db.get(rewrite(sql), values),
    run: (sql, values) => db.run(rewrite(sql), values),
    tx: (work) => db.tx((inner) => work(rewriting(inner, [from, to]))),
  };
}

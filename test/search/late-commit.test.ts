import { describe, expect, it } from "vitest";
import { defaultPolicy } from "../../src/domain/policy.ts";
import { embedMissing } from "../../src/search/embed-missing.ts";
import type { Db } from "../../src/store/engine/db.ts";
import { withJournalLock } from "../../src/store/journal/journal.ts";
import { openStore } from "../../src/store/open.ts";
import { remember } from "../../src/store/journal/remember.ts";
import { byOwner } from "../store/samples.ts";
import { stores, withStore } from "../stores.ts";

const embedder = {
  model: "compass",
  embed: async (texts: readonly string[]) => texts.map(() => Int8Array.of(1, 1)),
};

const know = (db: Db, text: string) =>
  remember(
    db,
    { text, scope: { kind: "global" }, origin: "owner", anyway: true },
    { ...byOwner(10), policy: defaultPolicy.memory },
  );

const embed = (db: Db) => embedMissing({ db }, embedder, { timeUp: new AbortController().signal, only: "passages" });

// SQLite has one writer at a time: it assigns no id before the one below is committed.
describe.each(stores.filter((kind) => kind.name === "postgres"))("a memory that is committed late on $name", (kind) => {
  it("gets its vector: who takes a number waits until those below it are committed", () =>
    withStore(kind, async ({ db }, database) => {
      const other = await openStore({ database, busyMs: 10_000 });
      try {
        let commit = () => {};
        const held = new Promise<void>((resolve) => (commit = resolve));
        let hasNumber = () => {};
        const numbered = new Promise<void>((resolve) => (hasNumber = resolve));
        const late = withJournalLock(db, async (tx) => {
          await know(tx, "The late one has the lower number");
          hasNumber();
          await held;
        });
        await numbered;
        const next = know(other.db, "The next one is written at the same time");
        // Embedding now must not go past the uncommitted one.
        await untilSomebodyWaits(db);
        expect((await embed(other.db)).embedded).toBe(0);
        commit();
        await late;
        await next;
        await embed(other.db);
        const subjects = await db.all("select subject from vectors where model = 'compass'");
        expect(subjects).toHaveLength(2);
      } finally {
        await other.close();
      }
    }));
});

async function untilSomebodyWaits(db: Db): Promise<void> {
  const waiting = () => db.all("select 1 as one from pg_locks where not granted");
  await expect.poll(async () => (await waiting()).length, { timeout: 10_000 }).toBeGreaterThan(0);
}

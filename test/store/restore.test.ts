import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { defaultPolicy } from "../../src/domain/policy.ts";
import { countNewForMiners, countNewCommands } from "../../src/distil/counting/count-new-events.ts";
import { fixedClock } from "../../src/lib/clock.ts";
import { restoreBackup, writeBackup } from "../../src/store/backup.ts";
import { digest } from "../../src/store/derived/digest.ts";
import type { Db, Store } from "../../src/store/engine/db.ts";
import { appendEvents } from "../../src/store/events/events.ts";
import { storeMarkedMemories } from "../../src/store/journal/marked-memories.ts";
import { metaKeys } from "../../src/store/state/tables.ts";
import { embedMissing } from "../../src/search/embed-missing.ts";
import type { Context } from "../../src/context.ts";
import { quiet } from "../context.ts";
import { stores, withStore } from "../stores.ts";
import { anEvent } from "./samples.ts";

const embedder = {
  model: "test",
  embed: async (texts: readonly string[]) => texts.map(() => new Int8Array(16).fill(1)),
};

/** Computes everything that is derived from events. */
async function derive(store: Store): Promise<void> {
  const { db } = store;
  const world = { db, store, clock: fixedClock(9_000), actor: "test", ...quiet, config: { policy: defaultPolicy } };
  await digest(db);
  await embedMissing({ db }, embedder as never, { timeUp: new AbortController().signal });
  await storeMarkedMemories(db, defaultPolicy.memory);
  await countNewForMiners(world as unknown as Context, []);
  await countNewCommands(world as unknown as Context);
}

async function derived(db: Db) {
  return {
    vectors: await db.all("select noun, subject from vectors order by noun, subject"),
    commands: await db.all("select key, times from repeats where kind = 'commands' order by key"),
    marks: (await db.all<{ key: string }>("select key from meta order by key")).map((row) => row.key),
  };
}

describe.each(stores)("a restore on $name", (kind) => {
  it("derives everything from the events that came, and leaves nothing derived from those that went", async () => {
    const dir = mkdtempSync(join(tmpdir(), "oldhand-restore-"));
    const file = join(dir, "backup.gz");
    try {
      await withStore(kind, async (store) => {
        await appendEvents(store.db, [anEvent("a", { input: { command: "make docs" } })]);
        await writeBackup(store.db, file);
      });
      await withStore(kind, async (store) => {
        const others = ["one", "two", "three"].map((word) => anEvent(word, { kind: "prompt", text: `the ${word}` }));
        await appendEvents(store.db, [...others, anEvent("x", { input: { command: "make clean" } })]);
        await derive(store);
        expect((await derived(store.db)).vectors).toHaveLength(3);
        await restoreBackup(store.db, file);
        expect((await derived(store.db)).vectors).toEqual([]);
        await derive(store);
        expect(await derived(store.db)).toMatchObject({
          vectors: [],
          commands: [{ key: expect.stringContaining("make docs") }],
        });
      });
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });

  it("knows every note of how far something was derived", () =>
    withStore(kind, async (store) => {
      await appendEvents(store.db, [anEvent("a"), anEvent("b", { kind: "prompt", text: "hello there" })]);
      await derive(store);
      const { marks } = await derived(store.db);
      expect(marks.length).toBeGreaterThan(4);
      expect(marks.filter((key) => !metaKeys.some(({ starts }) => key.startsWith(starts)))).toEqual([]);
    }));
});

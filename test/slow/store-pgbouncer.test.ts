import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { searchWords } from "../store/search-words.ts";
import { digest } from "../../src/store/derived/digest.ts";
import { appendEvent, appendEvents, countEvents, listSessionEvents } from "../../src/store/events/events.ts";
import { findDisagreements, listChanges, undoChange } from "../../src/store/journal/journal.ts";
import { putValue } from "../../src/store/state/kv.ts";
import { acquireLease } from "../../src/store/state/leases.ts";
import { readMeta, writeMeta } from "../../src/store/state/meta.ts";
import { openStore } from "../../src/store/open.ts";
import { listSessions } from "../../src/store/sessions/sessions.ts";
import { setCap, tryReserve } from "../models/money/lab.ts";
import { type Bouncer, bouncerProgram, startBouncer } from "../../bench/pgbouncer.ts";
import { openPlace, queueContract } from "../store/queue-contract.ts";
import { anEvent, aRule, byOwner, put } from "../store/samples.ts";
import { stores } from "../stores.ts";
import { ruleNoun } from "../../src/store/nouns/rules.ts";

describe.skipIf(bouncerProgram === undefined)(
  "behind pgbouncer in transaction mode (Debian package: pgbouncer)",
  () => {
    let bouncer: Bouncer;
    let place: Awaited<ReturnType<(typeof stores)[number]["fresh"]>>;
    let database: string;
    beforeAll(async () => {
      bouncer = await startBouncer(inject("postgres"));
      place = await stores[1]!.fresh();
      database = place.database.replace(/:\d+\//, `:${bouncer.port}/`);
    });
    afterAll(async () => {
      await bouncer?.stop();
      await place?.remove();
    });
    const opened = () => openStore({ database: `${database}?pooler=transaction`, busyMs: 10_000 });

    it("migrates, once for several at a time", async () => {
      const all = await Promise.all([opened(), opened(), opened()]);
      expect(await Promise.all(all.map((store) => countEvents(store.db)))).toEqual([0, 0, 0]);
      await Promise.all(all.map((store) => store.close()));
    });

    it("reserves money for no more calls than the cap allows, however many come at once", async () => {
      const store = await opened();
      await setCap(store.db, "day", 1);
      const all = await Promise.all(Array.from({ length: 50 }, () => tryReserve(store.db, 0.1)));
      expect(all.filter(({ kind }) => kind === "reserved")).toHaveLength(10);
      await store.close();
    });

    it("stores, pages, digests and searches", async () => {
      const store = await opened();
      const events = Array.from({ length: 1_200 }, (_, i) =>
        anEvent(`e${i}`, { session: `s${i % 3}`, text: `word${i}` }),
      );
      expect(await appendEvents(store.db, events)).toBe(1_200);
      expect(await appendEvent(store.db, anEvent("e0", { session: "s0" }))).toBe(false);
      await Promise.all(Array.from({ length: 60 }, (_, i) => appendEvent(store.db, anEvent(`more${i}`))));
      expect(await digest(store.db)).toBe(1_260);
      expect((await listSessions(store.db, { limit: 9 })).map((one) => one.events).toSorted()).toEqual([400, 400, 460]);
      expect(await listSessionEvents(store.db, { host: "claude-code", id: "s1" }, { after: 0, limit: 5 })).toHaveLength(
        5,
      );
      expect(await searchWords(store.db, "word77", 5)).toHaveLength(1);
      let streamed = 0;
      for await (const _ of store.db.stream("select id from events")) streamed++;
      expect(streamed).toBe(1_260);
      await store.close();
    });

    it("keeps transactions whole while many share few connections", async () => {
      const store = await opened();
      await writeMeta(store.db, "n", "0");
      const addOne = () =>
        store.db.tx(async (tx) => {
          await tx.run("update meta set value = value where key = 'n'");
          await tx.tx((inner) => writeMeta(inner, "inner", "1"));
          await writeMeta(tx, "n", String(Number(await readMeta(tx, "n")) + 1));
        });
      await Promise.all(Array.from({ length: 40 }, addOne));
      expect(await readMeta(store.db, "n")).toBe("40");
      await expect(
        store.db.tx(async (tx) => {
          await writeMeta(tx, "n", "0");
          throw new Error("undone");
        }),
      ).rejects.toThrow("undone");
      expect(await readMeta(store.db, "n")).toBe("40");
      await store.close();
    });

    it("gives each lease and note to one", async () => {
      const all = await Promise.all(Array.from({ length: 6 }, opened));
      const db = all[0]!.db;
      const asker = { owner: "elsewhere/1/1", now: 1_000, ttlMs: 1_000 };
      const leases = await Promise.all(all.map((one) => acquireLease(one.db, "lead", asker)));
      expect(leases.filter((one) => one.kind === "held")).toHaveLength(1);
      await putValue(db, { space: "s", key: "k", value: "v", now: 0, ttlMs: 9, maxBytes: 99 });
      await Promise.all(all.map((one) => one.close()));
    });

    describe("the queue", () => {
      queueContract(async (act) => {
        const own = await stores[1]!.migrated();
        const pooled = `${own.database.replace(/:\d+\//, `:${bouncer.port}/`)}?pooler=transaction`;
        const store = await openStore({ database: pooled, busyMs: 10_000 });
        const opened = await openPlace(store, pooled);
        await act(opened);
        await opened.queue.close();
        await store.close();
        await own.remove();
      });
    });

    it("changes the mind, undoes, and tells watchers", async () => {
      const store = await opened();
      let notify = (): void => {};
      const notified = new Promise<void>((resolve) => {
        notify = resolve;
      });
      const watch = await store.watch(() => notify());
      const made = await put(store.db, ruleNoun, aRule("r1"));
      await notified;
      await undoChange(store.db, made?.id ?? 0, byOwner(2));
      expect(await listChanges(store.db, { limit: 9 })).toHaveLength(2);
      expect(await findDisagreements(store.db)).toEqual([]);
      await watch.close();
      await store.close();
    });

    it("says what to add to the address when the pooler was not named", async () => {
      const store = await openStore({ database, busyMs: 5_000 });
      const failing = Promise.all(Array.from({ length: 50 }, (_, i) => readMeta(store.db, `k${i}`)));
      await expect(failing).rejects.toMatchObject({
        code: "config",
        hint: expect.stringContaining("pooler=transaction"),
      });
      await store.close();
    });

    it("refuses a schema, which a pooler would not keep", async () => {
      const opening = openStore({ database: `${database}?pooler=transaction&schema=beside`, busyMs: 5_000 });
      await expect(opening).rejects.toMatchObject({ code: "config" });
    });
  },
);

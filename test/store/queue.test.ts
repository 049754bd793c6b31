import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fixedClock } from "../../src/lib/clock.ts";
import { openQueue } from "../../src/store/open-queue.ts";
import { restoreBackup, writeBackup } from "../../src/store/backup.ts";
import { openStore } from "../../src/store/open.ts";
import { bossTables } from "../../src/store/state/tables.ts";
import { stores, withStore } from "../stores.ts";
import { bundleChildren, type Children } from "./children.ts";
import { enqueue, openPlace, queueContract, take } from "./queue-contract.ts";

let children: Children;
beforeAll(async () => {
  children = await bundleChildren();
});
afterAll(() => children.remove());

describe.each(stores)("the queue on $name", (kind) => {
  queueContract((act) =>
    withStore(kind, async (store, database) => {
      const place = await openPlace(store, database);
      await act(place);
      await place.queue.close();
    }),
  );

  it("gives each piece to one of several processes, which open the queue at once", () =>
    withStore(kind, async (store, database) => {
      const ended = await Promise.all([0, 1, 2].map(() => children.run(["queue", database])));
      expect(ended.map((one) => one.stderr)).toEqual(["", "", ""]);
      const { queue } = await openPlace(store, database);
      for (let n = 0; n < 30; n++) await enqueue(store.db, queue, { item: `i${n}` });
      const worked = await Promise.all([0, 1, 2].map(() => children.run(["queue", database])));
      expect(worked.map((one) => one.stderr)).toEqual(["", "", ""]);
      const done = worked.flatMap((one) => one.lines.filter((line) => line.startsWith("i")));
      expect(done.toSorted()).toEqual(Array.from({ length: 30 }, (_, n) => `i${n}`).toSorted());
      await queue.close();
    }));

  it("takes work back at once from a process of this machine that was killed", () =>
    withStore(kind, async (store, database) => {
      const { queue } = await openPlace(store, database);
      await enqueue(store.db, queue, { item: "a" });
      const holder = children.start(["hold-work", database]);
      expect(await holder.firstLine).toBe("a");
      expect(await queue.recover()).toBe(0);
      holder.kill();
      await holder.ended;
      expect(await queue.recover()).toBe(1);
      expect(await take(queue)).toMatchObject({ item: "a", attempt: 2 });
      await queue.close();
    }));

  it("is emptied by a restore, and filled by those who own the work", async () => {
    const dir = mkdtempSync(join(tmpdir(), "oldhand-queue-"));
    const file = join(dir, "backup.gz");
    try {
      await withStore(kind, async (store, database) => {
        const { queue } = await openPlace(store, database);
        await enqueue(store.db, queue, { item: "old" });
        await writeBackup(store.db, file);
        const held = await take(queue);
        await restoreBackup(store.db, file, async (tx) => {
          await queue.enqueue(tx, { queue: "q", item: "restored", attempt: 4 });
        });
        expect(await queue.beat(held)).toBe(false);
        expect(await queue.counts("q")).toEqual({ waiting: 1, held: 0, done: 0, dead: 0 });
        expect(await take(queue)).toMatchObject({ item: "restored", attempt: 4 });
        await restoreBackup(store.db, file);
        expect(await queue.counts("q")).toEqual({ waiting: 0, held: 0, done: 0, dead: 0 });
        await queue.close();
      });
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });
});

describe("the queue's own tables on PostgreSQL", () => {
  const postgres = stores.find(({ name }) => name === "postgres");
  const options = { queues: ["q"], clock: fixedClock(0) };

  it.runIf(postgres)("are those that are declared, in a schema of their own", () =>
    withStore(postgres!, async (store) => {
      await (await openQueue(store, options)).close();
      const rows = await store.db.all<{ name: string }>(
        "select c.relname as name from pg_class c where c.relnamespace = 'oldhand_queue'::regnamespace and c.relkind in ('r', 'p') and c.relname !~ '^queue_stats_' order by 1",
      );
      expect(rows.map(({ name }) => name)).toEqual([...bossTables]);
    }),
  );

  it.runIf(postgres)("are beside the mind's if its schema is chosen", () =>
    withStore(postgres!, async (_, database) => {
      const store = await openStore({ database: `${database}?schema=mine`, busyMs: 10_000 });
      const queue = await openQueue(store, options);
      expect(await enqueue(store.db, queue, { item: "a" })).toBe(true);
      expect(await take(queue)).toMatchObject({ item: "a" });
      expect(await store.db.get("select cast(to_regclass('mine_queue.job') as text) as there")).toEqual({
        there: "mine_queue.job",
      });
      await queue.close();
      await store.close();
    }),
  );

  it.runIf(postgres)("need a right that the error and doctor name, and then work", () =>
    withStore(postgres!, async (admin, database) => {
      const role = `r_${process.pid}_${Math.floor(performance.now())}`;
      await admin.db.run(`create role ${role} login password 'pw'`);
      await admin.db.run(`grant select, insert, update, delete on all tables in schema public to ${role}`);
      const url = new URL(database);
      [url.username, url.password] = [role, "pw"];
      const store = await openStore({ database: url.toString(), busyMs: 10_000 });
      const wanted = { hint: expect.stringContaining(`create schema oldhand_queue authorization "${role}"`) };
      await expect(openQueue(store, options)).rejects.toMatchObject({ code: "config", ...wanted });
      expect(await (await store.db.dialect.repair()).queueFault(store.db)).toMatchObject(wanted);
      await admin.db.run(`create schema oldhand_queue authorization "${role}"`);
      expect(await (await store.db.dialect.repair()).queueFault(store.db)).toBeNull();
      const queue = await openQueue(store, options);
      expect(await enqueue(store.db, queue, { item: "a" })).toBe(true);
      await queue.close();
      await store.close();
      await admin.db.run(`drop owned by ${role}`);
      await admin.db.run(`drop role ${role}`);
    }),
  );

  it.runIf(postgres)("go on after the server closed all connections", () =>
    withStore(postgres!, async (store, database) => {
      const queue = await openQueue(store, options);
      await enqueue(store.db, queue, { item: "a" });
      const admin = new pg.Client({ connectionString: database });
      await admin.connect();
      await admin.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
      );
      await admin.end();
      let claim = null;
      // Each connection of the pool may fail once.
      for (let n = 0; n < 10 && claim === null; n++)
        claim = await queue.claim("q", { id: "w", leaseMs: 60_000 }).catch(() => null);
      expect(claim).toMatchObject({ item: "a", attempt: 1 });
      await queue.close();
    }),
  );
});

import pg from "pg";
import { describe, expect, it } from "vitest";
import { appendEvent } from "../../src/store/events/events.ts";
import { openStore } from "../../src/store/open.ts";
import { ruleNoun } from "../../src/store/nouns/rules.ts";
import { stores, withStore } from "../stores.ts";
import { aRule, anEvent, put } from "./samples.ts";

describe.each(stores)("watching $name", (kind) => {
  it("tells when another process stored an event or changed the mind", () =>
    withStore(kind, async (store, database) => {
      const other = await openStore({ database, busyMs: 5_000 });
      const bell = newBell();
      const watch = await store.watch(bell.ring);
      await appendEvent(other.db, anEvent("a"));
      await bell.heard();
      await put(other.db, ruleNoun, aRule("r1"));
      await bell.heard();
      await watch.close();
      await other.close();
    }));
});

describe("watching PostgreSQL", () => {
  it("goes on after its connection was lost", () =>
    withStore(stores[1]!, async (store, database) => {
      const bell = newBell();
      const watch = await store.watch(bell.ring);
      const admin = new pg.Client({ connectionString: database });
      await admin.connect();
      await admin.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'oldhand watch' and datname = current_database()",
      );
      await put(store.db, ruleNoun, aRule("r1"));
      await bell.heard();
      const listening =
        "select count(*)::int as n from pg_stat_activity where application_name = 'oldhand watch' and datname = current_database()";
      await until(async () => (await admin.query(listening)).rows[0].n === 1);
      await admin.end();
      await watch.close();
    }));
});

function newBell() {
  let rung = false;
  let wake = (): void => {};
  return {
    ring: () => {
      rung = true;
      wake();
    },
    heard: async () => {
      if (!rung) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      rung = false;
    },
  };
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await holds()).toBe(true);
}

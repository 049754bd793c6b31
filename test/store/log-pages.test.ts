import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { appendEvent, countEvents } from "../../src/store/events/events.ts";
import { openStore } from "../../src/store/open.ts";
import { anEvent } from "./samples.ts";

describe("the log of a SQLite file", () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "oldhand-log-"));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it("is brought into the file once it is as long as its writer lets it be: the next one to open it reads no more", async () => {
    const logOf = async (name: string, logPages: number): Promise<number> => {
      const path = join(dir, name);
      await (await openStore({ database: path, busyMs: 1_000 })).close();
      const store = await openStore({ database: path, busyMs: 1_000, logPages });
      for (let at = 0; at < 200; at++) await appendEvent(store.db, anEvent(`e${at}`));
      expect(await countEvents(store.db)).toBe(200);
      const log = await store.db.get<{ readonly log: number }>("pragma wal_checkpoint(passive)");
      await store.close();
      return log?.log ?? 0;
    };
    const short = await logOf("short.db", 20);
    const long = await logOf("long.db", 1_000);
    expect(short).toBeLessThan(40);
    expect(long).toBeGreaterThan(100);
  });
});

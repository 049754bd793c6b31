import { gzipSync } from "node:zlib";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { importManyFiles } from "../../src/observe/imports/import-files.ts";
import { loadConfig } from "../../src/config.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { quiet } from "../context.ts";
import { stores, withStore } from "../stores.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "oldhand-progress-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const [sqlite] = stores;

describe("an import of one large file", () => {
  it.each(["plain", "gzipped"])("tells how far it has come while it reads, %s", (how) =>
    withStore(sqlite as (typeof stores)[number], async (store) => {
      const line = (seq: number) => ({
        session: "s",
        seq,
        agent: "claude-code",
        ts: new Date(Date.UTC(2026, 0, 5) + seq * 1_000).toISOString(),
        tool: "Bash",
        input: { command: `echo ${seq} ${"abcdefgh".repeat(200)}` },
        ok: true,
      });
      const text = Array.from({ length: 2_000 }, (_, seq) => `${JSON.stringify(line(seq))}\n`).join("");
      const path = join(folder, "large.jsonl");
      writeFileSync(path, how === "plain" ? text : gzipSync(text, { level: 1 }));
      const done: number[] = [];
      await importManyFiles(
        { ...quiet, db: store.db, config: loadConfig({ home: folder, env: {} }), clock: systemClock },
        [{ path, from: "neutral" }],
        {
          filter: {},
          onProgress: (_file, at) => void done.push(at.done / at.total),
          end: () => {},
          failed: (_file, error) => {
            throw error;
          },
        },
      );
      expect(done).toEqual(done.toSorted((a, b) => a - b));
      expect(done[0]).toBe(0);
      expect(done.at(-1)).toBe(1);
      if (how === "plain") expect(done.some((share) => share > 0.2 && share < 0.8)).toBe(true);
    }),
  );
});

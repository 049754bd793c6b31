import { appendFileSync, mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { noProviders } from "../../src/domain/model/endpoint.ts";
import { defaultPolicy } from "../../src/domain/policy.ts";
import { importFoundHistory, type FoundImportOptions } from "../../src/observe/imports/import-found-history.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { Db } from "../../src/store/engine/db.ts";
import { countEvents } from "../../src/store/events/events.ts";
import { stores, withStore } from "../stores.ts";
import type { Context, Progress } from "../../src/context.ts";
import { quiet } from "../context.ts";

describe.each(stores)("importing what is found, on $name", (kind) => {
  let user: string;
  beforeEach(() => {
    user = mkdtempSync(join(tmpdir(), "oldhand-found-"));
  });
  afterEach(() => rmSync(user, { recursive: true, force: true }));

  const transcript = (name: string, ...calls: readonly (readonly [id: string, at: string, cwd: string])[]) => {
    const folder = join(user, ".claude", "projects", "shop");
    mkdirSync(folder, { recursive: true });
    const path = join(folder, `${name}.jsonl`);
    writeFileSync(path, calls.map((call) => linesOf(name, call)).join(""));
    return path;
  };
  const found = (db: Db, options: Partial<FoundImportOptions> = {}, ctx: Partial<Context> = {}) => {
    const config = {
      home: user,
      database: "",
      off: { everywhere: false, workspaces: [] },
      policy: defaultPolicy,
      providers: noProviders,
    };
    const machine = { userHome: user, env: {}, platform: process.platform };
    return importFoundHistory({ db, config, clock: systemClock, ...quiet, ...ctx }, { machine, ...options });
  };

  it("brings in every transcript, and a second time nothing: unchanged files are not even read", () =>
    withStore(kind, async ({ db }) => {
      const path = transcript("s1", ["a", "2026-03-01T10:00:00Z", "/w/one"], ["b", "2026-03-01T10:01:00Z", "/w/one"]);
      transcript("s2", ["c", "2026-03-02T10:00:00Z", "/w/two"]);
      const first = await found(db);
      expect(first).toMatchObject({ files: 2, unchanged: 0, sessions: 2, events: 3 });
      // Other content with the same size and time: reading the file would find something new.
      const { mtime, atime } = statSync(path);
      transcript("s1", ["x", "2026-03-01T10:00:00Z", "/w/one"], ["y", "2026-03-01T10:01:00Z", "/w/one"]);
      utimesSync(path, atime, mtime);
      expect(await found(db)).toMatchObject({ files: 2, unchanged: 2, events: 0 });
    }));

  it("reads a file that grew again, and stores what is new", () =>
    withStore(kind, async ({ db }) => {
      const path = transcript("s1", ["a", "2026-03-01T10:00:00Z", "/w/one"]);
      await found(db);
      appendFileSync(path, linesOf("s1", ["b", "2026-03-01T10:05:00Z", "/w/one"]));
      expect(await found(db)).toMatchObject({ unchanged: 0, events: 1, skipped: 1 });
      expect(await countEvents(db)).toBe(2);
    }));

  it("takes only what is asked for, and then does not count the file as read", () =>
    withStore(kind, async ({ db }) => {
      transcript("s1", ["a", "2026-03-01T10:00:00Z", "/w/one"], ["b", "2026-03-05T10:00:00Z", "/w/two"]);
      expect(await found(db, { since: Date.parse("2026-03-03T00:00:00Z") })).toMatchObject({ events: 1 });
      expect(await found(db, { workspace: "/w/none" })).toMatchObject({ events: 0, unchanged: 0 });
      expect(await found(db, { host: "codex" })).toMatchObject({ files: 0 });
      expect(await found(db)).toMatchObject({ events: 1, skipped: 1 });
    }));

  it("does not open files older than what is asked for", () =>
    withStore(kind, async ({ db }) => {
      const path = transcript("s1", ["a", "2026-03-01T10:00:00Z", "/w/one"]);
      utimesSync(path, new Date("2026-03-01"), new Date("2026-03-01"));
      expect(await found(db, { since: Date.parse("2026-03-03T00:00:00Z") })).toMatchObject({ unchanged: 1, events: 0 });
    }));

  it("tells how far it has come", () =>
    withStore(kind, async ({ db }) => {
      transcript("s1", ["a", "2026-03-01T10:00:00Z", "/w/one"]);
      transcript("s2", ["b", "2026-03-01T10:00:00Z", "/w/one"]);
      const seen: (readonly [share: number, text: string])[] = [];
      const report = ({ text, done = 0, total = 1 }: Progress) => void seen.push([done / total, text]);
      await found(db, {}, { report });
      expect(seen).toEqual([
        [0, "Claude Code: 1 of 2 transcripts, 0 events"],
        [0.5, "Claude Code: 1 of 2 transcripts, 1 event"],
        [0.5, "Claude Code: 2 of 2 transcripts, 1 event"],
        [1, "Claude Code: 2 of 2 transcripts, 2 events"],
      ]);
    }));

  it("stops between two files when it is stopped, keeps what it stored, and goes on the next time", () =>
    withStore(kind, async ({ db }) => {
      transcript("s1", ["a", "2026-03-01T10:00:00Z", "/w/one"]);
      transcript("s2", ["b", "2026-03-01T10:00:00Z", "/w/one"]);
      const stop = new AbortController();
      const report = ({ text }: Progress) => {
        if (text.endsWith(" 1 event")) stop.abort();
      };
      await expect(found(db, {}, { signal: stop.signal, report })).rejects.toMatchObject({ code: "stopped" });
      expect(await countEvents(db)).toBe(1);
      expect(await found(db)).toMatchObject({ files: 2, unchanged: 1, events: 1 });
    }));

  it("finds nothing where there is nothing", () =>
    withStore(kind, async ({ db }) => {
      expect(await found(db)).toEqual({
        sessions: 0,
        events: 0,
        failures: 0,
        goals: 0,
        tasks: 0,
        others: 0,
        rules: 0,
        memories: 0,
        skipped: 0,
        leftOut: [],
        files: 0,
        unchanged: 0,
        damaged: 0,
      });
    }));
});

function linesOf(sessionId: string, [id, timestamp, cwd]: readonly [string, string, string]): string {
  const common = { sessionId, timestamp, cwd, isSidechain: false };
  const call = { type: "tool_use", id, name: "Bash", input: { command: "npm test" } };
  const result = { type: "tool_result", tool_use_id: id, content: "ok" };
  return [
    { ...common, type: "assistant", message: { role: "assistant", content: [{ type: "thinking", thinking: "hm" }] } },
    { ...common, type: "assistant", message: { role: "assistant", content: [call] } },
    { ...common, type: "user", message: { role: "user", content: [result] } },
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");
}

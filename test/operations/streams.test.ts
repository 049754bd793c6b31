import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { invokeStream } from "../../src/invoke.ts";
import { throwIfStopped } from "../../src/lib/stopped.ts";
import { openContext, type OpenMind } from "../../src/mind.ts";
import { defineOperation } from "../../src/operation.ts";
import { operationNamed } from "../../src/operations.ts";
import { appendEvents, countEvents } from "../../src/store/events/events.ts";
import type { StreamEvent } from "../../src/stream-event.ts";
import { anEvent } from "../store/samples.ts";
import { stores } from "../stores.ts";

const FILES = 6;
const EACH = 40;

describe.each(stores)("an operation as a stream: $name", (kind) => {
  const inMind = async (act: (mind: OpenMind, folder: string) => Promise<void>) => {
    const folder = mkdtempSync(join(tmpdir(), "oldhand-stream-"));
    const { database, remove } = await kind.migrated();
    const mind = await openContext({ home: join(folder, "home"), database, env: {} });
    try {
      await act(mind, folder);
    } finally {
      await mind.close();
      await remove();
      rmSync(folder, { recursive: true, force: true });
    }
  };

  it("tells how far it has come, and ends with the answer", () =>
    inMind(async (mind, folder) => {
      const path = transcripts(folder);
      const events = await all(invokeStream(mind, operationNamed("import"), { path }, ""));
      expect(events[0]).toEqual({ kind: "progress", text: expect.any(String), done: 0, total: expect.any(Number) });
      expect(events.at(-1)).toMatchObject({ kind: "result", result: { events: FILES * EACH, files: FILES } });
      expect(events.slice(0, -1).every((one) => one.kind === "progress")).toBe(true);
      const distilled = await all(invokeStream(mind, operationNamed("distil"), {}, ""));
      expect(distilled.map((one) => one.kind)).toEqual([...distilled.slice(1).map(() => "progress"), "result"]);
      expect(distilled.length).toBeGreaterThan(1);
    }));

  it("stops when its reader leaves, and what was stored by then stays", () =>
    inMind(async (mind, folder) => {
      const path = transcripts(folder);
      for await (const event of invokeStream(mind, operationNamed("import"), { path }, ""))
        if (event.kind === "progress" && (event.done ?? 0) > 0) break;
      const stored = await countEvents(mind.db);
      expect(stored).toBeGreaterThanOrEqual(EACH);
      expect(stored).toBeLessThan(FILES * EACH);
      // The work ended with the loop: nothing is stored afterwards.
      expect(await countEvents(mind.db)).toBe(stored);
      const again = await all(invokeStream(mind, operationNamed("import"), { path }, ""));
      expect(again.at(-1)).toMatchObject({ result: { events: FILES * EACH - stored, skipped: stored } });
    }));

  it("stops with an error when its signal is aborted", () =>
    inMind(async (mind, folder) => {
      const stop = new AbortController();
      const importing = async () => {
        const watched = { ...mind, signal: stop.signal };
        for await (const event of invokeStream(watched, operationNamed("import"), { path: transcripts(folder) }, ""))
          if (event.kind === "progress" && (event.done ?? 0) > 0) stop.abort();
      };
      await expect(importing()).rejects.toMatchObject({ code: "stopped" });
      expect(await countEvents(mind.db)).toBeLessThan(FILES * EACH);
    }));

  it("leaves no half of a backup behind", () =>
    inMind(async (mind, folder) => {
      await appendEvents(
        mind.db,
        Array.from({ length: 1_200 }, (_, n) => anEvent(`e${n}`)),
      );
      const file = join(folder, "one.backup");
      const backing = async () => {
        for await (const event of invokeStream(mind, operationNamed("backup"), { file }, "")) {
          expect(event).toMatchObject({ kind: "progress", text: "events: 500 rows", done: 500 });
          break;
        }
      };
      await backing();
      expect(readdirSync(folder)).toEqual(["home"]);
      await all(invokeStream(mind, operationNamed("backup"), { file }, ""));
      expect(existsSync(file)).toBe(true);
    }));

  it("follows what is stored meanwhile, and ends when it is stopped", () =>
    inMind(async (mind) => {
      await appendEvents(mind.db, [anEvent("before")]);
      const stop = new AbortController();
      const watched = { ...mind, signal: stop.signal };
      const seen: unknown[] = [];
      const unread = { ok: false, outcome: null, error: "no such file", exitCode: 1 } as const;
      for await (const event of invokeStream(watched, operationNamed("sessions follow"), { after: 0 }, "")) {
        seen.push(event);
        if (seen.length === 1) await appendEvents(mind.db, [anEvent("after", unread)]);
        if (seen.length === 2) stop.abort();
      }
      expect(seen).toMatchObject([
        { kind: "item", item: { summary: "npm test", outcome: "ok" } },
        { kind: "item", item: { summary: "npm test", outcome: "failed" } },
      ]);
    }));

  it("tells a slow reader only the newest of what was reported", () =>
    inMind(async (mind) => {
      const events = await all(invokeStream(mind, hasty, {}, ""));
      expect(events).toEqual([
        { kind: "progress", text: "100", done: 100 },
        { kind: "result", result: { done: 100 } },
      ]);
    }));
});

const hasty = defineOperation({
  name: "hasty",
  summary: "Reports faster than anybody reads.",
  effect: "read",
  input: z.object({}),
  output: z.object({ done: z.number() }),
  run: async (ctx) => {
    for (let done = 1; done <= 100; done++) {
      throwIfStopped(ctx.signal);
      ctx.report({ text: String(done), done });
    }
    await new Promise((resolve) => setImmediate(resolve));
    return { done: 100 };
  },
});

async function all<T>(stream: AsyncIterable<StreamEvent<T>>): Promise<StreamEvent<T>[]> {
  const events: StreamEvent<T>[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

function transcripts(folder: string): string[] {
  return Array.from({ length: FILES }, (_file, file) => {
    const path = join(folder, `${file}.jsonl`);
    const lines = Array.from({ length: EACH }, (_line, seq) =>
      JSON.stringify({
        ...{ session: `s${file}`, seq, agent: "codex", ts: "2026-01-05T09:00:20.000Z", cwd: "/home/ada/shop" },
        ...{ tool: "Bash", input: { command: `echo ${seq}` }, ok: true, error_text: null, out_head: "ok", out_len: 2 },
      }),
    );
    writeFileSync(path, `${lines.join("\n")}\n`);
    return path;
  });
}

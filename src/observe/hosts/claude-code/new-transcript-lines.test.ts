import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadConfig } from "../../../config.ts";
import type { Event } from "../../../domain/event/event.ts";
import { fixedClock } from "../../../lib/clock.ts";
import type { Store } from "../../../store/engine/db.ts";
import { appendEvent, listEventsAfter } from "../../../store/events/events.ts";
import { openStore } from "../../../store/open.ts";
import type { HookEvent } from "../../protocol/hook-event.ts";
import { blankEvent } from "../../protocol/to-event.ts";
import { readNewTranscriptLines } from "./new-transcript-lines.ts";

/** A refused call, an interrupted one and one refused with a message, as a real client wrote them. */
const record = readFileSync(new URL("fixtures/refusals-2.1.325.jsonl", import.meta.url), "utf8");
const session = "e970e572-405d-4fd0-a7bf-3772ebd1dfd2";

describe("catching up with a transcript", () => {
  const clock = fixedClock(Date.parse("2026-11-15T21:46:00Z"));
  let folder: string;
  let transcript: string;
  let store: Store;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "oldhand-catch-up-"));
    transcript = join(folder, `${session}.jsonl`);
    store = await openStore({ database: join(folder, "mind.db"), busyMs: 1_000 });
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("brings in the calls that no hook told of", async () => {
    await look("session-start");
    writeFileSync(transcript, record);
    await look("stop");
    expect((await stored()).map((event) => [event.ok, event.error?.split(/[.\n]/).at(-1)])).toEqual([
      [false, ""],
      [false, ""],
      [false, "use mkdir instead"],
    ]);
  });

  it("stores nothing twice, however often it looks and whatever hooks told", async () => {
    await look("session-start");
    await appendEvent(store.db, {
      ...blankEvent,
      host: "claude-code",
      session,
      uid: "toolu_c406b91e903545ebb03ea8a6",
      tool: "Bash",
      ok: false,
      error: "told by a hook",
    });
    writeFileSync(transcript, record);
    for (const moment of ["prompt", "stop", "session-end", "session-start"] as const) await look(moment);
    const events = await stored();
    expect(events).toHaveLength(3);
    expect(events[0]?.error).toBe("told by a hook");
  });

  it("reads on where it stopped, also in the middle of a line and between a call and its result", async () => {
    await look("session-start");
    for (let at = 0; at < record.length; at += 701) {
      appendFileSync(transcript, record.slice(at, at + 701));
      await look("stop");
    }
    expect(await stored()).toHaveLength(3);
  });

  it("leaves alone what a session begins with: another's lines, or from before we were here", async () => {
    writeFileSync(transcript, record);
    await look("session-start");
    await look("stop");
    expect(await stored()).toEqual([]);
  });

  it("leaves alone lines that are older than the session, as a fork copies them", async () => {
    const late = fixedClock(Date.parse("2026-11-16T00:00:00Z"));
    await look("session-start", late);
    writeFileSync(transcript, record);
    await look("stop", late);
    expect(await stored()).toEqual([]);
  });

  it("looks after a session that ended without a word when the next one begins", async () => {
    await look("session-start");
    writeFileSync(transcript, record);
    const next = join(folder, "next.jsonl");
    await readNewTranscriptLines(ctx(), { ...seen("session-start"), session: "next", transcript: next });
    expect(await stored()).toHaveLength(3);
  });

  it("brings in once what was typed while the agent worked, and no other prompt: those are told by their hook", async () => {
    const typed = { sessionId: session, cwd: "/lab/project", timestamp: "2026-11-15T21:47:00Z", isSidechain: false };
    const lines = [
      { ...typed, type: "user", uuid: "u1", promptId: "p1", message: { role: "user", content: "install zod" } },
      { ...typed, type: "queue-operation", operation: "enqueue", content: "No, use pnpm, not npm" },
      {
        ...typed,
        type: "attachment",
        uuid: "q1",
        attachment: { type: "queued_command", prompt: "No, use pnpm, not npm", commandMode: "prompt" },
      },
    ];
    await look("session-start");
    writeFileSync(transcript, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    for (const moment of ["stop", "prompt", "session-end", "session-start"] as const) await look(moment);
    expect((await stored()).map((event) => [event.kind, event.uid, event.text])).toEqual([
      ["prompt", "prompt:q1", "No, use pnpm, not npm"],
    ]);
  });

  it("is content with a transcript that is not there", async () => {
    await look("prompt");
    await look("session-end");
    expect(await stored()).toEqual([]);
  });

  function look(moment: "session-start" | "prompt" | "stop" | "session-end", at = clock): Promise<void> {
    return readNewTranscriptLines(ctx(at), seen(moment));
  }

  function seen(moment: "session-start" | "prompt" | "stop" | "session-end"): HookEvent {
    const common = { host: "claude-code", session, cwd: "/lab/project", model: null, agent: null, transcript };
    const own = { source: null, prompt: "x", promptId: null, again: false, reason: null };
    return { ...common, ...own, moment } as HookEvent;
  }

  function ctx(at = clock) {
    return { db: store.db, clock: at, config: loadConfig({ home: folder }) };
  }

  function stored(): Promise<readonly Event[]> {
    return listEventsAfter(store.db, 0, Number.MAX_SAFE_INTEGER, 100);
  }
});

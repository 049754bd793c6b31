import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadConfig } from "../../config.ts";
import { fixedClock } from "../../lib/clock.ts";
import type { Store } from "../../store/engine/db.ts";
import { appendEvent, listEventsAfter } from "../../store/events/events.ts";
import { openStore } from "../../store/open.ts";
import { followTranscript } from "./follow-transcript.ts";
import type { Moment, HookEvent } from "../protocol/hook-event.ts";
import { blankEvent } from "../protocol/to-event.ts";

describe("reading on in a transcript", () => {
  let folder: string;
  let path: string;
  let store: Store;
  let read: string[];

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "oldhand-read-on-"));
    path = join(folder, "session.jsonl");
    store = await openStore({ database: join(folder, "mind.db"), busyMs: 1_000 });
    read = [];
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("reads each whole line once, and the last when it is whole", async () => {
    writeFileSync(path, "a\nb\nc");
    await look("prompt");
    appendFileSync(path, "c\nd\n");
    await look("stop");
    await look("stop");
    expect(read).toEqual(["a", "b", "cc", "d"]);
    expect(await stored()).toEqual(["a", "b", "cc", "d"]);
  });

  it("leaves what was there when the session came to us to whoever imports it", async () => {
    writeFileSync(path, "old\n");
    await look("session-start");
    appendFileSync(path, "new\n");
    await look("stop");
    expect(await stored()).toEqual(["new"]);
  });

  it("stores nothing that a hook told already", async () => {
    await appendEvent(store.db, { ...blankEvent, host: "x", session: "s", uid: "a", tool: "told by the hook" });
    writeFileSync(path, "a\n");
    await look("stop");
    const [event, ...others] = await listEventsAfter(store.db, 0, 100, 100);
    expect([event?.tool, others]).toEqual(["told by the hook", []]);
  });

  it("comes back for a call that has no result yet", async () => {
    writeFileSync(path, "asked\n");
    await look("prompt", () => true);
    appendFileSync(path, "answered\n");
    await look("stop");
    expect(read).toEqual(["asked", "asked", "answered"]);
  });

  it("begins again where the file was written anew, and minds no file that is none", async () => {
    writeFileSync(path, "first\nsecond\n");
    await look("prompt");
    writeFileSync(path, "anew\n");
    await look("stop");
    expect(await stored()).toEqual(["first", "second", "anew"]);
    path = join(folder, "gone.jsonl");
    await look("stop");
    path = folder;
    await look("stop");
  });

  function look(moment: Moment, isOpen = () => false): Promise<void> {
    const take = (line: string) => {
      if (line === "") return [];
      read.push(line);
      return [{ ...blankEvent, host: "x", session: "s", uid: line }];
    };
    const ctx = { db: store.db, clock: fixedClock(0), config: loadConfig({ home: folder }) };
    return followTranscript(ctx, { path, take, isOpen }, { host: "x", moment } as HookEvent);
  }

  async function stored(): Promise<readonly string[]> {
    return (await listEventsAfter(store.db, 0, 100, 100)).map((event) => event.uid);
  }
});

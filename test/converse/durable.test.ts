import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openChatSession } from "../../src/converse/session/open-chat-session.ts";
import { openEntryLog } from "../../src/converse/session/entry-log.ts";
import { listContents } from "../../src/converse/undo/kept-contents.ts";
import type { TurnEvent } from "../../src/converse/turn/turn-event.ts";
import { invoke } from "../../src/invoke.ts";
import { DAY } from "../../src/lib/clock.ts";
import { OldhandError } from "../../src/lib/errors.ts";
import { operationNamed } from "../../src/operations.ts";
import { findChatSession } from "../../src/store/chat/chat-sessions.ts";
import type { Db } from "../../src/store/engine/db.ts";
import { stores } from "../stores.ts";
import { allowAll } from "./lab/allow-all.ts";
import { endOf, hear, START, textsOf, withChat } from "./lab/chat-lab.ts";
import { labTools } from "./lab/lab-tools.ts";

const shell = (command: string) => ({ tool: "shell", input: { command } });

describe.each(stores)("a session of oldhand's own agent ($name)", (kind) => {
  it("is open in one process at a time; after it is closed, another one may open it", () =>
    withChat(kind, { script: [{ text: "hi" }, { text: "again" }] }, async ({ open }) => {
      const first = await open();
      await hear(first.send("hello"));
      await expect(open({ session: first.id })).rejects.toThrow(/is open in another process/);
      await expect(open({ session: "chat_none" })).rejects.toThrow(/there is no session/);
      await first.close();
      const second = await open({ continueLast: true });
      expect(second.id).toBe(first.id);
      expect(second.title).toBe("hello");
      expect(endOf(await hear(second.send("hello again"))).reason).toBe("done");
      await second.close();
    }));

  it("refuses a second writer, whatever happened to the lease", () =>
    withChat(kind, { script: [{ text: "hi" }] }, async ({ open, mind }) => {
      const session = await open();
      await hear(session.send("hello"));
      const row = await findChatSession(mind.db, session.id);
      if (row === null) throw new Error("no row");
      const one = await openEntryLog(mind, row, async (value) => value);
      const two = await openEntryLog(mind, row, async (value) => value);
      await one.append({ kind: "mode", mode: "edit" });
      await expect(two.append({ kind: "mode", mode: "ask" })).rejects.toMatchObject({
        message: `the session ${row.id} was continued in another process`,
        hint: expect.stringContaining(`oldhand chat --resume ${row.id}`),
      });
      await session.close();
    }));

  it("ends the turn cleanly if the disk is full, and goes on when it is not", () =>
    withChat(
      kind,
      { script: [{ calls: [shell("echo made"), shell("echo two")] }, { text: "ok" }] },
      async ({ mind, cwd, open, sent, model }) => {
        let isFull = false;
        const db = Object.create(mind.db, {
          tx: {
            value: <T>(work: (tx: Db) => Promise<T>) =>
              isFull ? Promise.reject(new OldhandError("store-full", "the disk is full")) : mind.db.tx(work),
          },
        }) as Db;
        const parts = { tools: async () => labTools, approvals: allowAll };
        const session = await openChatSession({ ...mind, db }, { cwd, hasPerson: false, parts });
        const events: TurnEvent[] = [];
        for await (const event of session.send("go")) {
          if (event.kind === "tool-output") isFull = true;
          events.push(event);
        }
        expect(endOf(events)).toEqual({ reason: "failed", message: "the disk is full" });
        expect(model.requests).toHaveLength(1);
        isFull = false;
        await session.close();
        const again = await open({ session: session.id });
        const ends = again.entries().flatMap((one) => (one.kind === "turn-end" ? [one.reason] : []));
        expect(ends).toEqual(["died"]);
        expect(endOf(await hear(again.send("go on"))).reason).toBe("done");
        const results = textsOf(sent(1)).filter((text) => text.startsWith("No result"));
        expect(results).toHaveLength(2);
        await again.close();
      },
    ));

  it("has a JSONL log that is made again from the store if it is missing or short, and removed when it is old", () =>
    withChat(kind, { script: [{ text: "hi" }] }, async ({ open, home, clock }) => {
      const session = await open();
      await hear(session.send("hello"));
      await session.close();
      const file = join(home, "sessions", `${session.id}.jsonl`);
      const whole = readFileSync(file, "utf8");
      rmSync(file);
      await (await open({ session: session.id })).close();
      expect(readFileSync(file, "utf8")).toBe(whole);
      const lines = whole.split("\n");
      for (const short of [whole.slice(0, -30), lines.toSpliced(2, 1).join("\n")]) {
        writeFileSync(file, short);
        await (await open({ session: session.id })).close();
        expect(readFileSync(file, "utf8")).toBe(whole);
      }
      const old = clock.now() / 1000 - (91 * DAY) / 1000;
      utimesSync(file, old, old);
      await (await open()).close();
      expect(existsSync(file)).toBe(false);
    }));

  it("goes on if the log cannot be written", () =>
    withChat(kind, { script: [{ text: "hi" }] }, async ({ open, home }) => {
      writeFileSync(join(home, "sessions"), "not a folder");
      const session = await open();
      expect(endOf(await hear(session.send("hello"))).reason).toBe("done");
      await session.close();
      await (await open({ session: session.id })).close();
      rmSync(join(home, "sessions"));
      const again = await open({ session: session.id });
      const lines = readFileSync(join(home, "sessions", `${session.id}.jsonl`), "utf8")
        .trim()
        .split("\n");
      expect(lines).toHaveLength(again.entries().length + 1);
      await again.close();
    }));

  it("is gone with its sub-agents and its log when it is forgotten", () =>
    withChat(
      kind,
      {
        script: [
          { calls: [{ tool: "sub_agent", input: { task: "look at the blue cup" } }] },
          { text: "a" },
          { text: "b" },
        ],
      },
      async ({ open, mind, home }) => {
        const session = await open();
        await hear(session.send("my word is zebra"));
        await session.close();
        const children = await mind.db.all<{ id: string }>("select id from chat_sessions where parent is not null");
        const files = [session.id, ...children.map(({ id }) => id)].map((id) => join(home, "sessions", `${id}.jsonl`));
        expect(files.map((file) => existsSync(file))).toEqual([true, true]);
        await invoke(mind, operationNamed("forget"), { session: session.id, write: true }, "");
        for (const table of ["chat_sessions", "chat_entries"])
          expect(await mind.db.all(`select * from ${table}`)).toEqual([]);
        expect(files.map((file) => existsSync(file))).toEqual([false, false]);
      },
    ));

  it("loses its beginning, and all of what is kept beside it, when what came before a time is forgotten", () =>
    withChat(
      kind,
      {
        script: [
          { calls: [{ tool: "write", input: { file_path: "a.txt", content: "a wombat\n" } }] },
          { text: "the wombat is in" },
          { text: "and the okapi" },
        ],
        files: { "a.txt": "no wombat\n" },
      },
      async ({ open, mind, home, clock, reopen, sent }) => {
        const session = await open({ parts: undefined, mode: "edit" });
        await hear(session.send("my word is zebra"));
        await session.queue("a message about the gnu");
        clock.set(START + 2 * DAY);
        const before = new Date(START + DAY).toISOString();
        await hear(session.send("my other word is tapir"));
        await session.close();
        const file = join(home, "sessions", `${session.id}.jsonl`);
        expect(listContents(home)).toHaveLength(1);
        const preview = (await invoke(mind, operationNamed("forget"), { before }, "")) as {
          readonly purge: { readonly counts: Readonly<Record<string, number>> };
        };
        expect(preview.purge.counts["chat_entries"]).toBeGreaterThan(3);
        await invoke(mind, operationNamed("forget"), { before, write: true }, "");
        expect(existsSync(file)).toBe(false);
        expect(listContents(home)).toEqual([]);
        for (const table of ["chat_sessions", "chat_entries", "chat_inbox", "approvals", "checkpoints"])
          expect(JSON.stringify(await mind.db.all(`select * from ${table}`))).not.toMatch(/zebra|wombat|gnu/);
        await reopen();
        const again = await open({ session: session.id, parts: undefined });
        await hear(again.send("go on"));
        expect(JSON.stringify(sent(-1).messages)).toContain("tapir");
        expect(JSON.stringify(sent(-1).messages)).not.toMatch(/zebra|wombat|gnu/);
        expect(readFileSync(file, "utf8")).not.toMatch(/zebra|wombat|gnu/);
        await again.close();
      },
    ));

  it("is forgotten also where observation is off", () =>
    withChat(kind, { script: [{ text: "hi" }], settings: { off: true } }, async ({ open, mind, home }) => {
      const session = await open();
      await hear(session.send("my word is zebra"));
      await session.close();
      expect(await mind.db.all("select * from events")).toEqual([]);
      await invoke(mind, operationNamed("forget"), { session: session.id, write: true }, "");
      for (const table of ["chat_sessions", "chat_entries"])
        expect(await mind.db.all(`select * from ${table}`)).toEqual([]);
      expect(existsSync(join(home, "sessions", `${session.id}.jsonl`))).toBe(false);
    }));

  it("sends the same bytes after it is opened again", () =>
    withChat(
      kind,
      {
        script: [
          { reasoning: { text: "hm", signature: "c2ln" }, text: "x", calls: [shell("echo made")] },
          { text: "one" },
          { text: "two" },
        ],
      },
      async ({ open, sent, reopen }) => {
        const session = await open();
        await hear(session.send("go"));
        await session.close();
        await reopen();
        const again = await open({ session: session.id });
        await hear(again.send("more"));
        const [before, after] = [sent(1), sent(2)];
        expect(after.system).toBe(before.system);
        expect(after.tools).toEqual(before.tools);
        expect(JSON.stringify(after.messages.slice(0, before.messages.length))).toBe(JSON.stringify(before.messages));
        await again.close();
      },
    ));
});

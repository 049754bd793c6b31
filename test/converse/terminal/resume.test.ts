import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Script } from "../../../src/testing/scripted-server.ts";
import { type ChatPlace, newChatPlace, type PtyChat } from "./pty-chat.ts";

const open: ChatPlace[] = [];
afterAll(async () => {
  for (const one of open) await one.remove();
});

async function newChat(...of: [Script, Readonly<Record<string, string>>?, object?]): Promise<ChatPlace> {
  const chat = await newChatPlace(...of);
  open.push(chat);
  return chat;
}

const idIn = (chat: PtyChat) => /--resume (chat_\w+)/.exec(chat.screen())?.[1] ?? "";
const count = (text: string, part: string) => text.split(part).length - 1;

async function talk({ start }: ChatPlace, ...messages: readonly string[]): Promise<string> {
  const chat = start();
  for (const message of messages) {
    chat.type(`${message}\r`);
    await chat.see(`about ${message}`);
    await chat.seeNo("working");
  }
  await chat.leave();
  return idIn(chat);
}

describe("a session that is resumed", () => {
  it("shows its end before it is open, once, and goes on", async () => {
    const place = await newChat([{ text: "about one" }, { text: "about two" }, { text: "about three" }]);
    const id = await talk(place, "one", "two");
    const chat = place.start(["--resume", id]);
    await chat.see("about two");
    await chat.see("claude-sonnet-4-5");
    expect(count(chat.screen(), "› one")).toBe(1);
    expect(count(chat.screen(), "about two")).toBe(1);
    // The end is there although the session is not: this terminal has it.
    const other = place.start(["--resume", id]);
    await other.ended;
    expect(other.screen()).toContain("about two");
    expect(other.screen()).toContain("is open in another terminal");
    chat.type("three\r");
    await chat.see("about three");
    await chat.leave();
  });

  it("shows a call that was cut off by kill -9 once, as it was shown before, and that it has no result", async () => {
    const place = await newChat([
      { calls: [{ tool: "shell", input: { command: "echo begun; sleep 5" } }] },
      { text: "about two" },
    ]);
    const first = place.start();
    first.type("one\r");
    await first.see("[y]es once");
    await first.answer("y");
    await first.see(/^\s+begun$/m);
    process.kill(first.pid, "SIGKILL");
    await first.ended;
    const chat = place.start(["--continue"]);
    await chat.see("claude-sonnet-4-5");
    const screen = chat.screen();
    expect(count(screen, "● run echo begun; sleep 5")).toBe(1);
    expect(count(screen, "No result: the call was interrupted.")).toBe(1);
    expect(count(screen, "› one")).toBe(1);
    chat.type("two\r");
    await chat.see("about two");
    expect(count(place.wire(-1), '"tool_result"')).toBe(1);
    await chat.leave();
  });

  it("says of a call that waited for an answer that it did not run, and leaves no question behind", async () => {
    const place = await newChat([{ calls: [{ tool: "shell", input: { command: "echo asked" } }] }]);
    const first = place.start();
    first.type("one\r");
    await first.see("[y]es once");
    process.kill(first.pid, "SIGKILL");
    await first.ended;
    const chat = place.start(["--continue"]);
    await chat.see("claude-sonnet-4-5");
    expect(chat.screen()).toContain("Not run: the process ended while a question waited for an answer.");
    const { approvals } = await place.place.json<{ approvals: unknown[] }>(["approvals", "list"]);
    expect(approvals).toEqual([]);
    await chat.leave();
  });

  it("shows what the store has if its file is behind", async () => {
    const place = await newChat([{ text: "about one" }, { text: "about two" }]);
    const id = await talk(place, "one", "two");
    const file = join(place.place.home, "sessions", `${id}.jsonl`);
    const lines = readFileSync(file, "utf8").split("\n");
    writeFileSync(
      file,
      `${lines
        .slice(
          0,
          lines.findIndex((line) => line.includes('"two"')),
        )
        .join("\n")}\n`,
    );
    const chat = place.start(["--resume", id]);
    await chat.see("about two");
    await chat.see("claude-sonnet-4-5");
    for (const part of ["› one", "about one", "› two", "about two"]) expect(count(chat.screen(), part), part).toBe(1);
    await chat.leave();
  });

  it("is the last one of this workspace with --continue, and --resume without a name", async () => {
    const place = await newChat([{ text: "about first" }, { text: "about second" }]);
    await talk(place, "first");
    await talk(place, "second");
    for (const flag of ["--continue", "--resume"]) {
      const chat = place.start([flag]);
      await chat.see("claude-sonnet-4-5");
      expect(chat.screen()).toContain("about second");
      expect(chat.screen()).not.toContain("about first");
      await chat.leave();
    }
  });

  it("says that earlier messages are not on the screen if it is long", async () => {
    const names = Array.from({ length: 12 }, (_, at) => `m${at + 1}`);
    const place = await newChat(names.map((name) => ({ text: `${"a line of it\n\n".repeat(5)}about ${name}` })));
    const id = await talk(place, ...names);
    const chat = place.start(["--resume", id], { rows: 20 });
    await chat.see("claude-sonnet-4-5");
    const screen = chat.screen();
    expect(screen).toContain("about m12");
    expect(screen).toContain("Earlier messages are not shown here. /export writes all of them to a file.");
    expect(screen).not.toContain("about m2\n");
    await chat.leave();
  });
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import type { Script } from "../../../src/testing/scripted-server.ts";
import { type ChatPlace, newChatPlace } from "./pty-chat.ts";

const open: ChatPlace[] = [];
afterAll(async () => {
  for (const one of open) await one.remove();
});

async function newChat(...of: [Script, Readonly<Record<string, string>>?, object?]): Promise<ChatPlace> {
  const chat = await newChatPlace(...of);
  open.push(chat);
  return chat;
}

const edit = { calls: [{ tool: "edit", input: { file_path: "a.txt", old_string: "two", new_string: "three" } }] };

describe("what a new user meets in a chat", () => {
  it("says how many lines of a long diff are hidden, and which key shows them", async () => {
    const content = Array.from({ length: 60 }, (_, at) => `line ${at + 1}`).join("\n");
    const { start } = await newChat([{ calls: [{ tool: "write", input: { file_path: "long.txt", content } }] }]);
    const chat = start([], { rows: 60 });
    chat.type("write it\r");
    const asked = await chat.see("[y]es once");
    const [, hidden = "0"] = /(\d+) more lines: Ctrl-O shows all/.exec(asked) ?? [];
    const shown = asked.split("\n").filter((line) => /^\s*\+line \d+$/.test(line)).length;
    expect(shown + Number(hidden)).toBeGreaterThanOrEqual(60);
    expect(asked).not.toContain("+line 60");
    chat.type("\x0f");
    expect(await chat.see("+line 60")).toContain("Ctrl-O hides");
    chat.type("n");
    await chat.leave();
  });

  it("keeps a question on one screen, from what it is about to its keys, and does not call the wait work", async () => {
    const content = Array.from({ length: 60 }, (_, at) => `line ${at + 1}`).join("\n");
    const { start } = await newChat([{ calls: [{ tool: "write", input: { file_path: "long.txt", content } }] }]);
    const chat = start([], { rows: 24 });
    chat.type("please\r");
    await chat.see("waiting for your answer");
    const onScreen = chat.screen().split("\n").slice(-24).join("\n");
    expect(onScreen).toMatch(/^write long\.txt$/m);
    expect(onScreen).toContain("[y]es once");
    expect(onScreen).toContain("Ctrl-O shows all");
    expect(onScreen).not.toMatch(/working \d+ s/);
    chat.type("\x0f");
    expect(await chat.see("Scroll up for the beginning.")).toContain("+line 60");
    await chat.answer("ss");
    await chat.see("Yes, for this session");
    await chat.leave();
  });

  it("says in 40 columns too whom the turn waits for, and which key shows the rest", async () => {
    const content = Array.from({ length: 4_000 }, (_, at) => `line ${at + 1}`).join("\n");
    const { start } = await newChat([{ calls: [{ tool: "write", input: { file_path: "long.txt", content } }] }]);
    const chat = start([], { columns: 40, rows: 24 });
    chat.type("please\r");
    const screen = await chat.see("[y]es once");
    expect(screen).toMatch(/\d+ more lines: Ctrl-O shows all$/m);
    expect(screen).toContain("waiting for your answer, Ctrl-C stops");
    await chat.leave();
  });

  it("takes a typed yes as the answer, and nothing of it as a message", async () => {
    const { start, shop, model } = await newChat([edit, { text: "edited" }], { "a.txt": "one\ntwo\n" });
    const chat = start();
    chat.type("change it\r");
    await chat.see("[y]es once");
    await chat.answer("yes\r");
    await chat.see("edited");
    await chat.seeNo("working");
    expect(readFileSync(join(shop, "a.txt"), "utf8")).toBe("one\nthree\n");
    expect(chat.screen()).not.toMatch(/^(?:› )?es$/m);
    expect(model.requests).toHaveLength(2);
    await chat.leave();
  });

  it("does not ask about an edit that cannot work, and says why in words for the person", async () => {
    const call = { tool: "edit", input: { file_path: "a.txt", old_string: "nine", new_string: "ten" } };
    const { start } = await newChat([{ calls: [call] }, { text: "sorry" }], { "a.txt": "one\n" });
    const chat = start();
    chat.type("change it\r");
    const screen = await chat.see("sorry");
    expect(screen).toContain("The text to be replaced is not in a.txt. Nothing was changed.");
    expect(screen).not.toContain("read the file again");
    await chat.leave();
  });

  it("completes the beginning of a command that changes something, and runs it only then", async () => {
    const { start, shop } = await newChat([edit, { text: "edited" }], { "a.txt": "one\ntwo\n" });
    const file = () => readFileSync(join(shop, "a.txt"), "utf8");
    const chat = start(["--mode", "edit"]);
    chat.type("change it\r");
    await chat.see("edited");
    await chat.seeNo("working");
    chat.type("/u");
    await chat.see("take back the last turn");
    chat.type("\r");
    await chat.see(/^\/undo$/m);
    expect(chat.screen()).not.toContain("taken back");
    expect(file()).toBe("one\nthree\n");
    chat.type("\r");
    await chat.see("Taken back:");
    expect(file()).toBe("one\ntwo\n");
    chat.type("\x15/u\r");
    await chat.see("there is no command /u");
    expect(chat.screen()).toContain("/undo");
    await chat.leave();
  });

  it("shows each command with its result, and says where an undone message went and how a session is resumed", async () => {
    const { start } = await newChat([edit, { text: "edited" }], { "a.txt": "one\ntwo\n" });
    const chat = start(["--mode", "edit"]);
    chat.type("change it\r");
    await chat.see("edited");
    await chat.seeNo("working");
    chat.type("/cost\r");
    expect(await chat.see("model calls")).toMatch(/› \/cost\n+Cost: /);
    chat.type("/mode\r");
    await chat.see("The mode is edit: changes files and runs sandboxed commands; asks for the rest.");
    await chat.see(/^\s*\/mode read-only +only reads/m);
    chat.type("/sessions\r");
    await chat.see("oldhand chat --resume ID");
    chat.type("/undo\r");
    expect(await chat.see("Up brings your message back.")).toContain("Files as before: a.txt");
    await chat.leave();
  });

  it("lists commands and keys that fit into 80 columns", async () => {
    const { start } = await newChat([]);
    const chat = start();
    await chat.see("auto ·");
    chat.type("/help\r");
    const screen = await chat.see("@FILE");
    const [, help = ""] = screen.split("Commands\n");
    for (const line of help.split("\n").filter((one) => /^\S/.test(one) && !one.startsWith("─")))
      expect(line).toMatch(/^(?:\/|Keys$|Enter|Shift|Up|Tab|Ctrl|@FILE|auto)/);
    await chat.leave();
  });

  it("changes the mode with one Enter, also if the word was completed while it was typed", async () => {
    const { start } = await newChat([]);
    const chat = start();
    await chat.see("auto ·");
    for (const key of "/mode edit") {
      chat.type(key);
      await wait(60);
    }
    chat.type("\r");
    await chat.see("Mode: edit");
    chat.type("/mode read");
    await chat.see("read-only");
    chat.type("\r");
    await chat.see(/^\/mode read-only$/m);
    expect(chat.screen()).not.toContain("Mode: read-only");
    chat.type("\r");
    await chat.see("Mode: read-only");
    await chat.leave();
  });

  it("says that a named file is not there, and leaves an address alone", async () => {
    const { start, model } = await newChat([{ text: "fine" }], { "cart.ts": "", "cart.test.ts": "", "notes.md": "" });
    const chat = start();
    chat.type("look at @crat.ts, @nosuch.txt, @notes/plan and tell @ada (ada@example.org)\r");
    await chat.see("fine");
    const screen = chat.screen().replaceAll(/\s+/g, " ");
    expect(screen).toContain("There is no file crat.ts here. Did you mean @cart.ts? The message was sent without it.");
    expect(screen).toContain("There is no file nosuch.txt here. The message was sent without it.");
    expect(screen).toContain("There is no file notes/plan here.");
    expect(screen).not.toContain("no file ada");
    expect(model.requests).toHaveLength(1);
    await chat.leave();
  });

  it("says who has a session that is open elsewhere, since when, and what to do", async () => {
    const { start, place, shop } = await newChat([{ text: "here" }]);
    const first = start();
    first.type("hello\r");
    await first.see("here");
    const second = start(["--continue"], { columns: 160 });
    await second.ended;
    const said = second.screen().replaceAll(/\s+/g, " ");
    expect(said).toMatch(/is open in another terminal: oldhand chat, process \d+ on \S+, since \d\d:\d\d/);
    expect(said).toMatch(
      /Only one program at a time can write to a session\. Press Ctrl-C twice there, then try again, or begin another session: oldhand chat/,
    );
    const asked = await place.run(["ask", "me too", "--continue"], { cwd: shop });
    expect(asked.code).not.toBe(0);
    expect(asked.stderr).toMatch(/oldhand chat, process \d+ on \S+, since/);
    await first.leave();
  });

  it("names a refused call with its tool and command, in words for the person", async () => {
    const { start } = await newChat([
      { calls: [{ tool: "shell", input: { command: "rm -rf build" } }] },
      { text: "well" },
    ]);
    const chat = start();
    chat.type("clean up\r");
    await chat.see("[y]es once");
    await chat.answer("n");
    const screen = await chat.see("well");
    expect(screen).toContain("● run rm -rf build");
    expect(screen).toContain("You said no.");
    expect(screen).not.toContain("Do not try it another way");
    await chat.leave();
  });

  it("shows which message is for the running turn and which for after it, and when each was taken", async () => {
    const { start } = await newChat(
      [
        { calls: [{ tool: "read", input: { file_path: "a.txt" } }], delayMs: 2_500 },
        { text: "first done" },
        { text: "second done" },
      ],
      { "a.txt": "one\n" },
    );
    const chat = start();
    chat.type("begin\r");
    await chat.see("working");
    chat.type("and then this\r");
    await chat.see("after this turn: and then this");
    chat.type("/steer use metric units\r");
    await chat.see("for this turn, with its next model call: use metric units");
    await chat.see("second done");
    const screen = chat.screen();
    expect(screen).toMatch(/› use metric units\n\s+taken by the running turn at \d\d:\d\d:\d\d/);
    expect(screen).toMatch(/› and then this\n\s+waited for the turn's end; sent at \d\d:\d\d:\d\d/);
    await chat.leave();
  });

  it("shows a wait for the provider as it goes on", async () => {
    const limited = { error: { status: 429, type: "rate_limit_error", message: "Slow down.", retryAfter: 3 } };
    const use = { use: ["anthropic/claude-sonnet-4-5"], exploreShare: 0, retryMs: 1, retries: 2 };
    const { start } = await newChat([limited, { text: "at last" }], {}, { models: use });
    const chat = start();
    chat.type("hello\r");
    await chat.see("waiting 3 s for anthropic (rate limit)");
    await chat.see("waiting 2 s for anthropic (rate limit)");
    await chat.see("at last");
    expect(chat.screen()).not.toMatch(/waiting \d s for/);
    await chat.leave();
  });
});

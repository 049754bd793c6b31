import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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

const KEY = `sk-ant-api03-${"k3yPart".repeat(14)}`;

describe("oldhand chat in a terminal", () => {
  it("shows the answer while it comes, with Markdown, reasoning and a status line", async () => {
    const text = "# Colours\n\nThe sky is **blue**.\n\n- alpha\n- omega\n";
    const { start } = await newChat([{ reasoning: { text: "They ask for a colour." }, text, pieces: 6, pauseMs: 150 }]);
    const chat = start();
    chat.type("which colour?\r");
    expect(await chat.see("Colours")).not.toContain("omega");
    const screen = await chat.see("omega");
    expect(screen).toContain("› which colour?");
    expect(screen).toContain("They ask for a colour.");
    expect(screen).toContain("The sky is blue.");
    expect(screen).not.toContain("**");
    await chat.see(/claude-sonnet-4-5 · \d+ of 200k .* · \$0\.\d+ · ask/);
    chat.type("/cost\r");
    await chat.see("for 1 model call");
    chat.type("/cmpact\r");
    await chat.see("did you mean /compact?");
    chat.type("/he");
    await chat.see("list the commands and keys");
    chat.type("\r");
    await chat.see("take back the last turn");
    chat.type("\x04");
    expect((await chat.ended).code).toBe(0);
    expect(chat.screen()).toMatch(/To resume: oldhand chat --resume chat_\w+/);
  });

  it("asks before an edit with the diff, and takes the edit back with /undo", async () => {
    const edit = (old: string, next: string) => ({
      calls: [{ tool: "edit", input: { file_path: "a.txt", old_string: old, new_string: next } }],
    });
    const { start, shop } = await newChat(
      [edit("two", "three"), { text: "edited once" }, edit("three", "four"), { text: "edited twice" }],
      { "a.txt": "one\ntwo\n" },
    );
    const file = () => readFileSync(join(shop, "a.txt"), "utf8");
    const chat = start();
    chat.type("change it\r");
    const asked = await chat.see("[y]es once");
    expect(asked).toContain("-two");
    expect(asked).toContain("+three");
    expect(file()).toBe("one\ntwo\n");
    await chat.answer("y");
    await chat.see("edited once");
    expect(file()).toBe("one\nthree\n");
    chat.type("/mode edit\r");
    await chat.see("Mode: edit");
    chat.type("again\r");
    expect(await chat.see("edited twice")).toContain("Yes, once");
    expect(file()).toBe("one\nfour\n");
    chat.type("/undo\r");
    await chat.see("Files as before");
    expect(file()).toBe("one\nthree\n");
    chat.type("\x15/compact\r");
    await chat.see("There is nothing to compact");
    await chat.seeNo("working");
    chat.type("/export talk.md\r");
    await chat.see("Written to");
    expect(readFileSync(join(shop, "talk.md"), "utf8")).toContain("edited once");
    chat.type("/export\r");
    await chat.see(/Written to \S*chat_/);
    chat.type("/export all.jsonl\r");
    await chat.see("all.jsonl");
    expect(readFileSync(join(shop, "all.jsonl"), "utf8")).toContain('"kind":"undo"');
    chat.type("/undo\r");
    expect(await chat.see('Taken back: "change it"')).not.toContain("Not taken back");
    await chat.leave();
  });

  it("keeps a message that is typed during a turn, and gives a steer to the turn itself", async () => {
    const { start, model, wire } = await newChat(
      [
        { calls: [{ tool: "read", input: { file_path: "a.txt" } }], delayMs: 2_000 },
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
    await chat.see("with its next model call: use metric units");
    await chat.see("second done");
    await chat.seeNo("after this turn:");
    expect(model.requests).toHaveLength(3);
    expect(wire(0)).not.toContain("metric");
    expect(wire(1)).toContain("use metric units");
    expect(wire(1)).not.toContain("and then this");
    expect(wire(2)).toContain("and then this");
    await chat.leave();
  });

  it("takes no answer that was on its way when the question came, and asks twice before it allows something for always", async () => {
    const call = { tool: "write", input: { file_path: "c.txt", content: "made\n" } };
    const { start, shop } = await newChat([{ calls: [call] }, { text: "not made" }]);
    const chat = start();
    chat.type("make it\r");
    expect(await chat.see("[y]es once")).toContain("covers: edit files of the workspace");
    await chat.answer("a");
    await chat.see("Press a again");
    chat.type("n");
    await chat.see("not made");
    expect(existsSync(join(shop, "c.txt"))).toBe(false);
    await chat.leave();
  });

  it("stops a turn with Ctrl-C and keeps everything, leaves with the second one, and resumes", async () => {
    const long = { text: `${"word ".repeat(40)}never shown`, pieces: 40, pauseMs: 250 };
    const { start, wire } = await newChat([long, { text: "right away" }]);
    const chat = start();
    chat.type("tell me a lot\r");
    await chat.see("word word");
    chat.type("\x03");
    await chat.see("Everything so far is kept");
    expect((await chat.leave()).code).toBe(0);
    const [, id = ""] = /--resume (chat_\w+)/.exec(chat.screen()) ?? [];
    const again = start(["--resume", id]);
    const resumed = await again.see("Everything so far is kept");
    expect(resumed).toContain("› tell me a lot");
    expect(resumed).toContain("word word");
    expect(resumed).not.toContain("never shown");
    await again.see("claude-sonnet-4-5");
    again.type("\x1b[A");
    await again.see(/^tell me a lot$/m);
    again.type("\x03");
    await again.seeNo("\ntell me a lot");
    again.type("and now?\r");
    await again.see("right away");
    expect(wire(1)).toContain("tell me a lot");
    expect(wire(1)).toContain("word word");
    expect((await again.leave()).code).toBe(0);
  });

  it("never writes what a terminal obeys, nor a secret, from a model or a tool", async () => {
    const evil = "\x1b]0;owned\x07\x1b]52;c;b3duZWQ=\x07\x1b[2J\x9b31m";
    const call = { tool: "read", input: { file_path: "evil.txt" } };
    const { start } = await newChat(
      [{ text: `${evil}answer ${KEY} end`, calls: [call], pieces: 9 }, { text: `\u202edone` }],
      { "evil.txt": `${evil}tool output ${KEY}\n` },
    );
    const chat = start();
    chat.type("look\r");
    await chat.see("done");
    const written = chat.raw();
    expect(chat.screen()).toContain("tool output");
    for (const part of ["owned", "]52;", "\x9b", "\u202e", KEY, "k3yPartk3yPart"]) expect(written).not.toContain(part);
    await chat.leave();
  });

  it("works in 40 columns and after a resize, with several lines, a paste and all scripts", async () => {
    const { start, wire } = await newChat([
      { text: "Grüße 你好 👩‍👩‍👧 👍🏽 a sentence that is longer than forty columns are wide" },
      { text: "fine" },
    ]);
    const chat = start([], { columns: 40, rows: 20 });
    chat.type("first line\\\rsecond 你好\x1b[13;2u");
    chat.type("\x1b[200~pasted 1\npasted 2\x1b[201~");
    await chat.see("pasted 2");
    chat.type("\r");
    await chat.see("wide");
    expect(wire(0)).toContain("first line\\nsecond 你好\\npasted 1\\npasted 2");
    expect(chat.screen()).toContain("你好");
    chat.resize(100, 30);
    await chat.see("a sentence that is longer than forty columns are wide");
    chat.resize(24, 10);
    await chat.see(/forty\s+columns/);
    chat.type("ok\r");
    await chat.see("fine");
    await chat.leave();
  });

  it("loses no key that is typed before the prompt is there", async () => {
    const { start, wire } = await newChat([{ text: "heard" }]);
    const chat = start();
    chat.type("typed early ");
    await chat.see("typed early");
    chat.type("and late\r");
    await chat.see("heard");
    expect(wire(0)).toContain("typed early and late");
    await chat.leave();
  });

  it("knows in the second session what was told in the first, which a search finds", async () => {
    const { start, wire, place } = await newChat([{ text: "Noted, Dr. Thorne." }, { text: "use std::fs::File;" }]);
    const first = start();
    first.type("My name is Dr. Thorne. Remember that I write Rust only.\r");
    await first.see("Noted, Dr. Thorne.");
    await first.leave();
    const [, id = "none"] = /--resume (chat_\w+)/.exec(first.screen()) ?? [];
    const second = start();
    second.type("How do I read a FASTA file?\r");
    await second.see("use std::fs::File;");
    await second.leave();
    expect(wire(1)).toContain("Rust only");
    expect(wire(1)).toContain("FASTA");
    const found = await place.run(["sessions", "search", "Thorne"]);
    expect(found.stdout).toContain(id);
  });

  it("says what is missing if there is no model, and which message was not sent", async () => {
    const { start, place } = await newChat([]);
    writeFileSync(join(place.home, "config.json"), "{}");
    const chat = start([], { env: { ANTHROPIC_API_KEY: "" } });
    chat.type("hello\r");
    expect((await chat.ended).code).toBe(2);
    expect(chat.screen()).toContain("there is no model to talk to");
    expect(chat.screen()).toContain("not sent: hello");
  });
});

describe("oldhand chat without a screen", () => {
  it("works line by line in a dumb terminal, and asks there", async () => {
    const call = { tool: "write", input: { file_path: "b.txt", content: "made\n" } };
    const { start, shop } = await newChat([{ calls: [call] }, { text: "written \x1b[31mred" }]);
    const chat = start([], { env: { TERM: "dumb" } });
    await chat.see(">");
    chat.type("make a file\r");
    await chat.see("[y]es once");
    chat.type("y\r");
    await chat.see("written red");
    expect(readFileSync(join(shop, "b.txt"), "utf8")).toBe("made\n");
    expect(chat.raw()).not.toContain("\x1b");
    chat.type("\x03");
    await chat.see("again to leave");
    chat.type("\x03");
    expect((await chat.ended).code).toBe(130);
    expect(chat.screen()).toContain("--resume chat_");
  });

  it("takes a message from each line of a pipe, and the same commands", async () => {
    const { place, model } = await newChat([{ text: "one" }, { text: "two" }]);
    const ran = await place.run(["chat"], { stdin: "first\nsecond \\\nhas two lines\n/mode read-only\n/nonsense\n" });
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stdout).toMatch(/^one\ntwo\n/);
    expect(ran.stdout).toContain("Mode: read-only");
    expect(ran.stdout).toContain("there is no command /nonsense");
    expect(model.requests).toHaveLength(2);
    const more = await place.run(["chat", "--continue"], { stdin: "/cost\n/quit\nnever\n" });
    expect(more.stdout).toContain("for 2 model calls");
    expect(model.requests).toHaveLength(2);
  });
});

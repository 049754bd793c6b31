import { writeFileSync } from "node:fs";
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

const count = (text: string, part: string) => text.split(part).length - 1;
const run = (command: string) => ({ calls: [{ tool: "shell", input: { command } }] });

describe("what a chat shows once", () => {
  it("is an answer during which commands are typed", async () => {
    const words = Array.from({ length: 30 }, (_, at) => `word${at}`).join(" ");
    const { start } = await newChat([{ text: `${words} end.`, pieces: 30, pauseMs: 150 }]);
    const chat = start();
    chat.type("tell me\r");
    await chat.see("word3");
    chat.type("/steer be brief\r");
    await chat.see("› /steer be brief");
    await chat.see("word12");
    chat.type("/drop\r");
    await chat.see("Removed: be brief");
    const screen = await chat.see("end.");
    expect(count(screen, "word2 ")).toBe(1);
    await chat.seeNo("working");
    await chat.leave();
  });

  it("is an answer to a question, and a question that Ctrl-C ended is listed as stopped", async () => {
    const { start, place } = await newChat([run("echo a > a"), run("echo b > b")]);
    const chat = start();
    chat.type("do it\r");
    await chat.see("waiting for your answer");
    await chat.answer("n");
    await chat.see("You said no.");
    await chat.see("echo b > b");
    await chat.see("waiting for your answer");
    expect(count(chat.screen(), "run echo a > a")).toBe(1);
    chat.type("\x03");
    await chat.see("Stopped.");
    const listed = await place.run(["approvals", "list", "--all"]);
    expect(listed.stdout).toMatch(/ap_\w+ {2}was not answered: the turn was stopped {2}run echo b > b/);
    expect(listed.stdout).not.toContain("expired");
    chat.type("\x04");
    await chat.ended;
  });

  it("is a broken attempt that a later one of the same model made good", async () => {
    const use = { use: ["anthropic/claude-sonnet-4-5"], exploreShare: 0, retryMs: 1, retries: 2, breakerFailures: 9 };
    const limited = { error: { status: 429, type: "rate_limit_error", message: "Slow down." } };
    const cut = { text: "half of it, and more of it", pieces: 4, fault: { kind: "reset", after: 5 } } as const;
    const { place, shop } = await newChat([limited, { text: "one" }, cut, { text: "two" }], {}, { models: use });
    const first = await place.run(["ask", "hello"], { cwd: shop });
    expect(first.stderr).toContain("(It was tried again after 1 failed attempt: rate limit.)");
    expect(first.stderr).not.toMatch(/failed \(|\.\./);
    const second = await place.run(["ask", "hello"], { cwd: shop });
    expect(second.stdout).toBe("two\n");
    expect(second.stderr.trim().split("\n")).toEqual([expect.stringContaining("the same model starts over")]);
  });

  it("is not a text that broke off, after a turn that failed", async () => {
    const cut = { text: "half of it, and more of it", pieces: 4, fault: { kind: "half-closed", after: 6 } } as const;
    const { start, place } = await newChat(() => cut, {}, {});
    const chat = start();
    chat.type("hello\r");
    expect(await chat.see("The turn failed:")).not.toContain("half of it");
    await chat.leave();
    const plain = await place.run(["chat"], { stdin: "hello\n" });
    expect(plain.stdout).toMatch(/half of it[^]*\(what came before is void\)\nThe turn failed:/);
  });

  it("is the reason why a chat cannot begin", async () => {
    const { start, place } = await newChat([]);
    writeFileSync(join(place.home, "config.json"), "{}");
    const chat = start([], { env: { ANTHROPIC_API_KEY: "" } });
    await chat.ended;
    expect(chat.screen()).toContain("there is no model to talk to");
    expect(chat.screen()).not.toMatch(/starting|──|Ctrl-C stops/);
  });

  it("is a prompt that a person sees: a pipe gets none", async () => {
    const { place } = await newChat([{ text: "one" }, { text: "two" }]);
    const ran = await place.run(["chat"], { stdin: "first\n/rules\n/memory\nsecond\n" });
    expect(ran.stdout).toMatch(/^one\n/);
    expect(ran.stdout).not.toContain("> ");
    expect(ran.stdout).toContain(
      "No rules yet. oldhand learns them from this chat, and from other agents after `oldhand install`.",
    );
    expect(ran.stdout).toContain("No memories yet. Say what to remember. /memory TEXT also searches earlier sessions.");
  });
});

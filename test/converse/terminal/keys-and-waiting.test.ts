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

const run = (command: string) => ({ calls: [{ tool: "shell", input: { command } }] });

describe("the input of a chat", () => {
  it("leaves with /quit in plain lines too", async () => {
    const { start } = await newChat([]);
    const chat = start(["--plain"]);
    await chat.see(">");
    chat.type("/quit\r");
    expect((await chat.ended).code).toBe(0);
  });

  it("takes back two turns with /undo twice, and Up brings the message back, ready to go on typing", async () => {
    const { start, wire } = await newChat([{ text: "one done" }, { text: "two done" }, { text: "three done" }]);
    const chat = start();
    chat.type("first\r");
    await chat.see("one done");
    await chat.seeNo("working");
    chat.type("second\r");
    await chat.see("two done");
    await chat.seeNo("working");
    chat.type("/undo\r");
    await chat.see('Taken back: "second"');
    chat.type("/undo\r");
    expect(await chat.see('Taken back: "first"')).toContain("Up brings your message back.");
    chat.type("\x1b[A");
    chat.type(" of all\r");
    await chat.see("three done");
    expect(JSON.stringify((JSON.parse(wire(2)) as { messages: unknown }).messages)).toContain("first of all");
    await chat.leave();
  });

  it("says nothing of stopping once the turn has stopped", async () => {
    const { start } = await newChat([{ text: "never", delayMs: 60_000 }]);
    const chat = start();
    chat.type("begin\r");
    await chat.see("working");
    chat.type("\x03");
    await chat.see("Stopped.");
    await chat.seeNo("Stopping.");
    expect(chat.screen()).toContain("The model gets your message with the next one. /undo takes it back.");
    chat.type("\x04");
    await chat.ended;
  });

  it("sends what is typed after a stop before what waits, and /drop removes what waits", async () => {
    const { start, model } = await newChat(({ body }) => {
      const sent = JSON.stringify(body);
      if (sent.includes("later two")) return { text: "answered too" };
      return sent.includes("this now") ? { text: "answered" } : { text: "never", delayMs: 60_000 };
    });
    const sent = () => model.requests.map(({ body }) => JSON.stringify(body));
    const chat = start();
    chat.type("begin\r");
    await chat.see("working");
    for (const text of ["later one", "later two", "later three"]) {
      chat.type(`${text}\r`);
      await chat.see(`after this turn: ${text}`);
    }
    chat.type("/drop\r");
    await chat.see("Removed: later three");
    chat.type("\x03");
    await chat.see("Messages are waiting.");
    chat.type("/drop 1\r");
    await chat.see("Removed: later one");
    chat.type("this now\r");
    await chat.see("answered too");
    const [first, second] = sent().slice(-2);
    expect(first).toContain("this now");
    expect(first).not.toContain("later two");
    expect(second).toContain("later two");
    expect(sent().filter((one) => /later (?:one|three)/.test(one))).toEqual([]);
    chat.type("/drop\r");
    await chat.see("No message waits.");
    chat.type("\x04");
    await chat.ended;
  });
});

describe("the yes of a person", () => {
  it("is offered for this call only where it cannot hold longer", async () => {
    const { start, place } = await newChat([run("ls $OLDHAND_HOME ~/.oldhand"), { text: "seen" }]);
    const chat = start();
    chat.type("look\r");
    const asked = await chat.see("[y]es  [n]o");
    expect(asked).toContain("This command could touch oldhand's own files, so it asks every time.");
    expect(asked).not.toMatch(/\[s\]ession|\[a\]lways/);
    await chat.answer("s");
    await chat.see("Only y or n here");
    await chat.answer("y");
    expect(await chat.see("seen")).toContain("Yes, once");
    const listed = await place.run(["approvals", "list"]);
    expect(listed.stdout).toBe("Nothing waits for an answer.\n");
    chat.type("\x15\x04");
    await chat.ended;
  });

  it("is named by /mode as long as it holds", async () => {
    const { start } = await newChat([run("git --version"), { text: "seen" }]);
    const chat = start();
    chat.type("look\r");
    await chat.see("[s]ession");
    await chat.answer("ss");
    await chat.see("seen");
    await chat.seeNo("working");
    chat.type("/mode\r");
    const shown = await chat.see("Also allowed without a question:");
    expect(shown).toMatch(/for this session: run git --version/);
    expect(shown).toMatch(/oldhand approvals revoke ap_\w+/);
    await chat.leave();
  });
});

describe("a chat that is killed", () => {
  it("is not at work any more", async () => {
    const { start, place } = await newChat([{ text: "never", delayMs: 60_000 }]);
    const chat = start();
    chat.type("begin\r");
    await chat.see("working");
    // The screen shows "working" before the message is stored.
    await expect
      .poll(async () => (await place.run(["sessions", "live"])).stdout, { timeout: 20_000 })
      .toContain("prompt begin");
    process.kill(chat.pid, "SIGKILL");
    await chat.ended;
    expect((await place.run(["sessions", "live"])).stdout).toBe("No agent is at work.\n");
  });
});

describe("what a chat shows", () => {
  it("leaves names with underscores as they are", async () => {
    const { start } = await newChat([
      { text: "Remove `a` and __pycache__/x and __init__.py, `__code__`, and **bold**." },
    ]);
    const chat = start();
    chat.type("what?\r");
    const screen = await chat.see("and bold.");
    expect(screen).toContain("__pycache__/x and __init__.py, __code__, and");
    await chat.leave();
  });
});

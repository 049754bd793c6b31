import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import type { ScriptedTurn } from "../../../src/testing/scripted-server.ts";
import { type ChatPlace, newChatPlace, type PtyChat } from "./pty-chat.ts";

const open: ChatPlace[] = [];
afterAll(async () => {
  for (const one of open) await one.remove();
});

const made = "made.txt";
const write: ScriptedTurn = { calls: [{ tool: "write", input: { file_path: made, content: "made\n" } }] };

/** A chat in which a question is on the screen. `typed` is in the input before it comes. */
async function newQuestion(typed = ""): Promise<{ chat: PtyChat; isMade: () => boolean; place: ChatPlace }> {
  const place = await newChatPlace([{ ...write, delayMs: typed === "" ? 0 : 1_500 }, { text: "well" }]);
  open.push(place);
  const chat = place.start();
  chat.type("make it\r");
  await chat.see("working");
  chat.type(typed);
  await chat.see("waiting for your answer");
  // Long enough to read it.
  await wait(1_200);
  return { chat, isMade: () => existsSync(join(place.shop, made)), place };
}

/** Types as a person does. */
async function typeSlowly(chat: PtyChat, keys: string, pauseMs = 120): Promise<void> {
  for (const key of keys) {
    chat.type(key);
    await wait(pauseMs);
  }
}

describe("what is typed while a question is on the screen", () => {
  it.each([
    ["please al", "so add tests", "please also add tests"],
    ["sta", "y", "stay"],
  ])("is text if the input is not empty: %s, then %s", async (before, then, text) => {
    const { chat, isMade } = await newQuestion(before);
    await typeSlowly(chat, then);
    const screen = await chat.see(new RegExp(`^${text}$`, "m"));
    expect(screen).toContain("letters go to your text");
    await wait(600);
    expect(isMade()).toBe(false);
    expect(chat.screen()).toContain("waiting for your answer");
    // Emptied, the letters answer again.
    chat.type("\x15");
    await chat.answer("y");
    await chat.see("well");
    expect(isMade()).toBe(true);
    await chat.leave();
  });

  it.each(["stop it", "yes but add tests", "always ask", "ssh is down", "nothing of this"])(
    "is text if it goes on as a sentence: %s",
    async (text) => {
      const { chat, isMade } = await newQuestion();
      await typeSlowly(chat, text);
      await chat.see(new RegExp(`^${text}$`, "m"));
      await wait(600);
      expect(isMade()).toBe(false);
      expect(chat.screen()).toContain("waiting for your answer");
      chat.type("\x15");
      await chat.leave();
    },
  );

  it("goes into the input if it comes just as the question does", async () => {
    const place = await newChatPlace([{ ...write, delayMs: 700 }]);
    open.push(place);
    const chat = place.start();
    chat.type("make it\r");
    await chat.see("waiting for your answer");
    chat.type("yes");
    await chat.see(/^yes$/m);
    await wait(600);
    expect(existsSync(join(place.shop, made))).toBe(false);
    chat.type("\x15");
    await chat.leave();
  });

  it("allows it for the session only after two presses, with a pause or not, and says so once", async () => {
    const { chat, isMade } = await newQuestion();
    chat.type("s");
    await chat.see("Press s again to allow it for this session.");
    expect(isMade()).toBe(false);
    chat.type("s");
    await chat.see("Yes, for this session");
    await chat.seeNo("Press s again");
    await chat.see("well");
    expect(isMade()).toBe(true);
    await chat.leave();
  });

  it("is an answer as a whole word too", async () => {
    const { chat, isMade, place } = await newQuestion();
    chat.type("session\r");
    await chat.see("Yes, for this session");
    await chat.see("well");
    expect(isMade()).toBe(true);
    expect(readFileSync(join(place.shop, made), "utf8")).toBe("made\n");
    expect(place.model.requests).toHaveLength(2);
    await chat.leave();
  });
});

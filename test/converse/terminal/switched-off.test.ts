import { afterAll, describe, expect, it } from "vitest";
import { openContext } from "../../../src/mind.ts";
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

describe("a chat that is open while oldhand is switched off", () => {
  it("sends and stores nothing, keeps the typed text, and goes on after oldhand on", async () => {
    const { start, place, model } = await newChat([{ text: "first answer" }, { text: "second answer" }]);
    const stored = async () => {
      const { db, close } = await openContext({ home: place.home });
      const all = [];
      for (const table of ["chat_entries", "chat_inbox", "events", "model_calls"])
        all.push(await db.all(`select count(*) as n from ${table}`));
      await close();
      return all;
    };
    const chat = start();
    chat.type("hello\r");
    await chat.see("first answer");
    await chat.seeNo("working");
    expect((await place.run(["off"])).code).toBe(0);
    const before = await stored();
    chat.type("and this?\r");
    await chat.see("oldhand on switches it on");
    expect(await chat.see(/^and this\?$/m)).not.toContain("› and this?");
    chat.type("\x15/mode edit\r");
    await chat.see(/› \/mode edit\n+oldhand is off/);
    expect(model.requests).toHaveLength(1);
    expect(await stored()).toEqual(before);
    expect((await place.run(["on"])).code).toBe(0);
    chat.type("and this?\r");
    await chat.see("second answer");
    expect(model.requests).toHaveLength(2);
    await chat.seeNo("working");
    await place.run(["off"]);
    const last = await stored();
    await chat.leave();
    expect(await stored()).toEqual(last);
  });
});

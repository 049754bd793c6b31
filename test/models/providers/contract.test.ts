import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import type { ScriptedTurn } from "../../../src/testing/scripted-server.ts";
import { ask, hear, hearFailure, KEY, openUnderTest, providersUnderTest } from "./lab.ts";

const text = "Hello from the scripted model, in several pieces.";

describe.each(providersUnderTest)("the provider $name", (tested) => {
  const { model } = tested;

  it("streams a text in its pieces and ends with its usage and the whole message", async () => {
    await using opened = await openUnderTest(tested, [{ text, pieces: 7, usage: { in: 320, out: 45 } }]);
    const heard = await hear(opened.provider, { ...ask("Say hello."), model });
    expect(heard.text).toBe(text);
    expect(heard.events.filter((event) => event.kind === "text")).toHaveLength(7);
    expect(heard.finish).toMatchObject({ reason: "stop", usage: { in: 320, out: 45 } });
    expect(heard.finish.message).toEqual({ role: "assistant", parts: [{ kind: "text", text }] });
    expect(JSON.stringify(opened.server.requests[0]?.body)).toContain("Say hello.");
  });

  it.each<[string, ScriptedTurn, string]>([
    ["an overloaded server", { error: { status: 503, type: "overloaded_error", message: "later" } }, "overloaded"],
    ["a stream that ends too early", { text, pieces: 7, fault: { kind: "half-closed", after: 4 } }, "cut-off"],
    ["a connection that breaks", { text, pieces: 7, fault: { kind: "reset", after: 4 } }, "cut-off"],
    ["truncated JSON", { text, pieces: 7, fault: { kind: "truncated", after: 3 } }, "malformed"],
    ["a page for people", { text, fault: { kind: "wrong-type" } }, "malformed"],
    ["silence", { text, pieces: 7, fault: { kind: "silence", after: 3 } }, "timeout"],
    ["a slow loris", { text, fault: { kind: "trickle", everyMs: 20 } }, "timeout"],
  ])("reports %s", async (_what, turn, kind) => {
    await using opened = await openUnderTest(tested, [turn], { idleMs: 150 });
    const { error } = await hearFailure(opened.provider, { ...ask("Say hello."), model });
    expect(error.failure.kind).toBe(kind);
    expect(inspect(error, { depth: 10 })).not.toContain(KEY);
  });
});

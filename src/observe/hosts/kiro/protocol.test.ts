import { describe, expect, it } from "vitest";
import { defaultPolicy } from "../../../domain/policy.ts";
import { readCall } from "../../../domain/cause/read-call.ts";
import { isWellFormed, malformed } from "../../../../test/malformed.ts";
import type { HookEvent } from "../../protocol/hook-event.ts";
import { toEvent } from "../../protocol/to-event.ts";
import fixtures from "./fixtures/payloads.json" with { type: "json" };
import { kiroProtocol } from "./protocol.ts";

/** Written from the host's documentation; no real payload was observed. */
const { payloads } = fixtures;

describe("what Kiro's hooks tell", () => {
  const common = { host: "kiro", session: "k-1", cwd: "/home/kim/shop" };

  it("a prompt and a stop", () => {
    expect(decode(payloads.UserPromptSubmit)).toMatchObject([
      { ...common, moment: "prompt", prompt: "push my branch" },
    ]);
    expect(decode(payloads.Stop)).toMatchObject([{ ...common, moment: "stop", again: false }]);
  });

  it("a command's exit code is inside its result", () => {
    expect(decode(payloads.PostToolUse)).toMatchObject([{ ...common, ok: true, exitCode: 1 }]);
    expect(readingOf(payloads.PostToolUse)).toMatchObject({ outcome: "failed", head: "git psuh" });
  });

  it("a tool that failed says so", () => {
    expect(readingOf(payloads.postToolUse)).toMatchObject({
      outcome: "failed",
      error: "'/home/kim/shop/nope.txt' does not exist",
    });
  });

  it("where nothing could be answered, or no session is named, there is nothing to see", () => {
    expect(decode(payloads.PreToolUse)).toEqual([]);
    expect(decode(payloads.agentSpawn)).toEqual([]);
  });

  it("is told nothing", () => {
    const [prompt] = decode(payloads.UserPromptSubmit);
    expect(prompt && kiroProtocol.encode(prompt, { context: "careful" })).toBe("");
  });

  it("10,000 malformed payloads are read without complaint", () => {
    for (const payload of malformed(Object.values(payloads), 10_000))
      for (const seen of decode(payload)) expect(isWellFormed(seen), JSON.stringify(seen)).toBe(true);
  });
});

function decode(payload: unknown): readonly HookEvent[] {
  return kiroProtocol.decode(payload, {});
}

function readingOf(payload: unknown) {
  const [after] = decode(payload);
  const event = after && toEvent(after, { policy: defaultPolicy.observe, workspace: null, at: 0 });
  if (!event) throw new Error("nothing was seen");
  return readCall(event);
}

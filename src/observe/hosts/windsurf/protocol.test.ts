import { describe, expect, it } from "vitest";
import { defaultPolicy } from "../../../domain/policy.ts";
import { readCall } from "../../../domain/cause/read-call.ts";
import { isWellFormed, malformed } from "../../../../test/malformed.ts";
import type { HookEvent } from "../../protocol/hook-event.ts";
import { toEvent } from "../../protocol/to-event.ts";
import fixtures from "./fixtures/payloads.json" with { type: "json" };
import { windsurfProtocol } from "./protocol.ts";

/** Written from the host's documentation; no real payload was observed. */
const { payloads } = fixtures;

describe("what Windsurf's hooks tell", () => {
  const common = { host: "windsurf", session: "traj-1", model: "swe-2" };

  it("a prompt, by its execution, and the end of an answer", () => {
    expect(decode(payloads.pre_user_prompt)).toMatchObject([
      { ...common, moment: "prompt", prompt: "push my branch", promptId: "exec-1" },
    ]);
    expect(decode(payloads.post_cascade_response)).toMatchObject([{ ...common, moment: "stop" }]);
  });

  it("a command that ran, but not how it ended", () => {
    expect(decode(payloads.post_run_command)).toMatchObject([
      { ...common, moment: "after-call", cwd: "/home/kim/shop", tool: "run_command", text: null, exitCode: null },
    ]);
    expect(readingOf(payloads.post_run_command)).toMatchObject({ head: "git psuh" });
  });

  it("files and the tools of others", () => {
    expect(decode(payloads.post_write_code)).toMatchObject([{ tool: "write_code" }]);
    expect(decode(payloads.post_read_code)).toMatchObject([{ tool: "read_code" }]);
    expect(decode(payloads.post_mcp_tool_use)).toMatchObject([
      { tool: "github.list_commits", input: { owner: "kim" }, text: "[]" },
    ]);
  });

  it("nothing before a call, where nothing could be answered", () => {
    expect(decode(payloads.pre_run_command)).toEqual([]);
  });

  it("is told nothing", () => {
    const [prompt] = decode(payloads.pre_user_prompt);
    expect(prompt && windsurfProtocol.encode(prompt, { context: "careful" })).toBe("");
  });

  it("10,000 malformed payloads are read without complaint", () => {
    for (const payload of malformed(Object.values(payloads), 10_000))
      for (const seen of decode(payload)) expect(isWellFormed(seen), JSON.stringify(seen)).toBe(true);
  });
});

function decode(payload: unknown): readonly HookEvent[] {
  return windsurfProtocol.decode(payload, {});
}

function readingOf(payload: unknown) {
  const [after] = decode(payload);
  const event = after && toEvent(after, { policy: defaultPolicy.observe, workspace: null, at: 0 });
  if (!event) throw new Error("nothing was seen");
  return readCall(event);
}

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MINUTE, systemClock } from "../../src/lib/clock.ts";
import { claudeTranscript } from "../claude-transcript.ts";
import { newPlace, type Place } from "../program.ts";

let place: Place;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.remove());

async function fire(event: string, over: object = {}, env: Record<string, string> = {}): Promise<string> {
  const payload = {
    session_id: "live",
    transcript_path: "none",
    cwd: "/home/ada/shop",
    hook_event_name: event,
    ...over,
  };
  return (await place.run(["hook", "claude-code"], { stdin: JSON.stringify(payload), env })).stdout;
}

const live = async () =>
  (await place.json<{ sessions: { id: string }[] }>(["sessions", "live"])).sessions.map(({ id }) => id);

describe("what is finished", () => {
  it("an imported session is never at work, however new it is", async () => {
    const folder = join(place.user, ".claude", "projects", "-shop");
    mkdirSync(folder, { recursive: true });
    const at = systemClock.now() - 2 * MINUTE;
    const text = claudeTranscript({
      session: "done",
      version: "2.1.325",
      at,
      calls: [{ command: "make red", error: "no" }],
    });
    writeFileSync(join(folder, "done.jsonl"), text);
    expect(await place.json(["import"])).toMatchObject({ events: 1 });
    expect(await live()).toEqual([]);
    expect(await place.json(["sessions", "list"])).toMatchObject({ sessions: [{ id: "done", live: false }] });
    expect(await place.json(["sessions", "show", "done"])).toMatchObject({ session: { live: false } });
    expect(await fire("SessionStart", { source: "startup" })).not.toContain("Other sessions at work");
    await fire("UserPromptSubmit", { prompt: "go on" });
    expect(await live()).toEqual(["live"]);
    await fire("SessionEnd", { reason: "other" });
    expect(await live()).toEqual([]);
  });

  it("a failure that another command made good is neither held against the agent nor left open", async () => {
    const call = (command: string, id: string) => ({ tool_name: "Bash", tool_input: { command }, tool_use_id: id });
    await fire("PostToolUseFailure", {
      ...call("npm run tests", "t1"),
      error: "Exit code 1\nnpm error Missing script",
    });
    await fire("PostToolUse", { ...call("npm run test:unit", "t2"), tool_response: { stdout: "ok", stderr: "" } });
    expect(await fire("Stop", { stop_hook_active: false }, { CLAUDE_CODE_ENTRYPOINT: "cli" })).toBe("");
    await fire("SessionEnd", { reason: "other" });
    expect(await place.json(["sessions", "summary", "live"])).toMatchObject({ threads: [] });
  });

  it("the reminder comes in Claude Code's own screen, and neither in `claude -p` nor where nobody knows", async () => {
    const call = { tool_name: "Bash", tool_input: { command: "make ship" }, tool_use_id: "t1" };
    const failed = { ...call, error: "Exit code 2\nno rule to make target" };
    await fire("PostToolUseFailure", { ...failed, session_id: "earlier" });
    await fire("SessionEnd", { session_id: "earlier", reason: "other" });
    await place.run(["distil"]);
    const stopOf = async (session_id: string, env: Record<string, string>) => {
      await fire("PostToolUseFailure", { ...failed, session_id });
      return fire("Stop", { session_id, stop_hook_active: false }, env);
    };
    expect(await stopOf("unknown", { CLAUDE_CODE_ENTRYPOINT: "" })).not.toContain("before you stop");
    expect(await stopOf("print", { CLAUDE_CODE_ENTRYPOINT: "sdk-cli" })).not.toContain("before you stop");
    expect(await stopOf("inner", { CLAUDE_CODE_ENTRYPOINT: "cli", CLAUDE_CODE_SESSION_ATTENDED: "0" })).not.toContain(
      "before you stop",
    );
    const said = await stopOf("screen", { CLAUDE_CODE_ENTRYPOINT: "cli", CLAUDE_CODE_SESSION_ATTENDED: "1" });
    expect(JSON.parse(said)).toMatchObject({
      decision: "block",
      reason: expect.stringMatching(/^oldhand: before you stop, [^\n]*`make ship`[^\n]*$/),
    });
  });
});

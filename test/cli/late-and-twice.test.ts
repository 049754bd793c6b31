import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { iso, systemClock } from "../../src/lib/clock.ts";
import { newPlace, payload, type Place } from "../program.ts";

let place: Place;
let transcript: string;
beforeEach(() => {
  place = newPlace();
  const folder = join(place.user, ".claude", "projects", "-home-ada-shop");
  mkdirSync(folder, { recursive: true });
  transcript = join(folder, `${SESSION}.jsonl`);
});
afterEach(() => place.remove());

const SESSION = "b3f1c2d4-0000-4000-8000-000000000001";

interface Shown {
  readonly events: readonly { readonly kind: string; readonly summary: string; readonly seq: number }[];
  readonly next: number | null;
}

function line(at: number, over: object): string {
  return `${JSON.stringify({ sessionId: SESSION, cwd: "/home/ada/shop", timestamp: iso(at), uuid: `u${at}`, ...over })}\n`;
}

/** What a version before 2.1.200 sends for a prompt: its text, without an id. */
async function prompt(words: string): Promise<void> {
  const hookPayload = {
    session_id: SESSION,
    transcript_path: transcript,
    cwd: "/home/ada/shop",
    permission_mode: "default",
    hook_event_name: "UserPromptSubmit",
    prompt: words,
  };
  expect(await place.run(["hook", "claude-code"], { stdin: JSON.stringify(hookPayload) })).toMatchObject({ code: 0 });
}

const written = (at: number, words: string, over: object = {}) =>
  line(at, { type: "user", message: { role: "user", content: words }, ...over });

const prompts = async () => {
  const { events } = await place.json<Shown>(["sessions", "show", SESSION]);
  return events.filter((event) => event.kind === "prompt").map((event) => event.summary);
};

describe("a call that is read late", () => {
  it("stands where it happened, in show and in replay, and pages go on behind the last place", async () => {
    const now = systemClock.now();
    await place.run(["hook", "claude-code"], { stdin: payload("PostToolUse", { transcript_path: "none" }) });
    const stop = { hook_event_name: "Stop", transcript_path: "none", stop_hook_active: false };
    await place.run(["hook", "claude-code"], { stdin: payload("PostToolUse", stop) });
    const use = { type: "tool_use", id: "toolu_late", name: "Bash", input: { command: "make refused" } };
    const result = { type: "tool_result", tool_use_id: "toolu_late", is_error: true, content: "no" };
    writeFileSync(
      transcript,
      line(now - 9_000, { type: "assistant", message: { content: [use] } }) +
        line(now - 8_000, { type: "user", message: { content: [result] } }),
    );
    await place.json(["import", transcript]);
    const shown = await place.json<Shown>(["sessions", "show", SESSION]);
    const order = shown.events.map((event) => (event.kind === "stop" ? "stop" : event.summary));
    expect(order).toEqual(["make refused", "npm test", "stop"]);
    const replay = await place.json<Shown>(["sessions", "replay", SESSION]);
    expect(replay.events.map((event) => event.seq)).toEqual(shown.events.map((event) => event.seq));
    const first = await place.json<Shown>(["sessions", "show", SESSION, "--limit", "2"]);
    const rest = await place.json<Shown>(["sessions", "show", SESSION, "--after", String(first.next)]);
    const seen = [...first.events, ...rest.events].map((event) => event.seq);
    expect(seen.toSorted()).toEqual(shown.events.map((event) => event.seq).toSorted());
    expect(rest.next).toBeNull();
  });
});

describe("a prompt of a version that gives it no name", () => {
  it("is one event, told by the hook and read in the transcript, however often that is imported", async () => {
    const now = systemClock.now();
    await prompt("mend the tests");
    writeFileSync(transcript, written(now, "mend the tests", { promptId: "p1" }));
    expect(await place.json(["import", transcript])).toMatchObject({ events: 0, skipped: 1 });
    expect(await place.json(["import", transcript])).toMatchObject({ events: 0, skipped: 1 });
    expect(await prompts()).toEqual(["mend the tests"]);
  });

  // For hooks, the same text within seconds counts as a second wiring's report; the transcript corrects this.
  it("said twice is two, and what the hook missed is not lost", async () => {
    const now = systemClock.now();
    await prompt("go on");
    await prompt("go on");
    const lines = [written(now, "go on"), written(now + 300, "go on"), written(now + 600, "go on")];
    writeFileSync(transcript, lines.join(""));
    expect(await place.json(["import", transcript])).toMatchObject({ events: 2, skipped: 1 });
    expect(await prompts()).toHaveLength(3);
    expect(await place.json(["import", transcript])).toMatchObject({ events: 0, skipped: 3 });
    expect(await prompts()).toHaveLength(3);
  });

  it("is not taken for the same words said long before", async () => {
    await prompt("go on");
    writeFileSync(transcript, written(systemClock.now() - 600_000, "go on"));
    expect(await place.json(["import", transcript])).toMatchObject({ events: 1 });
    expect(await prompts()).toHaveLength(2);
  });
});

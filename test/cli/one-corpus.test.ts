import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { DAY, systemClock } from "../../src/lib/clock.ts";
import { claudeTranscript } from "../claude-transcript.ts";
import { codexRollout } from "../codex-rollout.ts";
import { newPlace, type Place } from "../program.ts";

let place: Place;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.remove());

it("what one host's agent learned is said to another's, and says whose sessions it is from", async () => {
  const cwd = "/home/ada/shop";
  const error = "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?";
  const failing = { command: "docker compose up -d", code: 1, out: error };
  const fine = { command: "git status", code: 0, out: "clean" };
  const files = ["one", "two", "three"].map((session, n) => {
    const at = systemClock.now() - (20 - n) * DAY;
    const file = join(place.dir, `rollout-${session}.jsonl`);
    writeFileSync(file, codexRollout({ session, version: "0.166.0", at, cwd, calls: [failing, fine, failing] }));
    return file;
  });
  await place.json(["import", ...files]);
  await place.json(["distil", "--write"]);
  const [rule] = await place.json<{ id: string; evidence: object }[]>(["rules", "list"]);
  const id = rule?.id ?? "";
  expect(rule?.evidence).toMatchObject({
    hosts: ["codex"],
    versions: [{ host: "codex", lowest: "0.166.0", highest: "0.166.0" }],
  });
  await place.json(["rules", "approve", id]);

  // Claude Code's agent is about to make the same call.
  const call = { session_id: "next", cwd, tool_input: { command: "docker compose up -d" } };
  const claude = { ...call, hook_event_name: "PreToolUse", tool_name: "Bash", tool_use_id: "toolu_1" };
  const hookRun = await place.run(["hook", "claude-code"], { stdin: JSON.stringify(claude) });
  expect(hookRun.stdout).toContain(`oldhand, rule ${id}: `);
  const why = await place.run(["rules", "why", id]);
  expect(why.stdout).toContain("because, on codex 0.166.0\n");
  expect(why.stdout).toContain("  codex one#");

  // Its own sessions add to the same rule and mistake.
  const at = systemClock.now() - DAY;
  const file = join(place.dir, "claude.jsonl");
  const calls = [{ command: "docker compose up -d", error: `Exit code 1\n${error}` }];
  writeFileSync(file, claudeTranscript({ session: "four", version: "2.1.325", at, cwd, calls }));
  await place.json(["import", file]);
  await place.json(["decay", "--write"]);
  expect(await place.json(["rules", "show", id])).toMatchObject({
    evidence: { hosts: ["claude-code", "codex"], versions: [{ host: "claude-code" }, { host: "codex" }] },
  });
  const { mistakes } = await place.json<{ mistakes: object[] }>(["report"]);
  expect(mistakes).toMatchObject([{ hosts: ["claude-code", "codex"], count: 7, sessions: 4, rule: { id } }]);
}, 120_000);

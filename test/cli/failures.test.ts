import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DAY, systemClock } from "../../src/lib/clock.ts";
import { claudeTranscript, type RecordedSession } from "../claude-transcript.ts";
import { codexRollout } from "../codex-rollout.ts";
import { newPlace, payload, type Place } from "../program.ts";

let place: Place;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.remove());

interface Mistake {
  readonly signature: string;
  readonly text: string;
  readonly count: number;
  readonly sessions: number;
  readonly hosts: readonly string[];
}

async function recorded(session: string, calls: RecordedSession["calls"], daysAgo: number): Promise<void> {
  const file = join(place.dir, `${session}.jsonl`);
  writeFileSync(file, claudeTranscript({ session, version: "2.1.1", at: systemClock.now() - daysAgo * DAY, calls }));
  await place.json(["import", file]);
}

async function mistakes(): Promise<readonly Mistake[]> {
  return (await place.json<{ mistakes: Mistake[] }>(["report"])).mistakes;
}

describe("the rows of a session", () => {
  it("call failed exactly what its count counts; ordinary work is benign", async () => {
    await recorded(
      "mixed",
      [
        { command: "grep -n x a.txt", error: "Exit code 1" },
        {
          command: "terraform plan",
          error:
            'Exit code 1\n│ Error: No value for required variable\n│ \n│   on variables.tf line 1:\n│ The root module input variable "region" is not set',
        },
        { command: "npm run nope", error: 'Exit code 1\nnpm error Missing script: "nope"' },
      ],
      1,
    );
    const { stdout } = await place.run(["sessions", "show", "mixed"]);
    expect(stdout).toMatch(/events, 2 failed\n/);
    expect(stdout.match(/ {2}failed {6}/g)).toHaveLength(2);
    expect(stdout.match(/ {2}benign {6}/g)).toHaveLength(1);
  });
});

describe("one error in many wordings", () => {
  const error = (path: string, line: number, id: string) =>
    `Error: Cannot find module '${path}'\nRequire stack:\n- ${path.replace("queue", "main")}\n    at Module._resolve (node:internal:${line}:15)\n  request ${id} after ${line} ms`;

  it("is one signature, whatever paths, numbers, names, colours and wrappers are around it, and by whichever road it comes", async () => {
    await recorded(
      "plain",
      [{ command: "node app.js", error: `Exit code 1\n${error("/home/ada/shop/queue.js", 1_145, "3f2a9c1")}` }],
      6,
    );
    await recorded(
      "wrapped",
      [
        {
          command: "cd /srv/app-7 && NODE_ENV=test timeout 30 node app.js",
          error: `Exit code 1\n\u001b[31m${error("/srv/app-7/queue.js", 988, "0b8e63d4-5c0f-4c58-9f2e-8d1d1b3a7a10")}\u001b[39m`,
        },
      ],
      5,
    );
    const rollout = join(place.dir, "rollout.jsonl");
    const failed = { command: "node app.js", code: 1, out: error("/root/b/queue.js", 77, "ffee0011aa22") };
    const at = systemClock.now() - 4 * DAY;
    writeFileSync(rollout, codexRollout({ session: "c", version: "0.1.0", at, cwd: "/root/b", calls: [failed] }));
    await place.json(["import", rollout]);
    const afterFailure = payload("PostToolUseFailure", {
      session_id: "live",
      tool_use_id: "toolu_live",
      tool_input: { command: "node app.js 2>&1" },
      error: `Exit code 1\n${error("C:\\Users\\ada\\shop\\queue.js", 3, "2026-01-31T12:00:00Z")}`,
    });
    expect((await place.run(["hook", "claude-code"], { stdin: afterFailure })).code).toBe(0);
    const found = await mistakes();
    expect(found).toMatchObject([{ count: 4, sessions: 4, hosts: ["claude-code", "codex"] }]);
    expect(found[0]?.text).toContain("Cannot find module");
  }, 60_000);

  it("stays apart from another error of the same command", async () => {
    const missing = { command: "node app.js", error: `Exit code 1\n${error("/home/ada/shop/queue.js", 1, "a")}` };
    const taken = {
      command: "node app.js",
      error: "Exit code 1\nError: listen EADDRINUSE: address already in use :::3000",
    };
    const other = { ...taken, error: taken.error.replace("3000", "8080") };
    await recorded("one", [missing, taken], 3);
    await recorded("two", [other, missing], 2);
    const found = await mistakes();
    expect(found.map((one) => [one.count, one.sessions])).toEqual([
      [2, 2],
      [2, 2],
    ]);
    expect(new Set(found.map((one) => one.signature)).size).toBe(2);
  }, 60_000);
});

describe("an exit that only says no", () => {
  const benign = [
    { command: "grep -rn TODO src", error: "Exit code 1" },
    { command: "rg --files-with-matches fixme", error: "Exit code 1" },
    { command: "diff a.txt b.txt", error: "Exit code 1\n1c1\n< a\n---\n> b" },
    { command: "test -f .env", error: "Exit code 1" },
    { command: "[ -d dist ]", error: "Exit code 1" },
    { command: "git diff --quiet", error: "Exit code 1" },
    { command: "cd web && grep -q react package.json", error: "Exit code 1" },
    {
      command: "npx vitest run",
      error:
        "Exit code 1\n FAIL  src/a.test.ts > adds\nAssertionError: expected 3 to be 4\n\n Tests  1 failed | 3 passed (4)",
    },
    {
      command: "npx eslint src",
      error:
        "Exit code 1\n/home/ada/shop/src/a.ts\n  3:7  error  'x' is never used  no-unused-vars\n\n✖ 1 problem (1 error, 0 warnings)",
    },
  ];

  it("is in no report and makes no rule, however often it comes; the same program's real error is and does", async () => {
    const broken = { command: "grep -P '(' notes.txt", error: "Exit code 2\ngrep: missing closing parenthesis" };
    for (let n = 0; n < 4; n++) {
      await recorded(`s${n}`, [...benign, broken, broken], 20 - 4 * n);
      const live = { session_id: `live${n}`, tool_use_id: `toolu_${n}`, tool_input: { command: "grep -rn TODO src" } };
      await place.run(["hook", "claude-code"], {
        stdin: payload("PostToolUseFailure", { ...live, error: "Exit code 1" }),
      });
    }
    await place.json(["distil", "--write"]);
    const found = await mistakes();
    expect(found.map((one) => one.text)).toEqual([expect.stringContaining("missing closing parenthesis")]);
    expect(found[0]).toMatchObject({ count: 8, sessions: 4 });
    const rules = await place.json<{ text: string }[]>(["rules", "list"]);
    expect(rules.length).toBeGreaterThan(0);
    for (const { text } of rules) expect(text).toContain("grep");
    for (const { text } of rules) expect(text).not.toMatch(/TODO|fixme|diff|test -f|vitest|eslint/);
  }, 120_000);
});

describe("a call that a rule of ours forbids", () => {
  it.each([
    ["claude-code", { hook_event_name: "PreToolUse", session_id: "s", tool_name: "Bash", tool_use_id: "t1" }],
    ["codex", { hook_event_name: "PreToolUse", session_id: "s", tool_name: "Bash", tool_use_id: "t1" }],
    ["cursor", { hook_event_name: "preToolUse", conversation_id: "s", tool_name: "Shell", tool_use_id: "t1" }],
  ])(
    "is recorded with the rule, its reason and the command though %s tells nothing of it",
    async (host, afterFailure) => {
      const words = ["learn", "Never wipe the disk.", "--command", "shred disk.img", "--level", "deny"];
      const { rule } = await place.json<{ rule: { id: string } }>(words);
      const before = { ...afterFailure, cwd: place.dir, tool_input: { command: "shred disk.img" } };
      const reply = await place.run(["hook", host], { stdin: JSON.stringify(before) });
      expect(reply.stdout).toContain("deny");
      expect(reply.stdout).toContain(`oldhand, rule ${rule.id}: Never wipe the disk.`);
      const once = await place.json<{ events: object[] }>(["sessions", "show", "s"]);
      const call = {
        kind: "call",
        input: { command: "shred disk.img" },
        outcome: "denied",
        error: expect.stringContaining(`oldhand, rule ${rule.id}: Never wipe the disk. Only the user can allow it`),
      };
      expect(once.events).toMatchObject([call]);
      const { shown } = await place.json<{ shown: object[] }>(["rules", "shown", rule.id]);
      expect(shown).toMatchObject([{ host, session: "s", moment: "before-call", level: "deny" }]);
      expect(await mistakes()).toEqual([]);

      // If the host reports the call anyway, it is not stored again.
      const name = host === "cursor" ? "postToolUseFailure" : "PostToolUseFailure";
      const after = { ...before, hook_event_name: name, error: "denied", error_message: "denied" };
      await place.run(["hook", host], { stdin: JSON.stringify(after) });
      expect((await place.json<{ events: object[] }>(["sessions", "show", "s"])).events).toMatchObject([call]);
    },
    60_000,
  );
});

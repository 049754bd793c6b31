import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newPlace, payload, type Place } from "../program.ts";

interface Found {
  readonly written: number;
  readonly notes: readonly string[];
  readonly proposals: readonly {
    readonly id: string;
    readonly miner: string;
    readonly standing: string;
    readonly text: string;
    readonly level: string;
    readonly origin: string;
    readonly matcher: {
      readonly head?: string;
      readonly has?: readonly string[];
      readonly lacks?: readonly string[];
    } | null;
  }[];
}

interface Line {
  readonly tool: string;
  readonly input: unknown;
  readonly error?: string;
}

/** From recorded sessions to rules, with the program as it is built. */
describe("the miners, from end to end", () => {
  let place: Place;
  let workspace: string;
  beforeEach(() => {
    place = newPlace();
    workspace = join(place.dir, "shop");
    mkdirSync(join(workspace, ".git"), { recursive: true });
  });
  afterEach(() => place.remove());

  const bash = (command: string, error?: string): Line => ({
    tool: "Bash",
    input: { command },
    ...(error === undefined ? {} : { error }),
  });

  async function record(...sessions: readonly (readonly Line[])[]): Promise<void> {
    const lines = sessions.flatMap((calls, session) =>
      calls.map((call, seq) =>
        JSON.stringify({
          session: `s${session + 1}`,
          seq,
          agent: "claude-code",
          ts: new Date(Date.UTC(2026, 0, 5 + session, 9, seq)).toISOString(),
          cwd: workspace,
          tool: call.tool,
          input: call.input,
          ok: call.error === undefined,
          error_text: call.error ?? null,
        }),
      ),
    );
    const file = join(place.dir, "recorded.jsonl");
    writeFileSync(file, `${lines.join("\n")}\n`);
    await place.json(["import", file, "--from", "neutral", "--no-rules"]);
  }

  const distil = (...words: readonly string[]) => place.json<Found>(["distil", ...words]);
  const edit = (from: string, to: string): Line => ({
    tool: "Edit",
    input: { file_path: join(workspace, "a.ts"), old_string: `x = ${from}("a")`, new_string: `x = ${to}("a")` },
  });

  it("edits: what is corrected again and again is named with what it becomes, and recognised when it is written", async () => {
    await record(
      [edit("moment", "dayjs")],
      [edit("moment", "dayjs"), edit("moment", "dayjs")],
      [edit("moment", "dayjs")],
    );
    const shown = await distil("--only", "edits");
    expect(shown.proposals.map((one) => [one.miner, one.level, one.text])).toEqual([
      ["edits", "watch", "Write `dayjs`, not `moment`: corrected 4 times in 3 sessions."],
    ]);
    expect(shown.written).toBe(0);
    expect((await distil("--only", "edits", "--write")).written).toBe(1);
    await place.json(["rules", "approve", shown.proposals[0]?.id ?? ""]);
    const write = (content: string) =>
      place.run(["hook", "claude-code"], {
        stdin: payload("PreToolUse", {
          cwd: workspace,
          tool_name: "Write",
          tool_input: { file_path: join(workspace, "b.ts"), content },
        }),
      });
    expect((await write("let a = dayjs()")).stdout).toBe("");
    expect((await write("let a = moment()")).stdout).toContain("Write `dayjs`, not `moment`");
  });

  it("edits: a rename within one session, and what goes there and back, are nobody's rule", async () => {
    await record(
      [edit("oldName", "newName"), edit("oldName", "newName"), edit("oldName", "newName")],
      [edit("left", "right")],
      [edit("left", "right"), edit("right", "left")],
      [edit("left", "right"), edit("right", "left")],
    );
    expect((await distil("--only", "edits")).proposals).toEqual([]);
  });

  it("bypasses: every pattern of a skill counts; a registry of the workspace only watches until the owner approves", async () => {
    mkdirSync(join(workspace, ".oldhand"));
    writeFileSync(
      join(workspace, ".oldhand", "skills.json"),
      JSON.stringify({
        skills: [
          { skill: "release", patterns: ["npm\\s+publish", "(?P<tool>gh) release create"], reason: "obey me" },
          { skill: "release", pattern: "(a)\\1" },
        ],
      }),
    );
    await record(
      [bash("npm publish"), bash("gh release create v1")],
      [bash("npm publish --tag next"), bash("gh release create v2")],
      [bash("npm publish"), bash("gh release create v3"), bash('echo "npm publish"')],
    );
    const { proposals, notes } = await distil("--only", "bypasses", "--write");
    expect(proposals.map((one) => [one.text, one.level, one.origin])).toEqual(
      expect.arrayContaining([
        ["Use the skill `release`: `npm publish` was run without it 3 times in 3 sessions.", "watch", "external"],
        [
          expect.stringMatching(
            /^Use the skill `release`: `gh release create`.* was run without it 3 times in 3 sessions\.$/,
          ),
          "watch",
          "external",
        ],
      ]),
    );
    expect(proposals).toHaveLength(2);
    expect(notes).toEqual([expect.stringContaining("backreferences cannot be matched in linear time")]);
  });

  it("bypasses: an entry that comes later finds what was run before, and the owner's own registry may speak", async () => {
    await record(...Array.from({ length: 6 }, () => [bash("make deploy")]));
    expect((await distil("--only", "bypasses", "--write")).proposals).toEqual([]);
    writeFileSync(
      join(place.home, "skills.json"),
      JSON.stringify([{ skill: "deploy", pattern: "^make deploy$", reason: "It checks the gate first." }]),
    );
    expect((await distil("--only", "bypasses")).proposals.map((one) => [one.text, one.level, one.origin])).toEqual([
      [
        "Use the skill `deploy`: `make deploy` was run without it 6 times in 6 sessions. It checks the gate first.",
        "nudge",
        "owner",
      ],
    ]);
  });

  it("bypasses: `.claude/learned-behavior.json` is read, and what is built in holds beside it", async () => {
    mkdirSync(join(workspace, ".claude"));
    writeFileSync(
      join(workspace, ".claude", "learned-behavior.json"),
      JSON.stringify({ skill_registry: [{ pattern: "terraform apply", skill: "infra", reason: "" }] }),
    );
    const once = [bash("terraform apply"), bash("git push --no-verify"), bash("git commit -m x --no-verify")];
    await record(once, once, once);
    const { proposals } = await distil("--only", "bypasses");
    expect(proposals.map((one) => one.text.replace(/:.*/, "")).toSorted()).toEqual([
      "Use the skill `git-safety`",
      "Use the skill `git-safety`",
      "Use the skill `infra`",
    ]);
  });

  it("blocks: what a guard holds back again and again need not be tried; its reason is evidence, not wording", async () => {
    const held = bash("git push --force", "PreToolUse:Bash hook error: [python3 guard.py]: No force pushes here. OBEY");
    await record([held, bash("git push")], [held, bash("git push")], [held], [held, held]);
    const { proposals } = await distil("--only", "blocks", "--write");
    expect(proposals.map((one) => [one.text, one.level, one.matcher])).toEqual([
      [
        "Do not try `git push` with `--force`: a hook held it back 5 times in 4 sessions.",
        "nudge",
        { tool: "shell", head: "git push", has: ["flag --force"] },
      ],
    ]);
    const why = await place.json<{ because: { summary: string }[] }>(["rules", "why", proposals[0]?.id ?? ""]);
    expect(why.because[0]?.summary).toBe("guard.py: No force pushes here. OBEY");
  });

  it("blocks: those of a rule of ours are in its own record, and make no second rule", async () => {
    const held = bash("npm test", "PreToolUse:Bash hook error: [oldhand hook]: oldhand, rule r_1: run pnpm test");
    await record([held, held], [held, held]);
    expect((await distil("--only", "blocks")).proposals).toEqual([]);
  });

  it("mistakes: the third of one pattern makes a rule that is in force, with nobody asked; a win counts against", async () => {
    const mistake = (pattern: string, at: string) =>
      place.json([
        "mistake",
        `said done at ${at} with red tests`,
        "--pattern",
        pattern,
        "--why",
        "trusted the first run",
        "--should-have",
        "run the whole test suite before saying done",
        "--signal",
        `the test run printed "3 failed" at ${at}`,
      ]);
    const rules = () =>
      place.json<{ text: string; level: string; status: string; origin: string }[]>(["rules", "list"]);
    await mistake("not-verifying", "9:00");
    await place.json(["win", "ran them", "--pattern", "not-verifying", "--why", "took the time"]);
    await mistake("no-verification", "10:00");
    await mistake("skipped-verification", "11:00");
    expect(await rules()).toEqual([]);
    await mistake("not-verifying", "12:00");
    expect(await rules()).toMatchObject([
      {
        text: "Mind `not-verifying`, which went wrong 4 times and right 1 time. Should have: run the whole test suite before saying done",
        level: "advise",
        status: "candidate",
        origin: "owner",
      },
    ]);
  });

  it("corrections: what users set right in two sessions is quoted, about the command it was said of", async () => {
    const hook = (event: string, session: string, over: object) =>
      place.run(["hook", "claude-code"], {
        stdin: JSON.stringify({
          ...(JSON.parse(payload("PostToolUse", { tool_use_id: `t-${session}` })) as object),
          session_id: session,
          transcript_path: join(place.dir, "none.jsonl"),
          cwd: workspace,
          hook_event_name: event,
          ...over,
        }),
      });
    for (const [session, words] of [
      ["one", "no, use pnpm here"],
      ["two", "no, we use pnpm for this"],
      ["three", "why did you delete the migration?"],
    ] as const) {
      await hook("PostToolUse", session, {});
      await hook("UserPromptSubmit", session, { prompt: words });
    }
    const { proposals } = await distil("--only", "corrections");
    expect(proposals).toMatchObject([
      {
        text: 'The user said: "no, use pnpm here" (corrected in 2 sessions).',
        level: "advise",
        origin: "owner",
        matcher: { tool: "shell", head: "npm test" },
      },
    ]);
  });

  it("recoveries: the pair that two sessions found is a rule, unless the failure itself already is one", async () => {
    const pair = [
      bash("docker-compose up", "Exit code 127\ncommand not found: docker-compose"),
      bash("docker compose up"),
    ];
    await record(pair, pair);
    const { proposals } = await distil();
    expect(proposals.map((one) => [one.miner, one.text])).toEqual([
      [
        "recoveries",
        "Run `docker compose up`, not `docker-compose up`: it worked where `docker-compose up` had failed, 2 times in 2 sessions.",
      ],
    ]);
    const more = await distil("--min-count", "2");
    expect(more.proposals.map((one) => one.miner)).toEqual(["failures"]);
  });

  it("shows what a narrower look finds: by time, by folder, by number; and writes no more than the limit", async () => {
    const edits = [edit("moment", "dayjs"), edit("lodash", "radash")];
    await record(edits, edits, edits);
    const texts = async (...words: string[]) => (await distil("--only", "edits", ...words)).proposals.length;
    expect(await texts()).toBe(2);
    expect(await texts("--since", "2026-01-06T00:00:00Z")).toBe(0);
    expect(await texts("--since", "2026-01-06T00:00:00Z", "--min-count", "2")).toBe(2);
    expect(await texts("--workspace", workspace)).toBe(2);
    expect(await texts("--workspace", place.home)).toBe(0);
    expect((await distil("--only", "edits", "--limit", "1", "--write")).written).toBe(1);
    expect((await distil("--only", "edits", "--write")).written).toBe(1);
    expect((await distil("--only", "edits", "--write")).proposals).toEqual([]);
  });

  it("suggest skills: frequent commands that neither a registry nor a skill covers", async () => {
    mkdirSync(join(workspace, ".claude", "skills", "deploy"), { recursive: true });
    writeFileSync(join(workspace, ".claude", "skills", "deploy", "SKILL.md"), "Run `make deploy` and wait.");
    const often = [bash("cargo bench --all"), bash("make deploy"), bash("git push --no-verify"), bash("ls -la")];
    await record(often, often, often, often, [...often, bash("cargo build")]);
    const { suggestions } = await place.json<{ suggestions: unknown[] }>(["suggest", "skills"]);
    expect(suggestions).toEqual([
      { command: "cargo bench --all", times: 5, sessions: 5, example: "cargo bench --all" },
    ]);
  });
});

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

/** From recorded sessions to rules, with the built program. */
describe("the miners, from end to end", () => {
  let place: Place;
  let workspace: string;
  beforeEach(() => {
    place = newPlace();
    files = 0;
    workspace = join(place.dir, "shop");
    mkdirSync(join(workspace, ".git"), { recursive: true });
  });
  afterEach(() => place.remove());

  const bash = (command: string, error?: string): Line => ({
    tool: "Bash",
    input: { command },
    ...(error === undefined ? {} : { error }),
  });

  const record = (...sessions: readonly (readonly Line[])[]) => recordOn((session) => 5 + session, ...sessions);

  let files = 0;
  async function recordOn(day: (session: number) => number, ...sessions: readonly (readonly Line[])[]): Promise<void> {
    files++;
    const lines = sessions.flatMap((calls, session) =>
      calls.map((call, seq) =>
        JSON.stringify({
          session: files === 1 ? `s${session + 1}` : `s${files}-${session + 1}`,
          seq,
          agent: "claude-code",
          ts: new Date(Date.UTC(2026, 0, day(session), 9, seq)).toISOString(),
          cwd: workspace,
          tool: call.tool,
          input: call.input,
          ok: call.error === undefined,
          error_text: call.error ?? null,
        }),
      ),
    );
    const file = join(place.dir, `recorded${files}.jsonl`);
    writeFileSync(file, `${lines.join("\n")}\n`);
    await place.json(["import", file, "--from", "neutral", "--no-rules"]);
  }

  const distil = (...words: readonly string[]) => place.json<Found>(["distil", ...words]);
  const edit = (from: string, to: string): Line => ({
    tool: "Edit",
    input: { file_path: join(workspace, "a.ts"), old_string: `x = ${from}("a")`, new_string: `x = ${to}("a")` },
  });

  describe("of a script and the shell that runs it", () => {
    const wrong = bash("sh tools/push.sh x", "error: the remote refused it");
    const day = [wrong, bash("sh tools/list.sh a")];
    const waiting = async () =>
      (await place.json<readonly { readonly id: string; readonly status: string }[]>(["rules", "list"])).filter(
        (rule) => rule.status === "candidate",
      );

    it("one mistake is one candidate", async () => {
      await record(day, day, day);
      const { proposals } = await distil("--write");
      expect(proposals.map((one) => one.matcher)).toEqual([
        { tool: "shell", head: "push.sh", has: ["call tools/push.sh x"] },
      ]);
    });

    it.each(["approve", "retire"])("after %s none waits, whatever comes", async (decision) => {
      await record(day, day, day);
      const { proposals } = await distil("--write");
      const id = proposals[0]?.id ?? "";
      // Its cause is unknown: it can be approved only with words that say what to do.
      if (decision === "approve") await place.json(["rules", "edit", id, "--text", "Pull before you push."]);
      await place.json(["rules", decision, id]);
      await record(day, day, day, [...day, ...day]);
      await distil("--write");
      expect(await waiting()).toEqual([]);
    });
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

  it("edits: one refactoring is no correction; what an agent wrote itself and then replaces is one", async () => {
    const write = (text: string): Line => ({
      tool: "Write",
      input: { file_path: join(workspace, "a.ts"), content: `x = ${text}("a")` },
    });
    const sweep = Array.from({ length: 5 }, () => edit("string", "CheckpointID"));
    const own = [write("axios"), edit("axios", "fetch")];
    // All on one day: these sessions count as one sweep, unless they correct text that was written in them.
    await recordOn(() => 5, sweep, sweep, sweep, [edit("foo", "bar")], [edit("foo", "bar")], [edit("foo", "bar")]);
    expect((await distil("--only", "edits")).proposals).toEqual([]);
    await recordOn(() => 6, own, own, own);
    expect((await distil("--only", "edits")).proposals.map((one) => one.text)).toEqual([
      "Write `fetch`, not `axios`: corrected 3 times in 3 sessions.",
    ]);
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

  it("bypasses: `.claude/learned-behavior.json` is read, and what is built in holds beside it where its skill is", async () => {
    mkdirSync(join(workspace, ".claude"));
    writeFileSync(
      join(workspace, ".claude", "learned-behavior.json"),
      JSON.stringify({ skill_registry: [{ pattern: "terraform apply", skill: "infra", reason: "" }] }),
    );
    const once = [bash("terraform apply"), bash("git push --no-verify"), bash("git commit -m x --no-verify")];
    await record(once, once, once);
    const texts = async () => (await distil("--only", "bypasses")).proposals.map((one) => one.text.replace(/:.*/, ""));
    // A skill that does not exist cannot be used, nor be searched for in a workspace that is gone.
    const elsewhere = { session: "gone", seq: 0, agent: "claude-code", ts: "2026-01-05T09:00:00Z" };
    const gone = {
      ...elsewhere,
      cwd: join(place.dir, "gone", "too"),
      tool: "Bash",
      input: { command: "ls" },
      ok: true,
    };
    writeFileSync(join(place.dir, "gone.jsonl"), `${JSON.stringify(gone)}\n`);
    await place.json(["import", join(place.dir, "gone.jsonl"), "--from", "neutral"]);
    expect(await texts()).toEqual(["Use the skill `infra`"]);
    mkdirSync(join(workspace, ".claude", "skills", "git-safety"), { recursive: true });
    writeFileSync(join(workspace, ".claude", "skills", "git-safety", "SKILL.md"), "Look before you push.");
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

  it("mistakes: the third of one pattern makes a rule that speaks, with nobody asked; a win counts against", async () => {
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
        text: 'Watch out for `not-verifying`: this mistake was made 4 times (avoided 1 time). Its sign: the test run printed "3 failed" at 12:00. Better: run the whole test suite before saying done.',
        level: "advise",
        status: "candidate",
        origin: "owner",
      },
    ]);
  });

  describe("corrections", () => {
    let call = 0;
    const hook = (event: string, session: string, over: object) =>
      place.run(["hook", "claude-code"], {
        stdin: JSON.stringify({
          ...(JSON.parse(payload("PostToolUse", { tool_use_id: `t-${(call += 1)}` })) as object),
          session_id: session,
          transcript_path: join(place.dir, "none.jsonl"),
          cwd: workspace,
          hook_event_name: event,
          ...over,
        }),
      });
    const say = async (...messages: readonly (readonly [string, string])[]) => {
      for (const [session, prompt] of messages) {
        await hook("PostToolUse", session, { tool_input: { command: "echo done" } });
        await hook("UserPromptSubmit", session, { prompt });
      }
    };

    it("what users ask for in several sessions is one rule in its plainest words, against what is to be avoided", async () => {
      await record([bash("npm install"), bash("npm run build")]);
      await say(
        ["one", "No, use pnpm"],
        ["two", "I told you: use pnpm, not npm!"],
        ["three", "please don't use npm here"],
      );
      const { proposals } = await distil("--only", "corrections", "--write");
      expect(proposals).toMatchObject([
        {
          text: "Use pnpm, not npm (asked in 3 sessions).",
          level: "watch",
          origin: "owner",
          matcher: { tool: "shell", head: "npm", has: ["with any subcommand"] },
        },
      ]);
      const before = (command: string) => hook("PreToolUse", "next", { tool_input: { command } });
      expect((await before("npm install zod")).stdout).toBe("");
      await place.json(["rules", "approve", proposals[0]?.id ?? ""]);
      expect((await before("echo npm")).stdout).toBe("");
      expect((await before("pnpm install zod")).stdout).toBe("");
      expect((await before("cd web && npm install zod")).stdout).toContain("Use pnpm, not npm");
    });

    it("what is said once, asked, or said of the task at hand is nobody's rule, however many words it shares", async () => {
      await say(
        ["one", "use pnpm, not npm"],
        ["one", "no, use pnpm, not npm"],
        ["one", "can you remove the checkpoint_tests again"],
        ["two", "But why do you think session logs shouldn't be overwritten?"],
        ["two", "no, the checkpoint tests are wrong"],
        ["three", "why did you overwrite the session logs?"],
        ["three", "no revert those changes to the checkpoint tests"],
        ["four", "can we talk about what we're doing first?"],
        ["four", "don't fix anything, just look"],
        ["five", "don't fix anything yet"],
      );
      expect((await distil("--only", "corrections")).proposals).toEqual([]);
    });

    it("what was heard once is shown to the person, and what waits for them says that it is silent until then", async () => {
      await say(["one", "No, use pnpm, not npm"]);
      await distil("--only", "corrections", "--write");
      const shownTexts =
        "1 correction heard in too few sessions: Use pnpm, not npm (it becomes a rule for review when heard in 2 sessions)";
      expect((await place.run(["status"])).stdout).toContain(`\n${shownTexts}\n`);
      expect((await place.run(["review"])).stdout).toBe(`No rule waits for a decision.\n${shownTexts}\n`);
      await say(["two", "use pnpm, not npm!"]);
      await distil("--only", "corrections", "--write");
      const { stdout } = await place.run(["status"], { cwd: workspace });
      expect((await place.run(["status"])).stdout).toContain(`Use pnpm, not npm (asked in 2 sessions) (${workspace})`);
      expect(stdout).toContain(
        "\nlearned in the last 14 days: 1 rule, not shown to agents now: Use pnpm, not npm (asked in 2 sessions). 1 waits for review: oldhand review\n",
      );
      expect(stdout).not.toContain("heard in too few");
    });

    it("review shows when a preference was said and which calls it matches, and no false alarms; muted, it waits no more", async () => {
      await record([bash("npm install zod"), bash("npm run build")]);
      await say(["one", "No, use pnpm, not npm"], ["two", "use pnpm, not npm!"]);
      await distil("--only", "corrections", "--write");
      const { stdout } = await place.run(["review"], { stdin: "?m" });
      expect(stdout).toContain("says nothing; if approved, it is shown at a call of");
      expect(stdout).toMatch(/said in 2 sessions, last on \d{4}-\d\d-\d\d\n/);
      expect(stdout).toMatch(/recorded calls that it matches: `npm run build`, `npm install zod`\n/);
      expect(stdout).toMatch(/two#\S+ {2}use pnpm, not npm!\n/);
      expect(stdout).not.toMatch(/false alarm|precision/);
      expect(stdout).toContain("m  mute: it says nothing");
      expect(stdout).toContain("1 rule decided");
      expect((await place.run(["review"])).stdout).toBe("No rule waits for a decision.\n");
      expect((await place.run(["status"])).stdout).not.toContain("review");
      const [rule] = await place.json<{ id: string }[]>(["rules"]);
      expect((await place.run(["rules"])).stdout).toContain(`${rule?.id}  muted     watch`);
      const approved = await place.run(["approve", rule?.id ?? ""]);
      expect(approved.stdout).toContain("It said nothing before; now it speaks, at level nudge.");
      expect((await place.run(["mute", rule?.id ?? ""])).stdout).toContain("It is muted: agents are not shown it");
    });

    it("what is asked for and later taken back is nobody's rule", async () => {
      await say(["one", "don't commit"], ["two", "please do not commit anything"]);
      expect((await distil("--only", "corrections")).proposals).toMatchObject([
        { text: "Do not commit anything (asked in 2 sessions).", matcher: { tool: "shell", head: "git commit" } },
      ]);
      await say(["three", "no, use yarn, not pnpm"], ["four", "use yarn, not pnpm"], ["five", "use pnpm, not yarn"]);
      expect((await distil("--only", "corrections")).proposals.map((one) => one.text)).toEqual([
        "Do not commit anything (asked in 2 sessions).",
      ]);
    });
  });

  it("recoveries: the pair that two sessions found is a rule, unless the failure itself already is one", async () => {
    const pair = [
      bash("docker-compose up", "Exit code 1\nthe compose file is of a newer format"),
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

  it("says what --write would keep only where there is something to keep", async () => {
    const say = async (...words: string[]) => (await place.run(["distil", "--only", "edits", ...words])).stdout;
    expect(await say()).toBe("No new rule: no failure or correction is frequent enough yet.\n");
    await record([edit("moment", "dayjs")], [edit("moment", "dayjs")], [edit("moment", "dayjs")]);
    expect(await say()).toContain("Nothing was written; add --write to save new and updated rules.");
    expect(await say("--write")).toContain("Wrote 1 rule.");
    expect(await say("--write")).toBe("No new rule: no failure or correction is frequent enough yet.\n");
    expect(await say("--since", "2026-01-01T00:00:00Z", "--write")).toContain(
      "All of these are already rules (oldhand rules).",
    );
  });

  it("suggest skills: frequent commands that do their work and that neither a registry nor a skill covers", async () => {
    mkdirSync(join(workspace, ".claude", "skills", "deploy"), { recursive: true });
    writeFileSync(join(workspace, ".claude", "skills", "deploy", "SKILL.md"), "Run `make deploy` and wait.");
    const often = [bash("cargo bench --all"), bash("make deploy"), bash("git push --no-verify"), bash("ls -la")];
    const wrong = [
      bash("npm run tests", 'Exit code 1\nnpm error Missing script: "tests"'),
      bash("npm run lint", "Exit code 1\n3 problems"),
    ];
    const session = [...often, ...wrong];
    const pushed = [bash("git pull --rebase", "Exit code 1\nfatal: no tracking branch"), bash("git pull --rebase")];
    await record(session, session, session, session, [...session, bash("cargo build")]);
    // It failed as often as it worked, though it worked last; the findings were fixed once.
    await record(...Array.from({ length: 5 }, () => pushed), [bash("npm run lint")]);
    const { suggestions } = await place.json<{ suggestions: unknown[] }>(["suggest", "skills"]);
    expect(suggestions).toEqual([
      // Findings are ordinary work; a missing script is a mistake, for which there are rules.
      { command: "npm run lint", times: 6, sessions: 6, example: "npm run lint" },
      { command: "cargo bench --all", times: 5, sessions: 5, example: "cargo bench --all" },
    ]);
  });
});

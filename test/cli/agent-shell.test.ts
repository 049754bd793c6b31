import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newPlace, type Place, sample, describeRun } from "../program.ts";

const session = "b3f1c2d4-0000-4000-8000-000000000001";
/** The variables that Claude Code sets in its agent's shells. */
const claude = { CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: session };

let place: Place;
let id: string;
beforeAll(async () => {
  place = newPlace();
  await place.json(["import", sample]);
  const rules = await place.json<{ id: string; level: string }[]>(["rules"]);
  id = rules.find((rule) => rule.level === "nudge")?.id ?? "";
});
afterAll(() => place.remove());

/** What must not change: the journal has every change of the mind, the settings file every setting. */
const state = async () => [await changes(), (await place.run(["config"])).stdout];
const changes = async () =>
  (await place.json<{ changes: { id: number; actor: string }[] }>(["history"])).changes.toSorted((a, b) => b.id - a.id);

describe("a command that only the owner may give, typed by an agent in its shell", () => {
  it.each([
    ["override", (rule: string) => ["override", rule]],
    ["rules approve", (rule: string) => ["rules", "approve", rule]],
    ["rules reject", (rule: string) => ["rules", "reject", rule]],
    ["rules retire", (rule: string) => ["rules", "retire", rule]],
    ["rules edit", (rule: string) => ["rules", "edit", rule, "--level", "watch"]],
    ["rules mute", (rule: string) => ["rules", "mute", rule]],
    ["rules forget", (rule: string) => ["rules", "forget", rule]],
    ["forget", (rule: string) => ["forget", rule]],
    ["learn", () => ["learn", "Never run the tests."]],
    ["undo", () => ["undo", "1"]],
    ["import-rules", () => ["import-rules", "--approve"]],
    ["off", () => ["off"]],
    ["on", () => ["on"]],
    ["config", () => ["config", "set", "distil.minCount", "9"]],
    ["review", () => ["review"]],
    ["uninstall", () => ["uninstall", "claude-code"]],
    ["doctor --fix", () => ["doctor", "--fix"]],
  ])("is refused: %s", async (_, words) => {
    const before = await state();
    const ran = await place.run(words(id), { env: claude, stdin: "aaaa" });
    expect(ran.code, describeRun(ran)).toBe(1);
    expect(ran.stdout).toBe("");
    expect(ran.stderr).toContain(
      "oldhand: only the owner may run this command, and this shell belongs to claude-code ",
    );
    expect(ran.stderr).toContain(`[refused]\n  ask the user to type in a terminal: oldhand ${words(id)[0] ?? ""}`);
    expect(await state()).toEqual(before);
  });

  it.each([
    ["claude-code", { CLAUDECODE: "1" }],
    ["codex", { CODEX_THREAD_ID: "t1" }],
    ["gemini", { GEMINI_CLI: "1" }],
    ["opencode", { OPENCODE: "1" }],
    ["qwen", { QWEN_CODE: "1" }],
    ["pi", { PI_CODING_AGENT: "true" }],
    ["openclaw", { OPENCLAW_SHELL: "exec" }],
    ["copilot", { COPILOT_CLI: "1" }],
    ["droid", { FACTORY_EXEC_TARGET_AUTONOMY: "auto-high" }],
    ["cline", { CLINE_CONNECTOR_CLI_LAUNCH: "{}" }],
  ])("is refused in a shell of %s", async (host, env) => {
    const ran = await place.run(["override", id], { env });
    expect(ran.code, describeRun(ran)).toBe(1);
    expect(ran.stderr).toContain(`this shell belongs to ${host}`);
  });

  it("runs where a command that its owner typed in the host says so", async () => {
    const ran = await place.run(["--for-owner", "rules", "edit", id, "--level", "watch"], { env: claude });
    expect(ran.code, describeRun(ran)).toBe(0);
    expect((await changes())[0]?.actor).toBe("owner");
  });
});

describe("other commands, typed by an agent in its shell", () => {
  it("install, and look for what is broken", async () => {
    const ran = await place.run(["install", "gemini"], { env: claude });
    expect(ran.stdout, describeRun(ran)).toContain("Gemini CLI: an event arrived through the command");
    expect((await place.run(["doctor"], { env: claude })).stdout).toContain("Gemini CLI: hooks are in place");
    expect((await place.run(["uninstall"], { env: claude })).code).toBe(1);
    expect((await place.run(["doctor"])).stdout).toContain("Gemini CLI: hooks are in place");
    expect((await place.run(["uninstall"])).code).toBe(0);
  });

  it("read", async () => {
    for (const words of [["rules"], ["report"], ["config"], ["config", "get", "distil.minCount"]])
      expect((await place.run(words, { env: claude })).code).toBe(0);
    expect((await place.run(["review", "--json"], { env: claude })).code).toBe(0);
  });

  it("are journalled with the session they were typed in", async () => {
    const ran = await place.run(["remember", "The port of the staging database is 5433."], { env: claude });
    expect(ran.code, describeRun(ran)).toBe(0);
    expect((await changes())[0]?.actor).toBe(`claude-code ${session}`);
  });
});

describe("what an agent is shown in its shell", () => {
  let shop: string;
  let bank: string;
  const other = "b3f1c2d4-0000-4000-8000-000000000002";
  const ofAgent = { CLAUDECODE: "1" };
  const lists: readonly (readonly string[])[] = [
    ["search", "frobnicate"],
    ["sessions", "search", "frobnicate"],
    ["sessions", "list"],
    ["memories", "list"],
    ["facts"],
    ["rules"],
    ["report"],
    ["recall", "frobnicate"],
    ["review"],
  ];

  beforeAll(async () => {
    [shop, bank] = ["shop", "bank"].map((name) => join(place.dir, name)) as [string, string];
    for (const folder of [shop, bank]) mkdirSync(join(folder, ".git"), { recursive: true });
    const calls = [shop, bank].flatMap((cwd, at) =>
      ["a", "b", "c"].flatMap((session, nth) =>
        ["frobnicate", "read"].map((action, seq) => ({
          ...{ session: `${at === 0 ? "sold" : "lent"}-${session}`, seq, agent: "claude-code", cwd },
          ts: new Date(Date.now() - 3_600_000 + nth * 60_000 + seq).toISOString(),
          ...(action === "read"
            ? { tool: "Read", input: { file_path: `${cwd}/gone.ts` }, ok: false, error_text: "File does not exist." }
            : { tool: "Bash", input: { command: `frobnicate ${cwd}` }, ok: false, error_text: `${cwd}: it broke` }),
        })),
      ),
    );
    const file = join(place.dir, "calls.jsonl");
    writeFileSync(file, `${calls.map((one) => JSON.stringify(one)).join("\n")}\n`);
    await place.json(["import", file]);
    for (const cwd of [shop, bank]) {
      await place.json(["remember", `To frobnicate, go to ${cwd}.`, "--workspace", cwd]);
      await place.json(["learn", `Never frobnicate ${cwd}.`, "--workspace", cwd]);
    }
    await place.json(["remember", "To frobnicate is allowed."]);
  });

  it.each(lists.map((words) => [words.join(" "), words] as const))("is of its own workspace: %s", async (_, words) => {
    const { stdout } = await place.run([...words, "--json"], { env: ofAgent, cwd: shop });
    expect(stdout).not.toContain(bank);
    if (words[0] !== "review")
      expect(stdout).toContain(words[0] === "search" || words[1] === "search" ? "sold-" : shop);
    expect(stdout).not.toContain("lent-");
    if (words[0] !== "review")
      expect((await place.run([...words, "--json"], { cwd: shop })).stdout).toContain(
        words[0] === "recall" ? shop : words.includes("frobnicate") ? "lent-" : bank,
      );
  });

  it("is what is known, as quoted data, and not only its name", async () => {
    const { stdout } = await place.run(["recall", "frobnicate"], { env: ofAgent, cwd: shop });
    expect(stdout).toContain(`| To frobnicate, go to ${shop}.`);
    expect(stdout).toMatch(/semantic m_\w+, the user's own words/);
    expect((await place.run(["recall", "frobnicate"], { cwd: shop })).stdout).toMatch(/^semantic .*To frobnicate/m);
  });

  it("is also what holds everywhere", async () => {
    const { stdout } = await place.run(["memories"], { env: ofAgent, cwd: shop });
    expect(stdout).toContain("To frobnicate is allowed.");
  });

  it.each([
    [["rules", "--workspace"]],
    [["sessions", "list", "--workspace"]],
    [["search", "frobnicate", "--workspace"]],
    [["memories", "--workspace"]],
    [["facts", "--workspace"]],
    [["answers", "--workspace"]],
    [["match", "frobnicate", "--cwd"]],
  ])("is not another workspace, named with %j", async (words) => {
    const ran = await place.run([...words, bank], { env: ofAgent, cwd: shop });
    expect(ran.code, describeRun(ran)).toBe(1);
    expect(ran.stdout).toBe("");
    expect(ran.stderr).toContain(
      `an agent sees only its own workspace (${shop}), not ${bank} [refused]\n  the user can see all workspaces in a terminal\n`,
    );
  });

  it("is no other workspace for a `cd`, where the host names the session and it was seen at work", async () => {
    const env = { ...ofAgent, CLAUDE_CODE_SESSION_ID: other };
    const start = { session_id: other, cwd: shop, hook_event_name: "SessionStart", source: "startup" };
    await place.run(["hook", "claude-code"], { stdin: JSON.stringify(start) });
    const { stdout } = await place.run(["rules", "--json"], { env, cwd: bank });
    expect(stdout).toContain(shop);
    expect(stdout).not.toContain(bank);
    expect((await place.run(["rules", "--workspace", "."], { env, cwd: bank })).code).toBe(1);
  });

  it("is everything where a command that its owner typed in the host says so", async () => {
    const { stdout } = await place.run(["rules", "--for-owner"], { env: ofAgent, cwd: shop });
    expect(stdout).toContain(bank);
  });
});

describe("the same in a terminal of the owner's", () => {
  it("is done, in the owner's name", async () => {
    expect((await place.run(["rules", "approve", id])).code).toBe(0);
    expect((await changes())[0]?.actor).toBe("owner");
    const { stdout } = await place.run(["override", id]);
    expect(stdout).toMatch(
      new RegExp(`^The next call that rule ${id} would ask about, hold or deny may run, once \\(o_`),
    );
  });
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newPlace, payload, type Place, root, describeRun } from "../program.ts";

interface Learned {
  readonly rule: { readonly id: string; readonly matcher: object | null };
  readonly change: { readonly id: number } | null;
  readonly preview: {
    readonly examples: readonly { readonly command: string; readonly matches: boolean }[];
    readonly history: {
      readonly calls: number;
      readonly matched: number;
      readonly last: readonly { readonly command: string; readonly session: string }[];
      readonly near: readonly { readonly command: string; readonly times: number }[];
    };
  } | null;
}

const forced = [
  "git push --force",
  "git push --force origin main",
  "git push origin main --force",
  "git push -f",
  "git -C dir push --force",
  "sudo git push --force",
  "bash -c 'git push --force'",
  "cd x && git push --force",
  "env X=1 git push -f",
  "timeout 5 git push --force",
];
const harmless = [
  "git push",
  "git log --grep=push",
  "echo git push --force",
  "git push --force-with-lease",
  'git commit -m "git push --force"',
];

let place: Place;
beforeAll(() => {
  place = newPlace();
});
afterAll(() => place.remove());

describe("a command denied by hand", () => {
  let denied: Learned;
  beforeAll(async () => {
    const words = ["learn", "Never force a push.", "--command", "git push --force", "--level", "deny"];
    denied = await place.json<Learned>(words);
    await place.json(["learn", "Never wipe.", "--command", "rm -rf", "--level", "deny"]);
    await place.json(["learn", "Releases are made in CI.", "--command", "npm publish", "--level", "deny"]);
    await place.json(["learn", "Use --target.", "--command", "rel push --env", "--level", "deny"]);
    await place.json(["learn", "Ada ships.", "--command", "bin/skiff ship --env prod", "--level", "deny"]);
  });

  const hook = async (command: string) => {
    const stdin = payload("PreToolUse", { cwd: place.dir, tool_input: { command } });
    const ran = await place.run(["hook", "claude-code"], { stdin });
    expect(ran.code, describeRun(ran)).toBe(0);
    if (ran.stdout === "") return null;
    return (JSON.parse(ran.stdout) as { hookSpecificOutput: { permissionDecision?: string } }).hookSpecificOutput
      .permissionDecision;
  };

  it.each([
    ...forced,
    "rm -rf /tmp/x",
    "rm -fr x",
    "rm -r -f x",
    "rm --recursive --force x",
    "npm publish --access public",
    "./bin/rel push --env staging",
    "./bin/rel push --env=staging",
    "bin/skiff ship --env prod --package web",
    "skiff ship web --env=prod",
  ])("is denied to Claude Code: %s", async (command) => {
    expect(await hook(command)).toBe("deny");
  });

  it.each([
    ...harmless,
    "rm -r x",
    "npm pack",
    "./bin/rel push --target staging",
    "bin/skiff ship --env dev --package prod",
    "bin/skiff ship --package prod --env dev",
  ])("lets Claude Code do another thing: %s", async (command) => {
    expect(await hook(command)).toBe(null);
  });

  it("is denied by `match` as by the hook, and the same for what is let through", async () => {
    const levelOf = async (command: string) => {
      const ran = await place.run(["match", command, "--json"]);
      return (JSON.parse(ran.stdout) as { rules: { level: string }[] }).rules.map((rule) => rule.level);
    };
    for (const command of forced) expect(await levelOf(command), command).toEqual(["deny"]);
    for (const command of harmless) expect(await levelOf(command), command).toEqual([]);
  });

  it("says at once what it matches and what it does not, as the hook would judge it", async () => {
    expect(denied.rule.matcher).toEqual({ tool: "shell", runs: "git push --force" });
    const of = (matches: boolean) =>
      denied.preview?.examples.filter((one) => one.matches === matches).map((one) => one.command);
    expect(of(true)).toEqual([
      "git push --force",
      "git push --force x",
      "git push x --force",
      "git push -f",
      "sudo git push --force",
      "cd x && git push --force",
      "bash -c 'git push --force'",
    ]);
    expect(of(false)).toEqual([
      "git push",
      "git push --force-with-lease",
      "git push --force-if-includes",
      "echo git push --force",
    ]);
  });
});

describe.each([
  ["antigravity", "PreToolUse"],
  ["codex", "PreToolUse"],
  ["copilot", "preToolUse"],
  ["cursor", "preToolUse"],
  ["devin", "PreToolUse"],
  ["droid", "PreToolUse"],
  ["gemini", "BeforeTool"],
  ["qwen", "PreToolUse"],
  ["vscode", "PreToolUse"],
  ["cline", "PreToolUse"],
  ["opencode", "tool.execute.before"],
])("a command denied by hand, on %s", (host, event) => {
  it("is answered with the rule's sentence, and another one is not", async () => {
    await place.json(["learn", "Never force a push.", "--command", "git push --force", "--level", "deny"]);
    const reply = async (command: string) => {
      const stdin = JSON.stringify(withCommand(payloadOf(host, event), command));
      const ran = await place.run(["hook", host], { stdin });
      return `${ran.stdout}${ran.stderr}`;
    };
    expect(await reply("cd app && git push origin main -f")).toContain("Never force a push.");
    expect(await reply("git push --force-with-lease")).not.toContain("Never force a push.");
  });
});

describe("learn", () => {
  let own: Place;
  beforeAll(async () => {
    own = newPlace();
    for (const [at, command] of [
      "git push origin main",
      "git push origin main",
      "git push origin main -f",
      "git status",
    ].entries()) {
      const afterCall = payload("PostToolUse", { cwd: own.dir, tool_use_id: `t${at}`, tool_input: { command } });
      await own.run(["hook", "claude-code"], { stdin: afterCall });
    }
  });
  afterAll(() => own.remove());

  it("shows the recorded calls that it matches, and those near it", async () => {
    const { preview } = await own.json<Learned>(["learn", "No force.", "--command", "git push --force"]);
    expect(preview?.history).toMatchObject({
      calls: 3,
      matched: 1,
      last: [{ command: "git push origin main -f" }],
      near: [{ command: "git push origin main", times: 2 }],
    });
  });

  it("says it in words", async () => {
    const { stdout } = await own.run(["learn", "No force.", "--command", "git push --force", "--dry-run"]);
    expect(stdout).toMatch(/would match\n {2}git push --force\n[^]*would not match\n {2}git push\n/);
    expect(stdout).toContain("in history: 1 of 3 recorded calls of this command");
    expect(stdout).toContain("  git push origin main (2 times)");
  });

  it("writes nothing where it is only tried", async () => {
    const before = await own.json<unknown[]>(["rules"]);
    const made = await own.json<Learned>(["learn", "No.", "--command", "git push", "--dry-run"]);
    expect(made.change).toBe(null);
    expect(made.preview?.history.matched).toBe(3);
    expect(await own.json<unknown[]>(["rules"])).toHaveLength(before.length);
  });

  it("matches word for word where that is wanted", async () => {
    const made = await own.json<Learned>([
      "learn",
      "Not bare.",
      "--command",
      "git  push",
      "--exact",
      "--level",
      "deny",
    ]);
    expect(made.rule.matcher).toEqual({ tool: "shell", command: "git push" });
    expect(made.preview?.history.matched).toBe(0);
    expect(made.preview?.examples).toContainEqual({ command: "git push", matches: true });
    expect(made.preview?.examples).toContainEqual({ command: "git push x", matches: false });
  });

  it("is put right for a rule that matches word for word", async () => {
    const words = ["learn", "Never publish.", "--command", "npm publish", "--exact", "--level", "deny"];
    const { rule } = await own.json<Learned>(words);
    const isMatched = async () =>
      (await own.run(["match", "npm publish --access public", "--json"])).stdout.includes(rule.id);
    expect(await isMatched()).toBe(false);
    const { preview } = await own.json<Learned>(["rules", "edit", rule.id, "--command", "npm publish"]);
    expect(preview?.examples).toContainEqual({ command: "npm publish x", matches: true });
    expect(await isMatched()).toBe(true);
  });

  it("refuses a command that is none", async () => {
    const ran = await own.run(["learn", "x", "--command", "# nothing"]);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain("names no command");
  });

  it("says that a rule without a command stops no call", async () => {
    expect((await own.run(["learn", "Be brief.", "--level", "deny"])).stdout).toContain(
      "Without --command the rule cannot stop a call.",
    );
  });
});

function payloadOf(host: string, event: string): object {
  const text = readFileSync(join(root, "src", "observe", "hosts", host, "fixtures", "payloads.json"), "utf8");
  const all = JSON.parse(text) as Record<string, unknown>;
  const known = (all["payloads"] ?? all) as Record<string, unknown> | readonly unknown[];
  const found: unknown = Array.isArray(known)
    ? known.find((one: object) => JSON.stringify(one).includes(`"${event}"`) && JSON.stringify(one).includes('"Bash"'))
    : (known as Record<string, unknown>)[event];
  return (Array.isArray(found) ? found[0] : found) as object;
}

/** The same payload with another command, whatever the host's field name. */
function withCommand(value: object, command: string): unknown {
  return JSON.parse(JSON.stringify(value), (key, one: unknown) => {
    if (key === "commands") return Array.isArray(one) ? [command] : JSON.stringify([command]);
    return /^(?:command|command_line|CommandLine)$/.test(key) && typeof one === "string" ? command : one;
  }) as unknown;
}

import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commands } from "../../src/entrypoints/cli/commands.ts";
import type { Approval } from "../../src/domain/approval/approval.ts";
import { runCli } from "../../src/entrypoints/cli/main.ts";
import { operations } from "../../src/operations.ts";
import { insertApproval } from "../../src/store/chat/approvals.ts";
import { openStore } from "../../src/store/open.ts";
import { version } from "../../src/version.ts";
import { expectDeclared } from "../expect-declared.ts";
import { newPlace, type Place, type Ran, sample, describeRun } from "../program.ts";
import { stores } from "../stores.ts";

const onCli = operations.filter((one) => one.surfaces.includes("cli"));
const names = [...onCli.map((one) => one.name), ...commands.map((one) => one.name), "hook"];

let place: Place;
let rule: string;
let session: string;
let entry: string;
let other: string;
let proposals: readonly string[];
let fact: string;
let approvals: readonly string[];
let goal: string;
let task: string;
let comment: string;

beforeAll(async () => {
  place = newPlace();
  await place.json(["import", sample]);
  fact = await aFact();
  await place.json(["distil", "--write"]);
  await place.json(["remember", "It will be forgotten", "--key", "short-lived"]);
  const [first, second] = await place.json<{ id: string }[]>(["rules"]);
  rule = first?.id ?? "";
  other = second?.id ?? "";
  const listed = await place.json<{ sessions: { id: string }[] }>(["sessions", "list"]);
  session = listed.sessions[0]?.id ?? "";
  const won = await place.json<{ entry: { id: string } }>([
    "win",
    "one run",
    "--why",
    "read first",
    "--pattern",
    "reading",
  ]);
  entry = won.entry.id;
  await place.json(["init"]);
  const propose = (point: string) =>
    place.json<{ id: string }>(["soul", "propose", "--section", "Manner", "--add", point, "--reason", "often"]);
  proposals = [(await propose("One.")).id, (await propose("Two.")).id];
  approvals = await someApprovals();
  goal = (await place.json<{ goal: { id: string } }>(["goal", "add", "Tidy"])).goal.id;
  task = (await place.json<{ task: { id: string } }>(["task", "add", goal, "Sweep", "--person", "Is it clean?"])).task
    .id;
  comment = (await place.json<{ id: string }>(["comment", goal, "Mind the cat"])).id;
});
afterAll(() => place.remove());

/** Records a call that failed because a file is missing, and returns the id of its fact. */
async function aFact(): Promise<string> {
  const file = join(place.dir, "missing.jsonl");
  const call = { session: "of a fact", seq: 1, ts: "2026-01-01T00:00:00Z", agent: "claude-code", cwd: "/nowhere/shop" };
  const end = { tool: "Read", input: { file_path: "src/foo.ts" }, ok: false, error_text: "File does not exist." };
  writeFileSync(file, `${JSON.stringify({ ...call, ...end })}\n`);
  await place.json(["import", file]);
  return (await place.json<{ id: string }[]>(["facts"]))[0]?.id ?? "";
}

/** Two questions that wait, and a yes that still holds. */
async function someApprovals(): Promise<readonly string[]> {
  const at = Date.now();
  const of = {
    agent: "oldhand",
    session: "s_one",
    workspace: place.dir,
    action: "shell make",
    effect: "execute",
  } as const;
  const text = { summary: "run make", detail: "make", reason: "it runs a program" };
  const open = { reach: null, answeredAt: null, answeredBy: null, usedAt: null };
  const question: Approval = { id: "", at, until: at + 3_600_000, ...of, ...text, status: "waiting", ...open };
  const yes: Approval = { ...question, status: "approved", reach: "always", answeredAt: at, answeredBy: "owner" };
  const all = [question, question, yes].map((one, n) => ({ ...one, id: `ap_${n}` }));
  const store = await openStore({ database: join(place.home, "mind.db"), busyMs: 10_000 });
  for (const one of all) await insertApproval(store.db, one);
  await store.close();
  return all.map(({ id }) => id);
}

const typed = names.filter((name) => name !== "hook");

/** Runs the command line in this process: help and usage errors need no separate one. */
async function type(words: readonly string[]): Promise<Ran> {
  let [stdout, stderr] = ["", ""];
  const streams = { out: (text: string) => void (stdout += text), err: (text: string) => void (stderr += text) };
  return { code: await runCli([...words, "--home", place.home], streams), stdout, stderr, ms: 0 };
}

describe("every command", () => {
  it.each([
    [["status", "--help"], 0, /^usage: oldhand status\b/, /^$/],
    [["hook", "--help"], 0, /^usage: oldhand hook\b/, /^$/],
    [["rules", "list", "--no-such-flag"], 2, /^$/, /--no-such-flag.*\[usage\]/],
    [["frobnicate"], 2, /^$/, /frobnicate.*\[usage\]/],
  ])("%j in a process of its own answers as below", async (words, code, out, err) => {
    const ran = await place.run(words);
    expect(ran.code, describeRun(ran)).toBe(code);
    expect(ran.stdout).toMatch(out);
    expect(ran.stderr).toMatch(err);
  });

  it.each(typed)("%s --help tells its usage on stdout and exits 0", async (name) => {
    const ran = await type([...name.split(" "), "--help"]);
    expect(ran.code, describeRun(ran)).toBe(0);
    expect(ran.stdout).toMatch(new RegExp(`^usage: oldhand ${name}\\b`));
    expect(ran.stderr).toBe("");
  });

  it.each(typed)("%s refuses an unknown flag with code, words and hint", async (name) => {
    const ran = await type([...name.split(" "), "--no-such-flag"]);
    expect(ran.code, describeRun(ran)).toBe(2);
    expect(ran.stdout).toBe("");
    expect(ran.stderr).toContain("--no-such-flag");
    expect(ran.stderr).toContain("[usage]");
    expect(ran.stderr).toContain(`oldhand ${name} --help`);
  });

  it.each([
    "status",
    "start",
    "serve",
    "doctor",
    "mcp",
    "redact",
    "completion bash",
    "rules list",
    `rules show x`,
    "history",
    "off",
  ])("%s refuses a word too many", async (name) => {
    const ran = await type([...name.split(" "), "surplus"]);
    expect(ran.code, describeRun(ran)).toBe(2);
    expect(ran.stderr).toContain("surplus");
    expect(ran.stderr).toContain("[usage]");
    expect(ran.stdout).toBe("");
  });

  it("a choice that may be made more than once takes a list with commas, and refuses what is not among them", async () => {
    const both = await place.json(["distil", "--only", "edits,failures"]);
    expect(both).toEqual(await place.json(["distil", "--only", "edits", "--only", "failures"]));
    const wrong = await place.run(["distil", "--only", "edits,nonsense"]);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain("only");
    expect((await type(["distil", "--help"])).stdout).toMatch(/--only .*\(.*edits, .*\)/);
  });

  it("install says so where there is no agent, and does not call it done", async () => {
    const nobody = newPlace();
    const ran = await nobody.run(["install"], { env: { PATH: nobody.dir } });
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/^No agent that oldhand knows was found/);
    expect(ran.stdout).toMatch(/Looked for the settings folders .* and programs .* of Claude Code, Codex, .*Hermes/);
    nobody.remove();
  });

  it.each([
    ["claude-code", "claude"],
    ["codex", "codex"],
    ["gemini", "gemini"],
    ["opencode", "opencode"],
  ])("install finds %s by its program, before it was ever started", async (host, program) => {
    const fresh = newPlace();
    writeFileSync(join(fresh.dir, program), "#!/bin/sh\n", { mode: 0o755 });
    const env = { PATH: fresh.dir };
    const { files } = await fresh.json<{ files: { host: string }[] }>(["install", "--dry-run"], { env });
    expect(new Set(files.map((file) => file.host))).toEqual(new Set([host]));
    chmodSync(join(fresh.dir, program), 0o644);
    expect((await fresh.run(["install", "--dry-run"], { env })).code).toBe(1);
    fresh.remove();
  });

  it("uninstall says that what was learned stays, and how to remove it", async () => {
    const wired = newPlace();
    mkdirSync(join(wired.user, ".gemini"));
    await wired.json(["install", "gemini"]);
    const ran = await wired.run(["uninstall"]);
    expect(ran.stdout).toContain(`\nWhat was learned stays in ${wired.home}. To remove it, delete that folder.\n`);
    wired.remove();
  });

  it("uninstall --dry-run tells what it would take back, and changes nothing", async () => {
    const wired = newPlace();
    mkdirSync(join(wired.user, ".gemini"));
    const settings = join(wired.user, ".gemini", "settings.json");
    writeFileSync(settings, '{"theme": "dark"}\n');
    const { files } = await wired.json<{ files: { path: string }[] }>(["install", "gemini"]);
    const held = () => files.map(({ path }) => readFileSync(path, "utf8"));
    const before = [...held(), readFileSync(join(wired.home, "installed.json"), "utf8")];
    const { code, stdout } = await wired.run(["uninstall", "--dry-run"]);
    expect(code).toBe(0);
    expect(stdout).toContain(`would restore ${settings}\n`);
    expect(stdout.match(/^would (?:restore|remove) /gm)).toHaveLength(files.length);
    expect(stdout).not.toContain("What was learned stays");
    expect(await wired.json(["uninstall", "--dry-run"])).toEqual({
      restored: expect.arrayContaining(files.map(({ path }) => path)),
      kept: [],
      written: false,
    });
    expect([...held(), readFileSync(join(wired.home, "installed.json"), "utf8")]).toEqual(before);
    await wired.json(["uninstall"]);
    expect(readFileSync(settings, "utf8")).toBe('{"theme": "dark"}\n');
    wired.remove();
  });

  it("help of the rules has their short forms", async () => {
    const { stdout } = await type(["help", "rules"]);
    expect(stdout).toContain("\noldhand approve is oldhand rules approve.\n");
    expect(stdout).toContain("\noldhand mute is oldhand rules mute.\n");
  });

  it("help names no default where there is none", async () => {
    expect((await type(["import", "--help"])).stdout).not.toContain("(default )");
  });

  it("status, hosts and sessions call a host by one name, whatever a recorded file calls it", async () => {
    const other = newPlace();
    const line = { session: "s", seq: 1, agent: "copilot-cli", ts: "2026-01-05T09:00:00Z", tool: "bash", input: {} };
    writeFileSync(join(other.dir, "calls.jsonl"), `${JSON.stringify(line)}\n`);
    await other.json(["import", join(other.dir, "calls.jsonl")]);
    expect(await other.json(["status"])).toMatchObject({ hosts: [{ host: "copilot", events: 1 }] });
    const { hosts } = await other.json<{ hosts: { host: string }[] }>(["hosts", "list"]);
    expect(hosts.find(({ host }) => host === "copilot")).toMatchObject({
      events: 1,
      lastAt: line.ts.replace("Z", ".000Z"),
    });
    expect(await other.json(["sessions", "list", "--host", "copilot"])).toMatchObject({ sessions: [{ id: "s" }] });
    other.remove();
  });

  it.each(["install", "uninstall"])("%s refuses a host nobody knows", async (name) => {
    const ran = await type([name, "netscape"]);
    expect(ran.code, describeRun(ran)).toBe(2);
    expect(ran.stderr).toMatch(/netscape.*\[usage\]\n.*claude-code/);
  });
});

describe("what is typed wrongly", () => {
  it.each([
    [["frobnicate"], "frobnicate", "oldhand --help"],
    [["rules", "frobnicate"], "frobnicate", "approve"],
    [["rules", "show"], "ID is missing", "oldhand rules show --help"],
    [["distill"], "distill", "did you mean oldhand distil?"],
    [["repport"], "repport", "did you mean oldhand report?"],
    [["rule"], "rule", "did you mean oldhand rules?"],
    [["rules", "aprove"], "aprove", "did you mean oldhand rules approve?"],
    [["help", "rule"], "rule", "did you mean oldhand rules?"],
    [["mistake"], "WHAT is missing", "oldhand mistake --help"],
    [["win"], "WHAT, --why and --pattern are missing", "oldhand win --help"],
    [["win", "x"], "--why and --pattern are missing", "oldhand win --help"],
    [["rules", "list", "now"], 'unexpected argument "now"', "oldhand rules list --help"],
    [["match", "git", "push"], 'unexpected argument "push"; quote a text of several words', "oldhand match"],
    [["sessions", "list", "--limit", "many"], "limit", "oldhand sessions list --help"],
    [["sessions", "list", "--limit", "0"], "limit", "oldhand sessions list --help"],
    [["sessions", "list", "--before", "yesterday-ish"], "before", "oldhand sessions list --help"],
    [["rules", "edit", "x", "--level", "shout"], "level", "oldhand rules edit --help"],
    [["status", "--now", "soon"], "soon", "--now"],
    [["import", "--since", "once"], "since", "oldhand import --help"],
    [["undo", "first"], "ID must be a number", "oldhand undo --help"],
    [["serve", "--port", "http"], "http", "65535"],
    [["completion"], "shell", "bash"],
    [["completion", "tcsh"], "tcsh", "bash"],
  ])("%j is refused with exit 2, and says %s", async (words, what, hint) => {
    const ran = await type(words);
    expect(ran.code, describeRun(ran)).toBe(2);
    expect(ran.stderr).toContain(what);
    expect(ran.stderr).toContain(hint);
    expect(ran.stderr).not.toMatch(/\n\s+at /);
    expect(ran.stdout).toBe("");
  });

  it("is told as one document with --json, and to the person as well", async () => {
    const ran = await place.run(["rules", "show", "r_none", "--json"]);
    expect(ran.code).toBe(1);
    expect(JSON.parse(ran.stdout)).toEqual({
      error: { code: "not-found", message: "there is no rule r_none", hint: "oldhand rules lists them" },
    });
    expect(ran.stderr).toContain("[not-found]");
  });

  it("names a file that is not there, without a stack", async () => {
    const ran = await place.run(["import", "/no/such/file.jsonl"]);
    expect(ran.code, describeRun(ran)).toBe(2);
    expect(ran.stderr).toContain("/no/such/file.jsonl");
    expect(ran.stderr).toContain("[input]");
    expect(ran.stderr).not.toMatch(/\n\s+at /);
  });
});

describe("help", () => {
  const said = async (words: readonly string[]) => {
    const ran = await type(words);
    expect(ran.code, describeRun(ran)).toBe(0);
    return ran.stdout;
  };

  it.each([
    ["help", "rules"],
    ["rules", "--help"],
    ["help", "rules", "--home", "x"],
  ])("%s %s lists the commands of a group", async (...words) => {
    expect(await said(words)).toMatch(/rules list {2,}[^]*rules approve {2,}[^]*oldhand rules is oldhand rules list/);
  });

  it("has groups, begins with what to do first, and leaves no command out", async () => {
    const text = await said(["help"]);
    expect(text).toMatch(/\nStart here:\n {2}start {2,}[^]*\nRules:\n[^]*\nExamples:\n {2}oldhand start\n/);
    const words = new Set(typed.map((name) => name.split(" ", 1)[0] ?? name));
    for (const word of words) expect(text).toMatch(new RegExp(`\\n {2}${word}\\b`));
    expect(text).toMatch(/\n {2}rules {2,}list, show, why/);
    expect(text).not.toContain("\nMore:");
  });

  it("has examples that are taken as they stand", async () => {
    const lines = (await said(["help"])).split("\nExamples:\n")[1]?.split("\n") ?? [];
    const shown = lines.flatMap((line) => /^ {2}oldhand (.+)$/.exec(line)?.[1] ?? []);
    expect(shown.length).toBeGreaterThan(3);
    for (const line of shown) {
      const parts = line.match(/"[^"]*"|\S+/g)?.map((word) => word.replaceAll('"', "")) ?? [];
      expect((await type([...parts, "--help"])).stdout).toMatch(/^usage: oldhand /);
    }
  });

  it("tells of one command by its name", async () => {
    expect(await said(["help", "rules", "show"])).toBe(await said(["rules", "show", "--help"]));
    expect(await said(["help", "serve"])).toBe(await said(["serve", "--help"]));
  });

  it("shows which flags must be given", async () => {
    const text = await said(["win", "--help"]);
    expect(text).toContain("oldhand win WHAT --pattern PATTERN --why WHY [");
    expect(text).toMatch(/--why .*\(required\)/);
  });

  it("says the version", async () => {
    expect(await said(["version"])).toBe((await place.run(["--version"])).stdout);
  });
});

describe("a text of several words", () => {
  it("needs no quotes where a command takes one text", async () => {
    await place.json(["remember", "the", "staging", "port", "is", "5433"]);
    const { pieces } = await place.json<{ pieces: { text: string }[] }>(["recall", "the", "staging", "port"]);
    expect(pieces.map((one) => one.text)).toContain("the staging port is 5433");
  });
});

describe("undo", () => {
  it("is told as a command that works, after whatever was written", async () => {
    const written = [
      ["remember", "the staging port is 5433"],
      ["learn", "Never force a push.", "--command", "git push --force"],
      ["win", "x", "--why", "y", "--pattern", "reading-first"],
    ];
    for (const words of written) {
      const { stdout } = await place.run(words);
      const hint = /; (oldhand undo \d+) undoes it/.exec(stdout)?.[1] ?? "";
      const ran = await place.run(hint.split(" ").slice(1));
      expect(ran.code, `${words[0]}: ${hint}\n${describeRun(ran)}`).toBe(0);
    }
  });

  it("says the words of what it took back", async () => {
    await place.json(["remember", "the mill has two wheels"]);
    const { stdout } = await place.run(["undo"]);
    expect(stdout).toMatch(/memory m_\w+: change \d+ undone .*\n {2}the mill has two wheels\n {2}removed\n/);
  });

  it("takes back the owner's last change where none is named, one after the other", async () => {
    await place.json(["remember", "one fact about lemons"]);
    await place.json(["remember", "another fact about trains"]);
    const texts = async () =>
      (await place.json<{ memories: { text: string }[] }>(["memories"])).memories.map((one) => one.text);
    const before = await texts();
    await place.json(["undo"]);
    expect(await texts()).toEqual(before.filter((text) => !text.includes("trains")));
    await place.json(["undo"]);
    expect(await texts()).toEqual(before.filter((text) => !/trains|lemons/.test(text)));
  });
});

describe("--json", () => {
  const inputs: Readonly<Record<string, () => readonly string[]>> = {
    import: () => [sample],
    backup: () => [join(place.dir, "one.backup")],
    restore: () => [join(place.dir, "one.backup")],
    "import-rules": () => {
      mkdirSync(join(place.dir, ".oldhand", "rules"), { recursive: true });
      return [place.dir];
    },
    "sessions show": () => [session],
    "sessions summary": () => [session],
    advice: () => ["bring the database up with docker compose"],
    "sessions search": () => ["git push"],
    find: () => ["git"],
    "rules show": () => [rule],
    "rules why": () => [rule],
    "rules approve": () => [rule],
    "rules reject": () => [rule],
    "rules edit": () => [rule, "--text", "say it otherwise"],
    "rules pin": () => [rule],
    "rules unpin": () => [rule],
    "rules retire": () => [rule],
    "rules merge": () => [rule, other],
    "soul propose": () => ["--section", "Manner", "--add", "Three.", "--reason", "often"],
    "soul accept": () => [proposals[0] ?? ""],
    "soul reject": () => [proposals[1] ?? ""],
    "approvals approve": () => [approvals[0] ?? ""],
    "approvals reject": () => [approvals[1] ?? ""],
    "approvals revoke": () => [approvals[2] ?? ""],
    learn: () => ["never push to main", "--command", "git push origin main"],
    match: () => ["git push origin main"],
    mistake: () => [
      ...["pushed a broken build", "--why", "trusted an old run", "--should-have", "run the tests again"],
      ...["--pattern", "not-verifying", "--signal", 'the last run said "0 tests"'],
    ],
    win: () => ["one clean push", "--why", "ran the tests again", "--pattern", "no-verification"],
    "ledger forget": () => [entry],
    "facts forget": () => [fact],
    why: () => [rule],
    undo: () => ["1"],
    at: () => ["2030-01-01T00:00:00Z"],
    remember: () => ["The owner prefers Rust", "--key", "language", "--tags", "taste"],
    recall: () => ["prefers"],
    "working keep": () => ["s1", "reading the parser"],
    "working list": () => ["s1"],
    "working clear": () => ["s1"],
    markers: () => ['Done. [WIN]{"what":"x"}'],
    "memories boot": () => ["rust"],
    "models add": () => ["ollama/no-such-model"],
    "models remove": () => ["ollama/no-such-model"],
    // Nobody answers there, or nobody knows the model: a failure is an answer too.
    "models test": () => ["ollama/no-such-model"],
    "models caps set": () => ["day", "5"],
    "models caps extend": () => ["day", "1"],
    "models caps remove": () => ["day"],
    "agents stats": () => ["clerk"],
    "agents health": () => ["clerk"],
    "models call": () => ["mc_none"],
    // Without a model there is no call to judge.
    "agents feedback": () => ["clerk", "mc_none", "good"],
    "message send": () => ["Is main green?", "--to", "codex"],
    "message reply": () => ["ms_none", "yes"],
    "job add": () => ["tidy", "--cron", "0 4 * * *", "--command", "true"],
    "job edit": () => ["tidy", "--late", "skip"],
    "goal add": () => ["Ship it"],
    ...Object.fromEntries(
      ["show", "edit", "approve", "pause", "resume", "finish", "drop"].map((verb) => [`goal ${verb}`, () => [goal]]),
    ),
    "task add": () => [goal, "Write it", "--person", "Is it well?"],
    ...Object.fromEntries(["edit", "done", "drop", "retry", "verify"].map((verb) => [`task ${verb}`, () => [task]])),
    comment: () => [goal, "Mind the old format"],
    "comment answer": () => [comment],
    ...Object.fromEntries(
      ["enable", "disable", "run", "reset", "remove", "why"].map((verb) => [`job ${verb}`, () => ["tidy"]]),
    ),
    // Last, because these subjects no longer exist afterwards.
    "rules forget": () => [other],
    "memories forget": () => ["language"],
    forget: () => ["short-lived"],
  };
  /** Commands that may find nothing to do here. */
  const errors: Readonly<Record<string, string>> = {
    undo: "refused",
    "agents feedback": "not-found",
    "models call": "not-found",
    "message reply": "not-found",
    // They have ended by then.
    "goal drop": "conflict",
    "task drop": "conflict",
    "task retry": "conflict",
    // A person decides it.
    "task verify": "usage",
    "agents stats": "not-found",
  };
  /** Commands that take only an id need no entry above. */
  const idFor = ({ name, positional }: (typeof onCli)[number]) =>
    positional[0] === "id"
      ? [name.startsWith("sessions") ? session : name.startsWith("memories") ? "language" : rule]
      : [];
  const order = (name: string) =>
    name.endsWith("forget") || name === "job remove" ? 2 : name === "undo" || name === "restore" ? 1 : 0;
  const ending = onCli.filter((one) => one.stream === null);
  const inOrder = ending.toSorted((a, b) => order(a.name) - order(b.name));

  it.each(inOrder.map((one) => [one.name, one] as const))(
    "%s prints exactly one document, of its declared shape and with no field beside it, and nothing else",
    async (name, operation) => {
      const ran = await place.run([...name.split(" "), ...(inputs[name]?.() ?? idFor(operation)), "--json"]);
      expect([0, 1], describeRun(ran)).toContain(ran.code);
      const error = errors[name];
      expect(ran.stderr).toMatch(error === undefined ? /^$/ : new RegExp(`^$|${error}`));
      expect(ran.stdout.trimEnd()).not.toContain("\n");
      const document: unknown = JSON.parse(ran.stdout);
      if (error !== undefined && ran.code === 1) expect(document).toHaveProperty("error.code", error);
      else expectDeclared(operation, document);
    },
  );

  it("of start tells what it imported and the report, as one document", async () => {
    const other = newPlace();
    const result = await other.json(["start", "--no-serve"]);
    expect(result).toMatchObject({ imported: { sample: true }, report: { totals: { sessions: 6 } } });
    other.remove();
  });

  it("of doctor, install and uninstall is one document too", async () => {
    expect(await place.json(["doctor"])).toMatchObject({ problems: 0 });
    expect(await place.json(["install", "claude-code", "--dry-run"])).toMatchObject({ written: false });
    expect(await place.json(["uninstall"])).toEqual({ restored: [], kept: [], written: true });
  });
});

describe("names and ways in", () => {
  it("says its version", async () => {
    for (const word of ["--version", "-v"]) expect((await place.run([word])).stdout).toBe(`${version}\n`);
  });

  it("lists every command where no one is at a terminal", async () => {
    const ran = await place.run([]);
    expect(ran.code).toBe(0);
    for (const name of names) {
      const [word = "", ...rest] = name.split(" ");
      expect(ran.stdout).toMatch(new RegExp(`^ {2}${word} .*${rest.join(" ")}`, "m"));
    }
    expect((await place.run(["--help"])).stdout).toBe(ran.stdout);
  });

  it("takes a bare noun for its list", async () => {
    expect(await place.json(["rules"])).toEqual(await place.json(["rules", "list"]));
    expect((await place.run(["sessions"])).stdout).toBe((await place.run(["sessions", "list"])).stdout);
  });

  it("takes the global flags before the command as well as after", async () => {
    const other = newPlace();
    const ran = await other.run(["--home", place.home, "--json", "status"]);
    expect(ran.code, describeRun(ran)).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ home: place.home });
    other.remove();
  });

  it("chooses the mind by --home before OLDHAND_HOME before ~/.oldhand", async () => {
    const other = newPlace();
    const flagged = await other.json(["status", "--home", join(other.dir, "flagged")]);
    expect(flagged["home"]).toBe(join(other.dir, "flagged"));
    const named = await other.json(["status"]);
    expect(named["home"]).toBe(other.home);
    const own = await other.json(["status"], { env: { OLDHAND_HOME: "" } });
    expect(own["home"]).toBe(join(other.user, ".oldhand"));
    other.remove();
  });

  it("stands at --now for what it writes", async () => {
    const other = newPlace();
    const made = await other.json<{ change: { at: string } }>(["learn", "a", "--now", "2031-02-03T04:05:06Z"]);
    expect(made.change.at).toBe("2031-02-03T04:05:06.000Z");
    other.remove();
  });

  it.each(stores)("keeps its mind where OLDHAND_DATABASE says: $name", async (kind) => {
    const other = newPlace();
    const { database, remove } = await kind.fresh();
    const env = { OLDHAND_DATABASE: database };
    await other.json(["import", sample], { env });
    expect(await other.json(["status"], { env })).toMatchObject({ store: kind.name, counts: { events: 71 } });
    expect(await other.json(["status"])).toMatchObject({ store: "sqlite", counts: { events: 0 } });
    await remove();
    other.remove();
  });

  it("keeps a relative database of the settings in its home, wherever it is called from", async () => {
    const other = newPlace();
    await other.json(["config", "set", "database", "second.db"]);
    const status = await other.json(["status"], { cwd: other.user });
    expect(status["place"]).toBe(join(other.home, "second.db"));
    expect(readdirSync(other.user)).toEqual([]);
    other.remove();
  });

  it("refuses a database of a kind that it does not know", async () => {
    const ran = await place.run(["status"], { env: { OLDHAND_DATABASE: "mysql://root@localhost/mind" } });
    expect(ran.code, describeRun(ran)).toBe(2);
    expect(ran.stderr).toMatch(/mysql.*\[config\]\n.*postgres:/);
  });

  it("never prints a database password", async () => {
    const env = { OLDHAND_DATABASE: "postgres://ada:s3cretword@127.0.0.1:1/mind" };
    for (const words of [["status"], ["doctor"], ["config"], ["config", "--json"]]) {
      const ran = await place.run(words, { env });
      expect(ran.stdout + ran.stderr).not.toContain("s3cretword");
    }
  });

  it("is not troubled by a reader that goes away", async () => {
    const { exec, program, cleanEnv } = await import("../program.ts");
    const ran = await exec(
      "bash",
      ["-c", `set -o pipefail; "${process.execPath}" "${program}" sessions show ${session} --json | head -c 10`],
      {
        env: { ...cleanEnv(place.user), OLDHAND_HOME: place.home },
      },
    );
    expect(ran.stderr).toBe("");
  });
});

describe("rights", () => {
  it("keep the home and everything in it for its owner", async () => {
    const other = newPlace();
    await other.json(["import", sample]);
    await other.json(["config", "set", "serve.port", "0"]);
    await other.json(["backup", join(other.home, "mind.backup")]);
    const serving = other.start(["serve"]);
    await serving.line(/Dashboard/);
    expect(statSync(other.home).mode & 0o777).toBe(0o700);
    const files = readdirSync(other.home);
    expect(files).toEqual(expect.arrayContaining(["config.json", "mind.backup", "mind.db", "token"]));
    for (const name of files) expect([name, statSync(join(other.home, name)).mode & 0o077]).toEqual([name, 0]);
    serving.child.kill("SIGTERM");
    await serving.ended;
    other.remove();
  });

  it("of a folder that was there before are not changed", async () => {
    const other = newPlace();
    const folder = join(other.dir, "shared");
    mkdirSync(folder, { mode: 0o755 });
    await other.json(["status", "--home", folder]);
    expect(statSync(folder).mode & 0o777).toBe(0o755);
    expect(statSync(join(folder, "mind.db")).mode & 0o077).toBe(0);
    const doctor = await other.run(["doctor", "--home", folder]);
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toContain(`chmod 700 ${folder}`);
    other.remove();
  });
});

describe("install", () => {
  it("keeps the settings' rights, link and words, and takes everything back to the byte", async () => {
    const { chmodSync, lstatSync, symlinkSync } = await import("node:fs");
    const other = newPlace();
    mkdirSync(join(other.user, ".claude"));
    mkdirSync(join(other.user, "dotfiles"));
    const real = join(other.user, "dotfiles", "claude.json");
    const before = '{"model":"opus",   "env": {"TOKEN": "x"}}';
    writeFileSync(real, before);
    chmodSync(real, 0o600);
    const link = join(other.user, ".claude", "settings.json");
    symlinkSync(real, link);
    const installed = await other.run(["install"]);
    expect(installed.stdout).toMatch(
      /\nStart a new session in your agent; .*`oldhand uninstall` removes the hooks\.\n$/,
    );
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(statSync(real).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(real, "utf8"))).toMatchObject({ model: "opus", env: { TOKEN: "x" } });
    const again = await other.json<{ files: unknown[] }>(["install"]);
    expect(again.files).toEqual([]);
    const { stdout } = await other.run(["uninstall"]);
    expect(stdout).toContain(`restored ${link}\n`);
    expect(readFileSync(real, "utf8")).toBe(before);
    expect(readdirSync(join(other.user, ".claude"))).toEqual(["settings.json"]);
    expect(readdirSync(join(other.user, "dotfiles"))).toEqual(["claude.json"]);
    other.remove();
  });

  it("writes hooks that feed the very mind they were installed for", async () => {
    const { exec, cleanEnv, payload } = await import("../program.ts");
    const other = newPlace();
    mkdirSync(join(other.user, ".claude"));
    await other.json(["install"]);
    const settings = JSON.parse(readFileSync(join(other.user, ".claude", "settings.json"), "utf8")) as {
      hooks: Record<string, { hooks: { command: string }[] }[]>;
    };
    const command = settings.hooks["PostToolUse"]?.[0]?.hooks[0]?.command ?? "";
    const ran = await exec("sh", ["-c", command], {
      env: { ...cleanEnv(other.user), OLDHAND_HOME: other.home },
      stdin: payload("PostToolUse"),
    });
    expect(ran).toMatchObject({ code: 0, stdout: "", stderr: "" });
    expect(await other.json(["status"])).toMatchObject({ counts: { events: 1 } });
    other.remove();
  });
});

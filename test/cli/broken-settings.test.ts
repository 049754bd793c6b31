import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newPlace, payload, type Place, type Ran, describeRun } from "../program.ts";
import { stores } from "../stores.ts";

let place: Place;
let file: string;
beforeEach(() => {
  place = newPlace();
  file = join(place.home, "config.json");
  mkdirSync(place.home, { mode: 0o700 });
});
afterEach(() => place.remove());

const silent = { code: 0, stdout: "", stderr: "" };
const spool = () => (existsSync(join(place.home, "spool")) ? readdirSync(join(place.home, "spool")) : []);
const lost = () => (existsSync(join(place.home, "lost")) ? statSync(join(place.home, "lost")).size : 0);
const events = async () => (await place.json<{ counts: { events: number } }>(["status"])).counts.events;

/** Reports finished calls, each through a separate hook process. */
async function callHooks(count: number, over: object = {}): Promise<void> {
  for (let i = 0; i < count; i++)
    expect(
      await place.run(["hook", "claude-code"], {
        stdin: payload("PostToolUse", { tool_use_id: `toolu_${i}`, ...over }),
      }),
    ).toMatchObject(silent);
}

interface Finding {
  readonly level: "ok" | "note" | "problem";
  readonly what: string;
  readonly hint: string | null;
}
const examined = async (code = 0) => (await place.json<{ findings: Finding[] }>(["doctor"], { code })).findings;

function isOneWarning(ran: Ran): void {
  expect(ran.code, describeRun(ran)).toBe(0);
  expect(ran.stderr).toMatch(/^oldhand: [^\n]+\n$/);
  expect(ran.stderr).toContain(file);
}

describe("one setting that is wrong", () => {
  it.each([
    ["unknown", '{"distil":{"minCuont":7,"minSessions":5}}', "distil.minCuont is not a setting"],
    ["unknown, at the top", '{"colour":"blue","distil":{"minSessions":5}}', "colour is not a setting"],
    ["retired", '{"work":{"taskAttempts":9},"distil":{"minSessions":5}}', "work.taskAttempts is retired"],
    [
      "out of bounds",
      '{"serve":{"port":99999},"distil":{"minSessions":5}}',
      "serve.port must be a number from 0 to 65535, not 99999; 4517 is used",
    ],
    [
      "of another type",
      '{"distil":{"holdOut":"no","minSessions":5}}',
      "distil.holdOut must be true or false; true is used",
    ],
    ["a secret", '{"embedderKey":"sk-very-secret","distil":{"minSessions":5}}', "embedderKey is a secret"],
  ])("%s: it is ignored, the rest of the file holds, and hooks store as usual", async (_what, text, why) => {
    writeFileSync(file, text);
    await callHooks(2);
    expect(spool()).toEqual([]);
    expect(await events()).toBe(2);
    expect(lost()).toBe(0);
    const ran = await place.run(["status"]);
    isOneWarning(ran);
    expect(ran.stderr).toContain(why);
    expect(ran.stderr).not.toContain("sk-very-secret");
    expect(await place.json(["config", "get", "distil.minSessions"])).toMatchObject([{ value: 5 }]);
    const finding = (await examined()).find((one) => one.what.includes(why));
    expect(finding).toMatchObject({ level: "note" });
    expect(finding?.what).toContain(file);
    expect(finding?.hint).not.toBeNull();
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  it("many are one line all the same, and doctor tells each", async () => {
    writeFileSync(file, '{"a":1,"b":2,"c":3,"d":4,"work":{"mostTasks":90,"taskAttempts":2}}');
    const ran = await place.run(["rules", "list"]);
    isOneWarning(ran);
    expect(ran.stderr).toContain("6 settings not valid: work.mostTasks, work.taskAttempts, a, …");
    expect((await examined()).filter((one) => one.what.includes(file)).length).toBe(6);
  });

  it("doctor --fix removes retired ones and nothing else", async () => {
    writeFileSync(
      file,
      '{"colour":"blue","work":{"taskAttempts":9},"memory":{"confirm":0.2},"models":{"abTestAfter":9}}',
    );
    const { fixed } = await place.json<{ fixed: string[] }>(["doctor", "--fix"]);
    expect(fixed).toEqual([
      "removed the setting models.abTestAfter, which nothing reads",
      "removed the setting work.taskAttempts, which nothing reads",
    ]);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ colour: "blue", memory: { confirm: 0.2 } });
    expect(await place.json(["doctor", "--fix"])).toMatchObject({ fixed: [] });
  });

  it("config set corrects it, keeps what it does not know, and refuses retired names", async () => {
    writeFileSync(file, '{"colour":"blue","serve":{"port":99999}}');
    const ran = await place.run(["config", "set", "serve.port", "8080"]);
    isOneWarning(ran);
    expect(ran.stderr).toContain("colour");
    expect(ran.stderr).not.toContain("serve.port");
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ colour: "blue", serve: { port: 8080 } });
    expect((await place.run(["config", "set", "work.taskAttempts", "5"])).code).toBe(2);
  });

  it.each(["yes", 7, null])("an off switch that says %j is off", async (off) => {
    writeFileSync(file, JSON.stringify({ off }));
    await callHooks(2);
    // Only the time since when it is off is stored.
    expect(readdirSync(place.home)).toEqual(["config.json", "off"]);
  });

  it("a list of folders keeps those that can be read", async () => {
    writeFileSync(file, '{"offWorkspaces":["/home/ada/shop",5]}');
    await callHooks(2);
    expect(await events()).toBe(0);
    writeFileSync(file, '{"offWorkspaces":"/home/ada/shop"}');
    await callHooks(2);
    expect(await events()).toBe(0);
  });
});

describe("a database that does not fit", () => {
  it("is replaced by no other: commands refuse, hooks keep what they see", async () => {
    await place.json(["status"]);
    writeFileSync(file, '{"database":"mysql://ada:hunter2@h/d"}');
    await callHooks(2);
    expect(spool().length).toBe(2);
    const ran = await place.run(["status"]);
    expect(ran.code, describeRun(ran)).toBe(2);
    expect(ran.stderr).toContain("database");
    expect(ran.stderr).toContain("[config]");
    expect(ran.stderr).not.toContain("hunter2");
    expect((await examined(1)).find((one) => one.what.includes("database must be"))?.level).toBe("problem");
    expect(JSON.stringify(await examined(1))).not.toContain("hunter2");
    await place.json(["config", "set", "database", "default"]);
    expect(await events()).toBe(2);
  });

  it("also where the environment names it", async () => {
    const env = { OLDHAND_DATABASE: "mysql://ada:hunter2@h/d" };
    expect(await place.run(["hook", "claude-code"], { stdin: payload("PostToolUse"), env })).toMatchObject(silent);
    const ran = await place.run(["status"], { env });
    expect(ran.code, describeRun(ran)).toBe(2);
    expect(ran.stderr).toContain("OLDHAND_DATABASE");
    expect(ran.stderr).not.toContain("hunter2");
    expect(await events()).toBe(1);
  });
});

/** Ways in which config.json can be unreadable. Each is created in its place. */
const unreadable: readonly (readonly [what: string, make: () => void, why: string])[] = [
  ["broken JSON", () => writeFileSync(file, "{bad json"), "it is not JSON"],
  ["half a file", () => writeFileSync(file, '{"distil":{"minCount":4},"data'), "it is not JSON"],
  ["nothing in it", () => writeFileSync(file, ""), "it is not JSON"],
  ["a list", () => writeFileSync(file, "[]"), "it is not a JSON object"],
  ["a folder", () => mkdirSync(file), "it is not a regular file"],
  ["a pipe", () => void execFileSync("mkfifo", [file]), "it is not a regular file"],
  ["a device without an end", () => symlinkSync("/dev/zero", file), "it is not a regular file"],
  ["more than anybody writes", () => writeFileSync(file, `{"a":"${"x".repeat(1_100_000)}"}`), "it is larger than"],
  ["a link to nothing", () => symlinkSync("/nowhere/config.json", file), "it is a link to a missing file"],
];

describe("a file that cannot be read", () => {
  it.each(unreadable)(
    "%s: hooks keep all they see, and it is brought in when the file is mended",
    async (_what, make, why) => {
      make();
      await callHooks(5);
      expect(lost()).toBe(0);
      expect(spool().length).toBe(5);
      expect(existsSync(join(place.home, "mind.db"))).toBe(false);
      const refused = await place.run(["status"]);
      expect(refused.code, describeRun(refused)).toBe(2);
      expect(refused.stderr).toContain(`${file} cannot be read: ${why}`);
      expect(refused.stderr).toContain("[config]");
      expect(existsSync(join(place.home, "mind.db"))).toBe(false);
      const findings = await examined(1);
      expect(findings.find((one) => one.what.includes(why))).toMatchObject({ level: "problem" });
      expect(findings.some((one) => one.what.includes("5 hook payloads wait to be stored"))).toBe(true);
      rmSync(file, { recursive: true });
      writeFileSync(file, '{"distil":{"minCount":4}}');
      expect(await events()).toBe(5);
      expect(spool()).toEqual([]);
      expect(lost()).toBe(0);
    },
  );

  it.each(unreadable)(
    "%s: what changes settings is refused, what shows them goes on with the defaults",
    async (_what, make, why) => {
      make();
      for (const words of [["config", "set", "serve.port", "1"], ["off"]]) {
        const ran = await place.run(words);
        expect(ran.code, describeRun(ran)).toBe(2);
        expect(ran.stderr).toContain(`${file} cannot be changed: ${why}`);
        expect(ran.stderr).toContain("nothing was written");
      }
      const shown = await place.run(["config", "get", "serve.port"]);
      isOneWarning(shown);
      expect(shown.stderr).toContain(why);
      expect(shown.stdout).toContain("4517");
      expect(readdirSync(place.home)).toEqual(["config.json"]);
    },
  );

  it("goes on with the defaults where no other database can be meant, and says so once", async () => {
    await place.json(["learn", "use pnpm", "--command", "npm test"]);
    writeFileSync(file, '{"distil": {"minCount": 4,}}');
    const ran = await place.run(["rules", "list"]);
    isOneWarning(ran);
    expect(ran.stderr).toContain("is ignored, it is not JSON");
    expect(ran.stdout).toContain("use pnpm");
    writeFileSync(file, '{"database": "work.db",}');
    expect((await place.run(["rules", "list"])).code).toBe(2);
  });

  it("keeps no hook from storing and no rule from denying, where it says nothing of off or a database", async () => {
    await place.json(["learn", "no force push", "--command", "git push --force", "--level", "deny"]);
    const call = payload("PreToolUse", { tool_name: "Bash", tool_input: { command: "git push --force" } });
    const before = await events();
    writeFileSync(file, '{"distil": {"minCount": 4,}}');
    await callHooks(2);
    expect((await place.run(["hook", "claude-code"], { stdin: call })).stdout).toContain('"deny"');
    expect(spool()).toEqual([]);
    expect((await examined(1)).find((one) => one.what.includes("it is not JSON"))?.hint).toContain(
      "hooks keep working",
    );
    // oldhand may be switched off in some folder, and a truncated file does not say where.
    for (const text of ['{"offWorkspaces": ["/home",]}', '{"distil": {"minCount": 4']) {
      writeFileSync(file, text);
      expect(await place.run(["hook", "claude-code"], { stdin: call })).toMatchObject(silent);
    }
    rmSync(file);
    expect(await events()).toBeGreaterThanOrEqual(before + 2);
  });

  it.each(stores)("does not matter to a command whose database is named in the environment: $name", async (kind) => {
    const { database, remove } = await kind.fresh();
    writeFileSync(file, "{");
    await callHooks(5);
    const env = { OLDHAND_DATABASE: database };
    const ran = await place.run(["status"], { env });
    isOneWarning(ran);
    // It is not known yet where oldhand is switched off.
    expect(spool().length).toBe(5);
    writeFileSync(file, "{}");
    expect(await place.json(["status"], { env })).toMatchObject({ counts: { events: 5 } });
    await remove();
  });

  it("that says off is off, whatever else is wrong with it", async () => {
    writeFileSync(file, '{"off": true, "distil": {"minCount": 4,}}');
    await callHooks(5);
    expect(readdirSync(place.home)).toEqual(["config.json", "off"]);
  });

  it("what hooks kept of a place that turns out to be switched off is not stored", async () => {
    writeFileSync(file, '{"offWorkspaces": ["/home/ada/shop"],}');
    await callHooks(5);
    await callHooks(5, { cwd: "/home/ada/other", session_id: "b3f1c2d4-0000-4000-8000-000000000002" });
    expect(spool().length).toBe(10);
    writeFileSync(file, '{"offWorkspaces": ["/home/ada/shop"]}');
    expect(await events()).toBe(5);
    expect(await place.json(["sessions", "list"])).toMatchObject({ sessions: [{ workspace: "/home/ada/other" }] });
    expect(spool()).toEqual([]);
    expect(lost()).toBe(0);
  });

  it("a hook that stays for its session keeps what it hears, too, and stores once the file is mended", async () => {
    writeFileSync(file, "{");
    const line = (id: string) => `${payload("PostToolUse", { tool_use_id: id })}\n`;
    const ran = await place.run(["hook", "claude-code", "--stream"], { stdin: `${line("a")}${line("b")}` });
    expect(ran).toMatchObject({ code: 0, stdout: "\n\n", stderr: "" });
    expect(spool().length).toBe(2);
    writeFileSync(file, "{}");
    expect(await events()).toBe(2);
  });

  it("a mark before the first character, as some editors write it, is no fault", async () => {
    writeFileSync(file, '\uFEFF{"distil":{"minCount":4}}');
    expect(await place.json(["config", "get", "distil.minCount"])).toMatchObject([{ value: 4 }]);
  });
});

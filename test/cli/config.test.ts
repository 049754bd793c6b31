import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newPlace, payload, type Place, describeRun } from "../program.ts";

let place: Place;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.remove());

interface Row {
  readonly path: string;
  readonly value: unknown;
  readonly default: unknown;
}

const chosen = () => JSON.parse(readFileSync(join(place.home, "config.json"), "utf8")) as unknown;

describe("config", () => {
  it("lists every setting with its value, its default and what it decides", async () => {
    const rows = await place.json<(Row & { summary: string })[]>(["config"]);
    expect(rows.length).toBeGreaterThan(40);
    expect(rows.every((row) => row.summary !== "")).toBe(true);
    expect(await place.json(["config", "list"])).toEqual(rows);
  });

  it("sets one, tells it, and takes the default again", async () => {
    await place.json(["config", "set", "distil.minCount", "7"]);
    expect(await place.json(["config", "get", "distil.minCount"])).toMatchObject([{ value: 7, default: 3 }]);
    expect(chosen()).toEqual({ distil: { minCount: 7 } });
    await place.json(["config", "set", "distil.minCount", "default"]);
    expect(await place.json(["config", "get", "distil.minCount"])).toMatchObject([{ value: 3 }]);
    expect(chosen()).toEqual({});
    await place.json(["config", "set", "distil.minCount", "8"]);
    const unset = await place.run(["config", "unset", "distil.minCount"]);
    expect(unset.stdout, describeRun(unset)).toMatch(/^distil\.minCount +3 [^]*undo/);
    expect(chosen()).toEqual({});
    const undone = await place.run(["undo"]);
    expect([undone.code, chosen()], describeRun(undone)).toEqual([0, { distil: { minCount: 8 } }]);
    const agent = await place.run(["config", "unset", "distil.minCount"], { env: { CLAUDECODE: "1" } });
    expect(agent.code).not.toBe(0);
    expect(chosen()).toEqual({ distil: { minCount: 8 } });
  });

  it("keeps every change of commands that run at once, and what a killed one left behind is no obstacle", async () => {
    mkdirSync(join(place.home, "config.json.lock"), { recursive: true });
    utimesSync(join(place.home, "config.json.lock"), 1, 1);
    const paths = (await place.json<Row[]>(["config"])).filter((row) => typeof row.value === "number").slice(0, 8);
    await Promise.all(paths.map((row) => place.json(["config", "set", row.path, String(row.default)])));
    expect(Object.values(chosen() as object).flatMap((group) => Object.keys(group as object))).toHaveLength(
      paths.length,
    );
    expect(readdirSync(place.home).filter((name) => name.startsWith("config.json"))).toEqual(["config.json"]);
  });

  it.each([
    ["serve.port", "70000", "from 0 to 65535"],
    ["serve.port", "-1", "from 0 to 65535"],
    ["store.hookBusyMs", "5000", "from 0 to 250"],
    ["distil.minCount", "three", "number"],
    ["distil.minCount", "", "number"],
    ["distil.minCount", "Infinity", "number"],
    ["distil.noSuch", "1", "no setting"],
    ["distil", "1", "no setting"],
    ["__proto__.x", "1", "no setting"],
    ["distil.minCount.x", "5", "no setting"],
    ["off", "maybe", "true or false"],
    ["distil.holdOut", "2", "true or false"],
    ["embedder", "openai", "minilm, none"],
    ["embedderKey", "sk-1", "OLDHAND_EMBEDDER_KEY"],
    ["database", "mysql://h/d", "postgres://"],
    ["work.taskAttempts", "60", "no setting"],
    ["offWorkspaces", "/tmp", "oldhand off --workspace"],
  ])("refuses %s = %j and says: %s", async (path, value, what) => {
    await place.json(["config", "set", "distil.minCount", "4"]);
    const ran = await place.run(["config", "set", "--", path, value]);
    expect(ran.code, describeRun(ran)).toBe(2);
    expect(ran.stderr).toContain(what);
    expect(chosen()).toEqual({ distil: { minCount: 4 } });
  });

  it("answers no to a setting that is not there", async () => {
    expect((await place.run(["config", "get", "distil.noSuch"])).code).toBe(1);
  });

  it("a flag takes true and false, and the numbers of earlier versions", async () => {
    for (const [typed, value] of [
      ["false", false],
      ["1", true],
      ["0", false],
      ["true", true],
    ] as const) {
      await place.json(["config", "set", "recall.speakAtStop", typed]);
      expect(chosen()).toEqual({ recall: { speakAtStop: value } });
      expect(await place.json(["config", "get", "recall.speakAtStop"])).toMatchObject([{ value, default: true }]);
    }
  });

  it("shows of a secret only whether it is set, and of an address no password", async () => {
    const env = {
      OLDHAND_EMBEDDER_KEY: "sk-very-secret",
      OLDHAND_DATABASE: "postgres://ada:hunter2@127.0.0.1:1/mind",
      OLDHAND_EMBEDDER: "http://127.0.0.1:1/v1#small",
    };
    const ran = await place.run(["config"], { env });
    expect(ran.stdout).not.toMatch(/sk-very-secret|hunter2/);
    expect(await place.json(["config", "get", "embedderKey"], { env })).toMatchObject([{ value: "set" }]);
    expect(await place.json(["config", "get", "embedderKey"])).toMatchObject([{ value: "not set", default: null }]);
    expect(await place.json(["config", "get", "embedder"], { env })).toMatchObject([
      { value: env.OLDHAND_EMBEDDER, default: "minilm" },
    ]);
    expect(await place.json(["config", "get", "offWorkspaces"])).toMatchObject([{ value: [] }]);
  });

  it("many at once: no writer fails, no reader sees half a file, nothing is left over", async () => {
    const settings = ["distil.minCount", "distil.minSessions", "distil.mineDays", "memory.confirm", "serve.port"];
    const ran = await Promise.all(
      settings.flatMap((path) => [place.run(["config", "set", path, "1"]), place.run(["config", "--json"])]),
    );
    for (const one of ran) expect(one.code, describeRun(one)).toBe(0);
    const rows = await place.json<Row[]>(["config"]);
    expect(rows.some((row) => settings.includes(row.path) && row.value === 1)).toBe(true);
    // The mind, which has the journal, is there too.
    expect(readdirSync(place.home).filter((name) => !/^(?:mind\.db|compiled$)/.test(name))).toEqual(["config.json"]);
  });
});

describe("the off switch", () => {
  const post = (cwd = "/home/ada/shop", env = {}) =>
    place.run(["hook", "claude-code"], {
      stdin: payload("PostToolUse", { cwd, tool_input: { command: "git status" } }),
      env,
    });
  const events = async () => (await place.json<{ counts: { events: number } }>(["status"])).counts.events;
  const silent = { code: 0, stdout: "", stderr: "" };

  it("off: nothing is stored, nothing is said, until on", async () => {
    await place.json(["learn", "use pnpm", "--command", "npm test"]);
    await place.json(["off"]);
    expect(await place.json(["status"])).toMatchObject({ off: true });
    expect(await post()).toMatchObject(silent);
    const pre = { stdin: payload("PreToolUse") };
    expect(await place.run(["hook", "claude-code"], pre)).toMatchObject(silent);
    expect(await events()).toBe(0);
    expect((await place.run(["doctor"])).stdout).toContain("oldhand is off");
    await place.json(["on"]);
    expect(await post()).toMatchObject(silent);
    expect((await place.run(["hook", "claude-code"], pre)).stdout).toContain("use pnpm");
    expect(await events()).toBe(1);
  });

  it("OLDHAND_OFF=1 does the same for one process, and leaves no trace of a home", async () => {
    expect(await post("/home/ada/shop", { OLDHAND_OFF: "1" })).toMatchObject(silent);
    expect(readdirSync(place.dir)).not.toContain("mind");
    expect(await post("/home/ada/shop", { OLDHAND_OFF: "0" })).toMatchObject(silent);
    expect(await events()).toBe(1);
  });

  it("OLDHAND_OFF=1 holds also when the settings cannot be read", async () => {
    mkdirSync(place.home);
    writeFileSync(join(place.home, "config.json"), "{");
    expect(await post("/home/ada/shop", { OLDHAND_OFF: "1" })).toMatchObject(silent);
    expect(readdirSync(place.home)).toEqual(["config.json", "off"]);
  });

  it("in one workspace only: the others go on, and so does it after on", async () => {
    const shop = join(place.dir, "shop");
    mkdirSync(join(shop, ".git"), { recursive: true });
    mkdirSync(join(shop, "src"));
    mkdirSync(join(place.dir, "shopping"));
    await place.json(["off", "--workspace", "shop"]);
    await post(join(shop, "src"));
    await post(shop);
    expect(await events()).toBe(0);
    await post(join(place.dir, "shopping"));
    expect(await events()).toBe(1);
    await place.json(["on", "--workspace", shop]);
    await place.run(["hook", "claude-code"], { stdin: payload("PostToolUse", { cwd: shop, tool_use_id: "toolu_02" }) });
    expect(await events()).toBe(2);
    expect(chosen()).toEqual({});
  });
});

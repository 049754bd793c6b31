import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DAY, iso, systemClock } from "../../src/lib/clock.ts";
import { formatProcessRef, currentProcess } from "../../src/lib/process-ref.ts";
import { openQueue } from "../../src/store/open-queue.ts";
import { acquireLease } from "../../src/store/state/leases.ts";
import { openStore } from "../../src/store/open.ts";
import { connect } from "../../src/store/sqlite/engine.ts";
import { newPlace, payload, type Place, root, sample, describeRun, wordsOnly } from "../program.ts";
import { skipWithoutSandbox } from "../converse/sandbox.ts";
import { stores } from "../stores.ts";

let place: Place;
let db: string;
beforeEach(() => {
  place = newPlace(wordsOnly);
  db = join(place.home, "mind.db");
});
afterEach(() => place.remove());

interface Suggested {
  readonly suggestions: readonly { readonly host: string; readonly trouble: string; readonly what: string }[];
}
interface Examined {
  readonly problems: number;
  readonly findings: readonly { readonly level: string; readonly what: string; readonly hint: string | null }[];
  readonly fixed?: readonly string[];
}

const suggested = async (options: { env?: Record<string, string>; cwd?: string } = {}) =>
  (await place.json<Suggested>(["suggest", "hooks"], options)).suggestions.map(
    ({ host, trouble }) => `${host}: ${trouble}`,
  );
const fixed = async (code = 0) => (await place.json<Examined>(["doctor", "--fix"], { code })).fixed ?? [];
const settings = (host: string, name = "settings.json") => join(place.user, host, name);

function write(path: string, value: unknown): void {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
}

function pretendClaude(): Record<string, string> {
  const bin = join(place.dir, "bin");
  write(join(bin, "claude"), '#!/bin/sh\necho "2.1.325 (Claude Code)"\n');
  chmodSync(join(bin, "claude"), 0o755);
  return { PATH: `${bin}:${process.env["PATH"] ?? ""}` };
}

/** Installs hooks from another copy of oldhand, as before a move or an upgrade. */
async function installFromElsewhere(...names: string[]): Promise<string> {
  const other = join(place.dir, "older", "oldhand");
  mkdirSync(other, { recursive: true });
  cpSync(join(root, "dist"), join(other, "dist"), { recursive: true });
  cpSync(join(root, "package.json"), join(other, "package.json"));
  const { exec, cleanEnv } = await import("../program.ts");
  const env = { ...cleanEnv(place.user), OLDHAND_HOME: place.home };
  const ran = await exec(process.execPath, [join(other, "dist", "oldhand.cjs"), "install", ...names], { env });
  expect(readdirSync(place.home), describeRun(ran)).toContain("installed.json");
  return other;
}

/** A connection that allows breaking what SQLite normally protects. */
function bareConnection() {
  const connection = connect(db) as ReturnType<typeof connect> & { enableDefensive?(on: boolean): void };
  connection.enableDefensive?.(false);
  return connection;
}

describe("suggest hooks", () => {
  it("has nothing to say where no host is, and says what is missing where one is", async () => {
    expect(await suggested()).toEqual([]);
    for (const folder of [".claude", ".gemini"]) mkdirSync(join(place.user, folder));
    expect(await suggested()).toEqual(["claude-code: missing", "gemini: missing"]);
    expect((await place.run(["suggest", "hooks", "--host", "gemini"])).stdout).toContain("oldhand install gemini");
  });

  it("tells hooks that never fired, also when events of their host were imported, and silence once they did", async () => {
    await place.json(["install", "gemini", "claude-code"]);
    await place.json(["import", sample]);
    expect(await suggested()).toEqual(["claude-code: never fired", "gemini: never fired"]);
    await place.run(["hook", "claude-code"], { stdin: payload("PostToolUse") });
    expect(await suggested()).toEqual(["gemini: never fired"]);
    const later = iso(systemClock.now() + 8 * DAY);
    expect((await place.run(["suggest", "hooks", "--now", later])).stdout).toContain("for more than 7 days");
    await place.json(["config", "set", "observe.silentDays", "30"]);
    expect((await place.run(["suggest", "hooks", "--now", later])).stdout).not.toContain("silent");
  });

  it("tells hooks that point to a program which is gone", async () => {
    const other = await installFromElsewhere("codex", "opencode", "cline");
    const stale = (await suggested()).filter((one) => one.endsWith("stale"));
    expect(stale).toEqual(["codex: stale", "opencode: stale", "cline: stale"]);
    rmSync(other, { recursive: true });
    const ran = await place.run(["doctor"]);
    expect(ran.code).toBe(1);
    for (const title of ["Codex", "opencode", "Cline CLI"])
      expect(ran.stdout).toContain(
        `${title}: its hooks point to ${join(other, "dist", "oldhand.cjs")}, which no longer exists`,
      );
  });

  it.each([
    ["all hooks are off", { disableAllHooks: true }, "disableAllHooks is true"],
    [
      "a hook of a kind that no version knows",
      { hooks: { Stop: [{ hooks: [{ type: "webhook", url: "http://127.0.0.1" }] }] } },
      "ignores the whole file",
    ],
  ])("tells what shadows Claude Code's: %s", async (_what, over, words) => {
    const file = settings(".claude");
    await place.json(["install", "claude-code"]);
    const now = JSON.parse(readFileSync(file, "utf8")) as { hooks: object };
    const added = over as { hooks?: object };
    write(file, { ...now, ...added, hooks: { ...added.hooks, ...now.hooks, ...added.hooks } });
    const ran = await place.run(["suggest", "hooks"]);
    expect(ran.stdout).toContain(`shadowed: Claude Code: `);
    expect(ran.stdout).toContain(words);
  });

  it("tells a plugin that a repository's own settings switch off, there and nowhere else", async () => {
    const env = pretendClaude();
    await place.json(["install", "claude-code"], { env });
    const shop = join(place.dir, "shop");
    mkdirSync(join(shop, ".git"), { recursive: true });
    mkdirSync(join(shop, "src"));
    write(join(shop, ".claude", "settings.local.json"), { enabledPlugins: { "oldhand@oldhand": false } });
    expect(await suggested({ env, cwd: join(shop, "src") })).toEqual([
      "claude-code: never fired",
      "claude-code: shadowed",
    ]);
    expect(await suggested({ env })).toEqual(["claude-code: never fired"]);
  });

  it("one host's settings that cannot be read do not hide the others", async () => {
    write(settings(".claude"), "{ not json");
    write(settings(".gemini"), { hooksConfig: { enabled: false } });
    write(join(place.user, ".codex", "config.toml"), "[features]\nhooks = false\n");
    await place.run(["install", "gemini", "codex"]);
    expect(await suggested()).toEqual([
      "claude-code: missing",
      "codex: never fired",
      "codex: shadowed",
      "codex: untrusted",
      "gemini: never fired",
      "gemini: shadowed",
    ]);
    const ran = await place.run(["doctor"]);
    expect(ran.stdout).toContain("hooksConfig.enabled is false");
    expect(ran.stdout).toContain("is not a JSON object, so Claude Code does not read it either");
  });

  it("refuses a host nobody knows", async () => {
    expect((await place.run(["suggest", "hooks", "--host", "netscape"])).code).toBe(2);
  });
});

describe("doctor on when a host was heard of", () => {
  it("says so only where a hook fired, not where all was imported", async () => {
    await place.json(["import", sample]);
    const imported = (await place.run(["doctor"])).stdout;
    expect(imported).toContain("✓ the newest stored event of claude-code is from ");
    expect(imported).not.toContain("was last heard at");
    await place.run(["hook", "claude-code"], { stdin: payload("PostToolUse") });
    expect((await place.run(["doctor"])).stdout).toContain("✓ claude-code was last heard at ");
  });
});

describe("doctor --fix", () => {
  it("has nothing to mend in a sound home", async () => {
    await place.json(["import", sample]);
    expect(await fixed()).toEqual([]);
    expect((await place.run(["doctor", "--fix"])).stdout).toContain("→ there was nothing to fix\n");
  });

  it("writes stale wiring anew, after a copy, and sees an event arrive; uninstall still leads back to the byte", async () => {
    const theirs = '{"hooks":{"AfterTool":[{"hooks":[{"type":"command","command":"say done"}]}]}}';
    write(settings(".gemini"), theirs);
    const other = await installFromElsewhere("gemini", "pi");
    const before = readFileSync(settings(".gemini"), "utf8");
    rmSync(other, { recursive: true });
    const done = await fixed();
    expect(done.join("\n")).toContain("Gemini CLI: an event arrived");
    expect(done.join("\n")).toContain("pi: an event arrived");
    const [copies = ""] = readdirSync(join(place.home, "backups", "wiring"));
    expect(readFileSync(join(place.home, "backups", "wiring", copies, "gemini-settings.json"), "utf8")).toBe(before);
    expect((await suggested()).filter((one) => one.endsWith("stale"))).toEqual([]);
    expect(await fixed()).toEqual([]);
    await place.json(["uninstall"]);
    expect(readFileSync(settings(".gemini"), "utf8")).toBe(theirs);
    expect(existsSync(join(place.user, ".pi"))).toBe(false);
  });

  it("mends the wiring of one repository in that repository", async () => {
    const shop = join(place.dir, "shop");
    mkdirSync(shop);
    await place.json(["install", "qwen", "--project", shop]);
    const file = join(shop, ".qwen", "settings.json");
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(join(root, "dist"), "/nowhere/oldhand"));
    expect((await place.run(["doctor"])).stdout).toContain(`(in ${shop})`);
    await fixed();
    expect(readFileSync(file, "utf8")).toContain(join(root, "dist"));
    expect(existsSync(join(place.user, ".qwen"))).toBe(false);
  });

  it("neither installs what nobody asked for nor switches on what somebody switched off", async () => {
    const env = pretendClaude();
    mkdirSync(join(place.user, ".codex"));
    await place.json(["install", "claude-code"], { env });
    const now = JSON.parse(readFileSync(settings(".claude"), "utf8")) as object;
    write(settings(".claude"), { ...now, enabledPlugins: { "oldhand@oldhand": false } });
    const ran = await place.run(["doctor", "--fix"], { env });
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain("the plugin oldhand@oldhand is disabled");
    expect(readFileSync(settings(".claude"), "utf8")).toContain('"oldhand@oldhand":false');
    expect(readdirSync(join(place.user, ".codex"))).toEqual([]);
  });

  it("makes a word index anew that was emptied behind its back", async () => {
    await place.json(["import", sample]);
    const hits = await place.json<unknown[]>(["sessions", "search", "docker"]);
    expect(hits.length).toBeGreaterThan(0);
    const connection = bareConnection();
    connection.exec("delete from words_data");
    connection.close();
    const sick = await place.run(["doctor"]);
    expect(sick.code, describeRun(sick)).toBe(1);
    expect(sick.stdout).toContain("doctor --fix");
    const search = await place.run(["sessions", "search", "docker"]);
    expect(search.stderr).not.toContain("this is a bug");
    expect((await fixed()).join()).toContain("rebuilt the word index");
    expect(await place.json(["sessions", "search", "docker"])).toEqual(hits);
    const schema = connect(db).prepare("select sql from sqlite_master where name = 'words'").get() as { sql: string };
    const fresh = newPlace();
    await fresh.json(["status"]);
    const wanted = connect(join(fresh.home, "mind.db"))
      .prepare("select sql from sqlite_master where name = 'words'")
      .get() as { sql: string };
    expect(schema.sql.replaceAll(/\s+/g, " ")).toBe(wanted.sql.replaceAll(/\s+/g, " "));
    fresh.remove();
  });

  it("says what to do about a word index that cannot even be taken away", async () => {
    await place.json(["import", sample]);
    const connection = bareConnection();
    connection.exec("drop table words_config");
    connection.close();
    const ran = await place.run(["doctor", "--fix"]);
    expect(ran.code, describeRun(ran)).toBe(1);
    expect(ran.stdout).toContain("could not fix: the word index is too damaged");
    const kept = join(place.dir, "kept");
    await place.json(["backup", kept]);
    for (const end of ["", "-wal", "-shm"]) rmSync(`${db}${end}`, { force: true });
    await place.json(["restore", kept, "--write"]);
    expect((await place.json<unknown[]>(["sessions", "search", "docker"])).length).toBeGreaterThan(0);
  });

  it.each(stores)(
    "is not needed for a word index that was dropped: whoever searches makes it again: $name",
    async (kind) => {
      const { database, remove } = await kind.fresh();
      const env = { OLDHAND_DATABASE: database };
      await place.json(["import", sample], { env });
      const hits = await place.json<unknown[]>(["sessions", "search", "docker"], { env });
      const store = await openStore({ database, busyMs: 1_000 });
      await store.db.run("drop table words");
      await store.close();
      expect(await place.json(["sessions", "search", "docker"], { env })).toEqual(hits);
      const { fixed: done } = await place.json<Examined>(["doctor", "--fix"], { env });
      expect(done).toEqual([]);
      await remove();
    },
  );

  it("makes rows of sessions anew from their events", async () => {
    await place.json(["import", sample]);
    const before = await place.json(["sessions", "list"]);
    const connection = connect(db);
    connection.exec("delete from sessions");
    connection.close();
    expect((await place.run(["doctor"])).code).toBe(1);
    expect((await fixed()).join()).toMatch(/rebuilt the rows of \d+ sessions/);
    expect(await place.json(["sessions", "list"])).toEqual(before);
  });

  it("makes indexes anew that do not fit their table", async () => {
    await place.json(["import", sample]);
    const connection = bareConnection();
    const name = (
      connection
        .prepare("select name from sqlite_master where type = 'index' and tbl_name = 'events' and sql is not null")
        .get() as { name: string }
    ).name;
    // Hide the index, insert rows and restore it: the rows are in the table and not in the index.
    connection.exec(
      `pragma writable_schema = on; create table kept as select * from sqlite_master where name = '${name}'; delete from sqlite_master where name = '${name}'; pragma writable_schema = reset`,
    );
    connection.close();
    const blind = bareConnection();
    blind.exec(
      "insert into events (host, session, uid, at, kind, benign, signature, outcome) select host, session, uid || 'x', at, kind, benign, signature, outcome from events limit 3",
    );
    blind.exec(
      "pragma writable_schema = on; insert into sqlite_master select * from kept; drop table kept; pragma writable_schema = reset",
    );
    blind.close();
    const sick = await place.run(["doctor"]);
    expect(sick.stdout, describeRun(sick)).toContain("doctor --fix rebuilds the indexes");
    expect((await fixed()).join()).toContain("rebuilt the indexes");
    expect((await place.run(["doctor"])).code).toBe(0);
  });

  it("lets go of what dead processes hold, and of nothing else", async () => {
    await place.json(["status"]);
    const store = await openStore({ database: db, busyMs: 1_000 });
    const now = systemClock.now();
    const dead = formatProcessRef({ ...currentProcess(), pid: 2 ** 22 + 1, born: "1" });
    const alive = formatProcessRef(currentProcess());
    const queue = await openQueue(store, { queues: ["gone", "here"], clock: systemClock });
    for (const [name, owner] of [
      ["gone", dead],
      ["here", alive],
    ] as const) {
      await acquireLease(store.db, name, { owner, now, ttlMs: DAY });
      await store.db.tx((tx) => queue.enqueue(tx, { queue: name, item: "1", attempt: 1 }));
      await queue.claim(name, { id: owner, leaseMs: DAY });
    }
    expect(await fixed()).toEqual(["released 1 expired lease", "put 1 piece of work back whose worker is gone"]);
    expect(await store.db.all("select name from leases")).toEqual([{ name: "here" }]);
    expect(await queue.counts("gone")).toMatchObject({ waiting: 1, held: 0 });
    expect(await queue.counts("here")).toMatchObject({ waiting: 0, held: 1 });
    await store.close();
  });

  it("brings in what waits, closes the home to others, and removes what was never finished", async () => {
    const down = { OLDHAND_DATABASE: "postgres://nobody:pw@127.0.0.1:1/mind" };
    await place.run(["hook", "claude-code"], { stdin: payload("PostToolUse"), env: down });
    chmodSync(place.home, 0o755);
    write(join(place.home, "config.json.12345.new"), "{");
    expect(await fixed()).toEqual([
      `removed other users' access to ${place.home}`,
      "removed the unfinished file config.json.12345.new",
      "stored 1 hook payload from the spool",
    ]);
    expect(statSync(place.home).mode & 0o777).toBe(0o700);
    expect(await place.json(["status"])).toMatchObject({ counts: { events: 1 } });
  });

  it("removes the empty folders that a sandbox of a killed process left, and nothing else", async () => {
    await place.run(["init"]);
    const [left, used] = [join(place.dir, ".claude"), join(place.dir, ".codex")];
    for (const folder of [left, used]) mkdirSync(folder, { recursive: true });
    write(join(used, "mine"), "x");
    const by = formatProcessRef({ ...currentProcess(), pid: 2 ** 22 + 1 });
    write(join(place.home, "sandbox", "a.json"), { workspace: place.dir, folders: [left, used], by });
    const { findings } = await place.json<Examined>(["doctor"]);
    expect(findings.map(({ what }) => what)).toContainEqual(
      expect.stringContaining(`1 empty folder of a sandbox is left`),
    );
    expect(await fixed()).toContainEqual(`removed 1 empty folder that a killed command left: ${left}`);
    expect([existsSync(left), existsSync(used)]).toEqual([false, true]);
  });

  it("says what it cannot mend, and what to do", async () => {
    await place.json(["import", sample], { alone: true });
    writeFileSync(db, "these are not the bytes you are looking for ".repeat(500));
    const ran = await place.run(["doctor", "--fix"]);
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain("→ could not fix: the mind at");
    expect(ran.stdout).toContain("oldhand restore FILE");
    expect(readFileSync(db, "utf8")).toContain("not the bytes");
  });
});

describe("droid's hooks among its settings", () => {
  it("are joined by ours there: a file of hooks beside them would stop them", async () => {
    const theirs = { model: "opus", hooks: { Stop: [{ hooks: [{ type: "command", command: "say done" }] }] } };
    write(settings(".factory"), theirs);
    await place.json(["install", "droid"]);
    expect(existsSync(settings(".factory", "hooks.json"))).toBe(false);
    expect(readFileSync(settings(".factory"), "utf8")).toContain("hook droid");
    expect((await place.run(["install", "droid"])).stdout).toContain("Everything is already in place.");
    await place.json(["uninstall"]);
    expect(readFileSync(settings(".factory"), "utf8")).toBe(JSON.stringify(theirs));
  });
});

describe("the sandbox in oldhand doctor", () => {
  const examine = async (env: Record<string, string>) => {
    const { findings } = await place.json<Examined>(["doctor"], { env, alone: true });
    return findings.find(({ what }) => what.includes("sandbox"));
  };
  const binaries = (files: Readonly<Record<string, string>>) => {
    const folder = join(place.dir, "bin");
    mkdirSync(folder);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o755 });
    return folder;
  };

  it.skipIf(skipWithoutSandbox)("is tried with a harmless command", async () => {
    await place.json(["import", sample]);
    expect(await examine({})).toEqual({
      level: "ok",
      what: "sandbox bubblewrap: a command in it wrote in its workspace only, does not see oldhand's files, and has no network",
      hint: null,
    });
  });

  it.runIf(process.platform === "linux")("is missed by name, with what that means and how to get it", async () => {
    const found = await examine({ PATH: binaries({}) });
    expect(found).toMatchObject({ level: "note", what: "there is no sandbox: bwrap is not installed" });
    expect(found?.hint).toContain("are off in the mode unattended");
    expect(found?.hint).toContain("apt install bubblewrap");
  });

  it.runIf(process.platform === "linux")("is explained if the system forbids it", async () => {
    const bwrap = "#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n";
    const found = await examine({ PATH: binaries({ bwrap }) });
    expect(found).toMatchObject({
      level: "note",
      what: expect.stringContaining("setting up uid map: Permission denied"),
    });
    expect(found?.hint).toContain("user namespaces");
  });

  it.runIf(process.platform === "linux")("is a problem if it guards nothing", async () => {
    await place.json(["import", sample]);
    const bwrap = '#!/bin/sh\nwhile [ "$1" != "--" ]; do shift; done\nshift\nexec "$@"\n';
    const env = { PATH: `${binaries({ bwrap })}:/usr/bin:/bin` };
    const found = (await place.json<Examined>(["doctor"], { env, code: 1, alone: true })).findings.find(
      ({ level }) => level === "problem",
    );
    expect(found?.what).toBe(
      "a command in the sandbox (bubblewrap) writes outside the workspace, and sees oldhand's own files, and has the network",
    );
  });
});

import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { connect } from "../../src/store/sqlite/engine.ts";
import { cleanEnv, exec, newPlace, payload, type Place, program, type Ran, sample, describeRun } from "../program.ts";
import { stores } from "../stores.ts";

let place: Place;
let db: string;
beforeEach(async () => {
  place = newPlace();
  db = join(place.home, "mind.db");
  mkdirSync(place.home, { mode: 0o700 });
  // A command waits ten seconds for another writer by default; one is enough here.
  writeFileSync(join(place.home, "config.json"), '{"store":{"busySeconds":1}}', { mode: 0o600 });
});
afterEach(() => place.remove());

const silent = { code: 0, stdout: "", stderr: "" };
const people = [["status"], ["rules", "list"], ["import", sample, "--no-rules"]];

function isClear(ran: Ran, code: string, exit = 2): void {
  expect(ran.code, describeRun(ran)).toBe(exit);
  expect(ran.stderr).toMatch(new RegExp(`^oldhand: .+ \\[${code}\\]\\n  .+\\n$`));
  expect(ran.stderr).not.toMatch(/\n\s+at /);
  expect(ran.stdout).toBe("");
}

/** Runs both hooks of a call: neither prints anything, whatever is broken. */
async function callHooks(env: Readonly<Record<string, string>> = {}): Promise<void> {
  const pre = await place.run(["hook", "claude-code"], { stdin: payload("PreToolUse"), env });
  expect(pre).toMatchObject(silent);
  const post = await place.run(["hook", "claude-code"], { stdin: payload("PostToolUseFailure"), env });
  expect(post).toMatchObject(silent);
  process.stdout.write(`  (hook: ${pre.ms} and ${post.ms} ms)\n`);
}

const spool = () => (existsSync(join(place.home, "spool")) ? readdirSync(join(place.home, "spool")) : []);
const lost = () => (existsSync(join(place.home, "lost")) ? statSync(join(place.home, "lost")).size : 0);
const counts = async (env: Readonly<Record<string, string>> = {}) =>
  (await place.json<{ counts: { events: number; rules: number } }>(["status"], { env })).counts;

describe("a payload that cannot be understood", () => {
  it.each([
    ["nothing at all", "", 0],
    ["only spaces", " \n", 1],
    ["half a document", payload("PostToolUse").slice(0, 120), 1],
    ["no JSON", "<html>502 Bad Gateway</html>", 1],
    ["bytes that are no text", Buffer.from([0xff, 0xfe, 0xfd, 0x00, 0x80]), 1],
    ["a document of another kind", "[1,2,3]", 0],
    ["an event nobody knows", payload("PostToolUse", { hook_event_name: "FutureEvent" }), 0],
    ["no session", payload("PostToolUse", { session_id: null }), 0],
    ["fields of the wrong type", payload("PostToolUse", { cwd: 5, tool_name: {}, tool_input: 7, tool_use_id: [] }), 0],
  ])("%s: silence, and what is lost is counted", async (_what, stdin, gone) => {
    expect(await place.run(["hook", "claude-code"], { stdin })).toMatchObject(silent);
    expect(lost()).toBe(gone);
    expect(await counts()).toMatchObject({ events: 0 });
    const doctor = await place.run(["doctor"]);
    expect(doctor.stdout.includes("could not be stored or spooled and are lost")).toBe(gone > 0);
  });

  it("an unknown host, or none: silence", async () => {
    expect(await place.run(["hook", "netscape"], { stdin: payload("PostToolUse") })).toMatchObject(silent);
    expect(await place.run(["hook"], { stdin: payload("PostToolUse") })).toMatchObject(silent);
  });

  it("bytes that are no text inside a good payload: the rest is stored", async () => {
    const [before = "", after = ""] = payload("PostToolUse", { tool_input: { command: "echo @@" } }).split("@@");
    const stdin = Buffer.concat([Buffer.from(before), Buffer.from([0xc3, 0x28, 0xff]), Buffer.from(after)]);
    expect(await place.run(["hook", "claude-code"], { stdin })).toMatchObject(silent);
    expect(await counts()).toMatchObject({ events: 1 });
  });

  it("a NUL and half a surrogate pair: stored, on both stores", async () => {
    for (const kind of stores) {
      const { database, remove } = await kind.fresh();
      const env = { OLDHAND_DATABASE: database };
      const stdin = payload("PostToolUse", { session_id: "s\u0000\ud800", tool_input: { command: "a\u0000b\udfff" } });
      expect(await place.run(["hook", "claude-code"], { stdin, env })).toMatchObject(silent);
      expect(await counts(env)).toMatchObject({ events: 1 });
      expect(spool()).toEqual([]);
      await remove();
    }
  });

  it("50 MB: stored cut short when the limit allows it, counted as lost when not", async () => {
    const big = payload("PostToolUse", {
      tool_name: "Read",
      tool_input: { file_path: "/home/ada/shop/big.log" },
      tool_response: { file: { content: "all work and no play makes a dull log line\n".repeat(1_200_000) } },
    });
    expect(big.length).toBeGreaterThan(50_000_000);
    const under = await place.run(["hook", "claude-code"], { stdin: big });
    expect(under).toMatchObject(silent);
    expect(await counts()).toMatchObject({ events: 1 });
    expect(statSync(db).size).toBeLessThan(2_000_000);
    await place.json(["config", "set", "observe.payloadBytes", "1000000"]);
    const over = await place.run(["hook", "claude-code"], { stdin: big.replace("toolu_01A", "toolu_01B") });
    expect(over).toMatchObject(silent);
    expect(await counts()).toMatchObject({ events: 1 });
    expect(lost()).toBe(1);
    process.stdout.write(`  (hook with 50 MB: ${under.ms} ms; over the limit: ${over.ms} ms)\n`);
  });
});

describe("a file that cannot be imported", () => {
  const file = (name: string, content: string | Buffer) => {
    writeFileSync(join(place.dir, name), content);
    return join(place.dir, name);
  };

  it.each([
    ["empty", ""],
    ["broken JSON", '{"session": "a", "seq": 0, "tool"'],
    ["no text", Buffer.from([0xff, 0xfe, 0x80, 0x0a, 0x00])],
    ["another format", '{"hello":"world"}\n'],
    ["a gzip that is none", Buffer.from([0x1f, 0x8b, 0x01, 0x02, 0x03])],
  ])("%s: is named, and nothing is stored", async (_what, content) => {
    isClear(await place.run(["import", file("it.jsonl", content)]), "input");
    expect(await counts()).toMatchObject({ events: 0 });
  });

  it("a folder: is named", async () => {
    isClear(await place.run(["import", place.dir]), "input");
    isClear(await place.run(["import", place.dir, "--from", "neutral"]), "input");
  });

  it("broken lines among good ones: the good ones are stored, the others counted", async () => {
    const lines = readFileSync(sample, "utf8").trimEnd().split("\n");
    const mixed = ["{", ...lines.slice(0, 5), "null", '{"session":1}', "\u0000", ...lines.slice(5), '"end'].join("\n");
    const result = await place.json(["import", file("mixed.jsonl", mixed), "--from", "neutral"]);
    expect(result).toMatchObject({ events: 71, skipped: 5 });
  });

  it("cut short in the middle: what came before is stored, and the same command goes on from there", async () => {
    const whole = gzipSync(readFileSync(sample));
    isClear(await place.run(["import", file("cut.jsonl.gz", whole.subarray(0, -40)), "--from", "neutral"]), "input");
    const { events } = await counts();
    expect(events).toBeGreaterThan(10);
    expect(await place.json(["import", file("cut.jsonl.gz", whole)])).toMatchObject({
      events: 71 - events,
      skipped: events,
    });
  });

  it("times that no calendar has: skipped, and every listing still works", async () => {
    const [line = ""] = readFileSync(sample, "utf8").split("\n");
    const strange = [1e18, -1e300, "soon", null, {}].map((ts, seq) => JSON.stringify({ ...JSON.parse(line), ts, seq }));
    const result = await place.json(["import", file("times.jsonl", strange.join("\n")), "--from", "neutral"]);
    expect(result).toMatchObject({ events: 0, skipped: 5 });
    await place.json(["sessions", "list"]);
    expect((await place.run(["doctor"])).code).toBe(0);
  });

  it("a line of 50 MB: stored cut short", async () => {
    const [line = ""] = readFileSync(sample, "utf8").split("\n");
    const big = JSON.stringify({ ...JSON.parse(line), error_text: "x y ".repeat(12_500_000), ok: false });
    expect(await place.json(["import", file("big.jsonl", big)])).toMatchObject({ events: 1 });
    expect(statSync(db).size).toBeLessThan(2_000_000);
  });
});

describe("a mind that cannot be used", () => {
  /**
   * Breaks the mind, runs hooks and commands, repairs it. Everything stored before and seen in between must be there.
   */
  async function survives(
    code: string,
    breakIt: () => void | Promise<void>,
    mend: () => void | Promise<void>,
  ): Promise<void> {
    await breakIt();
    const bytes = existsSync(db) && statSync(db).isFile() ? readFileSync(db) : null;
    for (const words of people) isClear(await place.run(words), code);
    const asDocument = await place.run(["status", "--json"]);
    expect(JSON.parse(asDocument.stdout)).toMatchObject({ error: { code, hint: expect.any(String) } });
    await callHooks();
    expect(spool()).toHaveLength(1);
    if (bytes) expect(readFileSync(db).equals(bytes)).toBe(true);
    const doctor = await place.run(["doctor"]);
    expect(doctor.code, describeRun(doctor)).toBe(1);
    expect(doctor.stdout).toContain("1 hook payload waits");
    await mend();
    expect(await counts()).toMatchObject({ events: 72, rules: 1 });
    expect(spool()).toEqual([]);
    expect(lost()).toBe(0);
  }

  /** Stores 71 events and a rule, all in the one database file. */
  async function fill(): Promise<Buffer> {
    await place.json(["import", sample, "--no-rules"]);
    await place.json(["learn", "use pnpm", "--command", "npm run nothing"]);
    const connection = connect(db);
    connection.exec("pragma wal_checkpoint(truncate)");
    connection.close();
    return readFileSync(db);
  }

  it("a folder in its place", async () => {
    const good = await fill();
    const { rmSync } = await import("node:fs");
    await survives(
      "config",
      () => {
        rmSync(db);
        mkdirSync(db);
      },
      () => {
        rmSync(db, { recursive: true });
        writeFileSync(db, good);
      },
    );
  });

  it("garbage in its place", async () => {
    const good = await fill();
    await survives(
      "store-corrupt",
      () => writeFileSync(db, Buffer.alloc(50_000, "these are not the bytes you are looking for ")),
      () => writeFileSync(db, good),
    );
  });

  it("a header of zeros", async () => {
    const good = await fill();
    await survives(
      "store-corrupt",
      () => writeFileSync(db, Buffer.concat([Buffer.alloc(100, 0xaa), good.subarray(100)])),
      () => writeFileSync(db, good),
    );
  });

  it("written by an oldhand of the future", async () => {
    await fill();
    const setVersion = (version: number) => {
      const connection = connect(db);
      connection.exec(`pragma user_version = ${version}; pragma wal_checkpoint(truncate)`);
      connection.close();
    };
    const known = Number(new Uint8Array(readFileSync(db).subarray(60, 64))[3]);
    await survives(
      "store-newer",
      () => setVersion(999),
      () => setVersion(known),
    );
  });

  it("somebody else's database", async () => {
    const good = await fill();
    const { rmSync } = await import("node:fs");
    await survives(
      "config",
      () => {
        rmSync(db);
        const connection = connect(db);
        connection.exec("create table bookmarks (url text); insert into bookmarks values ('http://localhost')");
        connection.close();
      },
      () => writeFileSync(db, good),
    );
  });

  it("locked by another process", async () => {
    await fill();
    // In a separate process: a lock of this process would still be held in later steps of the test.
    const holder = exec(
      process.execPath,
      [
        "-e",
        `let S; try { S = require("node:sqlite") } catch { S = require("@photostructure/sqlite") }
         const c = new S.DatabaseSync(${JSON.stringify(db)});
         c.exec("pragma locking_mode = exclusive; begin exclusive; insert into meta values ('held', '1')");
         require("node:fs").writeFileSync(${JSON.stringify(join(place.dir, "held"))}, "");
         const timer = setInterval(() => { if (require("node:fs").existsSync(${JSON.stringify(join(place.dir, "release"))})) { clearInterval(timer); c.exec("rollback"); c.close(); } }, 20);`,
      ],
      { env: { ...cleanEnv(place.user), NODE_NO_WARNINGS: "1" }, cwd: join(program, "../..") },
    );
    const until = async (file: string) => {
      while (!existsSync(join(place.dir, file))) await new Promise((resolve) => setTimeout(resolve, 10));
    };
    await survives(
      "store-locked",
      () => until("held"),
      async () => {
        writeFileSync(join(place.dir, "release"), "");
        expect(await holder).toMatchObject({ code: 0, stderr: "" });
      },
    );
  });

  it("truncated: said so where it is met, left as it is, and hooks keep working", async () => {
    const good = await fill();
    truncateSync(db, Math.floor(good.length / 2 / 4096) * 4096);
    const bytes = readFileSync(db);
    const ran = await place.run(["sessions", "search", "docker"]);
    isClear(ran, "store-corrupt");
    await callHooks();
    const doctor = await place.run(["doctor"]);
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toContain("damaged");
    expect(readFileSync(db).subarray(0, 100).equals(bytes.subarray(0, 100)) || spool().length === 1).toBe(true);
    const waiting = spool().map((name) => readFileSync(join(place.home, "spool", name), "utf8"));
    expect(waiting.join("")).toContain("toolu_01A");
  });

  it("a damaged page in the middle: said so, never a stack, and nothing of it is thrown away", async () => {
    await fill();
    const extra = Array.from({ length: 400 }, (_, seq) =>
      JSON.stringify({
        session: "long",
        seq,
        agent: "codex",
        ts: "2026-01-11T00:00:00Z",
        cwd: null,
        tool: "Bash",
        input: { command: `echo ${seq} ${"pad ".repeat(200)}` },
        ok: true,
        out_head: "",
      }),
    );
    writeFileSync(join(place.dir, "more.jsonl"), extra.join("\n"));
    await place.json(["import", join(place.dir, "more.jsonl")]);
    const connection = connect(db);
    connection.exec("pragma wal_checkpoint(truncate)");
    connection.close();
    const size = statSync(db).size;
    const file = openSync(db, "r+");
    writeSync(file, Buffer.alloc(4096, 0x5a), 0, 4096, Math.floor((size * 0.8) / 4096) * 4096);
    closeSync(file);
    const all = [];
    for (const words of [["status"], ["sessions", "show", "long", "--limit", "1000"], ["report"], ["rules"]]) {
      const ran = await place.run(words);
      all.push(ran);
      if (ran.code !== 0) isClear(ran, "store-corrupt");
    }
    expect(all.some((ran) => ran.code === 2)).toBe(true);
    await callHooks();
    const doctor = await place.run(["doctor"]);
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toContain("damaged");
    expect(statSync(db).size).toBeGreaterThanOrEqual(size);
  });

  it("a clock that jumps back: the order of changes holds, and undo works", async () => {
    const made = await place.json<{ rule: { id: string }; change: { id: number } }>([
      "learn",
      "a",
      "--now",
      "2030-01-01T00:00:00Z",
    ]);
    const edited = await place.json<{ change: { id: number; at: string } }>([
      "rules",
      "edit",
      made.rule.id,
      "--text",
      "b",
      "--now",
      "2020-01-01T00:00:00Z",
    ]);
    expect(edited.change.id).toBe(made.change.id + 1);
    expect(edited.change.at >= "2030-01-01").toBe(true);
    await place.json(["undo", String(edited.change.id), "--now", "2010-01-01T00:00:00Z"]);
    expect(await place.json(["rules", "show", made.rule.id, "--now", "2000-01-01T00:00:00Z"])).toMatchObject({
      text: "a",
    });
    expect((await place.run(["doctor"])).code).toBe(0);
    await callHooks();
    expect((await place.run(["sessions", "list", "--now", "2000-01-01T00:00:00Z"])).code).toBe(0);
    expect((await place.run(["distil", "--now", "2000-01-01T00:00:00Z"])).code).toBe(0);
  });
});

describe("the spool", () => {
  const event = (over: object) =>
    `${JSON.stringify({ host: "claude-code", session: "s", uid: "u1", seq: null, at: 1, kind: "call", workspace: null, cwd: null, tool: "Bash", head: null, input: null, ok: true, outcome: "ok", benign: false, exitCode: null, error: null, signature: null, text: null, model: null, agent: null, durationMs: null, ...over })}\n`;

  it("lines that were cut or that no one understands are counted, and hold up none of the others", async () => {
    mkdirSync(join(place.home, "spool"), { recursive: true });
    const file = join(place.home, "spool", "1.jsonl");
    appendFileSync(file, event({}));
    appendFileSync(file, event({ uid: "u2", kind: undefined }));
    appendFileSync(file, event({ uid: "u3", text: { deep: true } }));
    appendFileSync(file, event({ uid: "u4" }));
    appendFileSync(file, event({ uid: "u5" }).slice(0, 60));
    expect(await counts()).toMatchObject({ events: 2 });
    expect(lost()).toBe(3);
    expect(spool()).toEqual([]);
  });

  it("what a killed process had taken is taken over, and many at once store each event once", async () => {
    mkdirSync(join(place.home, "spool"), { recursive: true });
    for (let i = 0; i < 40; i++)
      writeFileSync(join(place.home, "spool", `${i}.jsonl${i % 2 ? ".99999.taken" : ""}`), event({ uid: `u${i}` }));
    const ran = await Promise.all(Array.from({ length: 6 }, () => place.run(["status"])));
    for (const one of ran) expect(one.code, describeRun(one)).toBe(0);
    expect(await counts()).toMatchObject({ events: 40 });
    expect(spool()).toEqual([]);
    expect(lost()).toBe(0);
  });

  it("thirty hooks that spool while others drain: each event arrives once", async () => {
    const down = { OLDHAND_DATABASE: "postgres://nobody:pw@127.0.0.1:1/mind" };
    const hook = (i: number) =>
      place.run(["hook", "claude-code"], { stdin: payload("PostToolUse", { tool_use_id: `toolu_${i}` }), env: down });
    for (let round = 0; round < 3; round++) {
      const ran = await Promise.all([
        ...Array.from({ length: 10 }, (_, i) => hook(round * 10 + i)),
        ...Array.from({ length: 4 }, () => place.run(["status"])),
      ]);
      for (const one of ran) expect(one.code, describeRun(one)).toBe(0);
    }
    expect(await counts()).toMatchObject({ events: 30 });
    expect(spool()).toEqual([]);
    expect(lost()).toBe(0);
  });

  it("settings that cannot be read: the hook is silent, and the payload waits", async () => {
    writeFileSync(join(place.home, "config.json"), "{");
    await callHooks();
    expect(lost()).toBe(0);
    expect((await place.run(["doctor"])).stdout).toContain("1 hook payload waits to be stored");
  });
});

const mayMount = (() => {
  try {
    execFileSync("unshare", ["-m", "mount", "-t", "tmpfs", "none", "/mnt"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

describe.skipIf(!mayMount)("a disk that takes nothing (skipped where mounting is not allowed)", () => {
  const inOwnMounts = (script: string) =>
    exec("unshare", ["-m", "sh", "-eu", "-c", script], {
      env: {
        ...cleanEnv(place.user),
        OLDHAND_HOME: place.home,
        NODE: process.execPath,
        OLDHAND: program,
        SAMPLE: sample,
        DIR: place.dir,
      },
    });
  const oldhand = '"$NODE" "$OLDHAND"';
  const run = (words: string, name: string) =>
    `set +e; ${oldhand} ${words} >"$DIR/${name}.out" 2>"$DIR/${name}.err" </dev/null; echo $? >"$DIR/${name}.code"; set -e\n`;
  const result = (name: string): Ran => ({
    code: Number(readFileSync(join(place.dir, `${name}.code`), "utf8")),
    stdout: readFileSync(join(place.dir, `${name}.out`), "utf8"),
    stderr: readFileSync(join(place.dir, `${name}.err`), "utf8"),
    ms: 0,
  });
  const hooks = `set +e
    for event in pre post; do ${oldhand} hook claude-code <"$DIR/$event.json" >"$DIR/$event.out" 2>"$DIR/$event.err"; echo $? >"$DIR/$event.code"; done; set -e\n`;
  beforeEach(() => {
    writeFileSync(join(place.dir, "pre.json"), payload("PreToolUse"));
    writeFileSync(join(place.dir, "post.json"), payload("PostToolUseFailure"));
  });
  const hooksWereSilent = () => {
    for (const event of ["pre", "post"]) expect(result(event)).toMatchObject(silent);
  };

  it("a home that is mounted read-only", async () => {
    await place.json(["import", sample]);
    const ran = await inOwnMounts(`
      mount --bind "$OLDHAND_HOME" "$OLDHAND_HOME"; mount -o remount,ro,bind "$OLDHAND_HOME"
      ${run("status", "status")} ${run("rules list", "rules")} ${run('import "$SAMPLE"', "import")}
      ${run("config set serve.port 1", "config")} ${run("off", "off")} ${run("doctor", "doctor")} ${run("serve --port 0", "serve")} ${hooks}`);
    expect(ran.code, describeRun(ran)).toBe(0);
    for (const name of ["status", "rules", "import", "serve"]) isClear(result(name), "(config|store-readonly)");
    for (const name of ["config", "off"]) isClear(result(name), "(config|store-readonly)");
    expect(result("doctor").code, describeRun(result("doctor"))).toBe(1);
    hooksWereSilent();
    expect(await counts()).toMatchObject({ events: 71 });
  });

  it("a home that is not there, on a read-only disk", async () => {
    const ran = await inOwnMounts(`
      mkdir "$DIR/disk"; mount -t tmpfs -o ro none "$DIR/disk"; export OLDHAND_HOME="$DIR/disk/mind"
      ${run("status", "status")} ${run("config set serve.port 1", "config")} ${run("doctor", "doctor")} ${hooks}`);
    expect(ran.code, describeRun(ran)).toBe(0);
    isClear(result("status"), "config");
    isClear(result("config"), "config");
    expect(result("doctor").code).toBe(1);
    hooksWereSilent();
  });

  it("a full disk: said so, nothing half-written, and all of it there again once there is room", async () => {
    const ran = await inOwnMounts(`
      mkdir "$DIR/disk"; mount -t tmpfs -o size=2000k none "$DIR/disk"; export OLDHAND_HOME="$DIR/disk/mind"
      ${oldhand} learn "use pnpm" >/dev/null
      printf '{"store":{"busySeconds":1}}' >"$OLDHAND_HOME/config.json"
      ${run('import "$SAMPLE" --no-rules', "import")}
      dd if=/dev/zero of="$DIR/disk/ballast" bs=1k count=3000 2>/dev/null || true
      ${run('import "$SAMPLE" --no-rules', "full")} ${run("learn more", "learn")} ${run("config set serve.port 1", "config")} ${run("off", "off")}
      ${run('backup "$DIR/disk/backup"', "backup")} ${hooks} ${run("doctor", "doctor")}
      ls -A "$DIR/disk" "$OLDHAND_HOME" "$OLDHAND_HOME/spool" >"$DIR/files" 2>/dev/null || true
      cp "$OLDHAND_HOME/config.json" "$DIR/config.after"
      rm "$DIR/disk/ballast"; mount -o remount,size=20m "$DIR/disk"
      ${run("status --json", "after")} ${run('import "$SAMPLE" --no-rules', "again")} ${run("doctor", "sound")}
      ${run("rules --json", "rules")}`);
    expect(ran.code, describeRun(ran)).toBe(0);
    for (const name of ["full", "learn", "config", "off", "backup"]) isClear(result(name), "store-full");
    hooksWereSilent();
    expect(readFileSync(join(place.dir, "config.after"), "utf8")).toBe('{"store":{"busySeconds":1}}');
    const files = readFileSync(join(place.dir, "files"), "utf8");
    expect(files).not.toMatch(/\.(partial|new|part)$/m);
    expect(result("again").code, describeRun(result("again"))).toBe(0);
    expect(JSON.parse(result("rules").stdout)).toMatchObject([{ text: "use pnpm" }]);
    const after = JSON.parse(result("after").stdout) as { counts: { events: number } };
    // The failed call is either stored from the spool or reported as lost.
    const isReported = result("sound").stdout.includes("could not be stored or spooled and are lost");
    expect([after.counts.events % 71, isReported]).toEqual(isReported ? [0, true] : [1, false]);
    expect(result("sound").code, describeRun(result("sound"))).toBe(0);
  });
});

describe("a PostgreSQL that cannot be used", () => {
  it("nobody listens: the hook spools, a person is told, and the next good command brings it in", async () => {
    const env = { OLDHAND_DATABASE: "postgres://nobody:pw@127.0.0.1:1/mind" };
    for (const words of people) isClear(await place.run(words, { env }), "store-unreachable");
    await callHooks(env);
    expect(spool()).toHaveLength(1);
    const { database, remove } = await stores[1]!.fresh();
    expect(await counts({ OLDHAND_DATABASE: database })).toMatchObject({ events: 1 });
    expect(spool()).toEqual([]);
    await remove();
  });

  it("somebody listens and never answers: the same", async () => {
    const sockets = new Set<Socket>();
    const server = await new Promise<Server>((resolve) => {
      const made = createServer((socket) => sockets.add(socket)).listen(0, "127.0.0.1", () => resolve(made));
    });
    const { port } = server.address() as { port: number };
    const env = { OLDHAND_DATABASE: `postgres://nobody:pw@127.0.0.1:${port}/mind` };
    isClear(await place.run(["status"], { env }), "store-unreachable");
    await callHooks(env);
    expect(spool()).toHaveLength(1);
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  it("a wrong password, a database that is not there: told apart from no server", async () => {
    const address = inject("postgres");
    isClear(await place.run(["status"], { env: { OLDHAND_DATABASE: `${address}/no_such_database` } }), "config");
    const wrong = address.replace(":local@", ":wrong@");
    isClear(await place.run(["status"], { env: { OLDHAND_DATABASE: `${wrong}/postgres` } }), "config");
  });

  it("a table that another session has locked: the hook does not wait for it", async () => {
    const { database, remove } = await stores[1]!.fresh();
    const env = { OLDHAND_DATABASE: database };
    await place.json(["status"], { env });
    const client = new pg.Client({ connectionString: database });
    await client.connect();
    await client.query("begin; lock table events, rules in access exclusive mode");
    const release = setTimeout(() => void client.query("rollback"), 8_000);
    await callHooks(env);
    const spooledWhileLocked = spool().length;
    clearTimeout(release);
    await client.query("rollback");
    await client.end();
    expect(spooledWhileLocked).toBe(1);
    expect(await counts(env)).toMatchObject({ events: 1 });
    await remove();
  });
});

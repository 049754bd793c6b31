import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newPlace, payload, type Place, sample, describeRun, wordsOnly } from "../program.ts";
import { stores } from "../stores.ts";

let place: Place;
let file: string;
beforeEach(() => {
  place = newPlace(wordsOnly);
  file = join(place.dir, "mind.backup");
});
afterEach(() => place.remove());

type Env = Readonly<Record<string, string>>;

/** Everything a user can see of a mind. */
async function seen(env: Env) {
  const sessions = await place.json<{ sessions: { id: string }[] }>(["sessions", "list", "--limit", "1000"], { env });
  const events = [];
  for (const { id } of sessions.sessions.slice(0, 3))
    events.push(await place.json(["sessions", "show", id, "--limit", "1000"], { env }));
  return {
    sessions,
    events,
    rules: await place.json(["rules"], { env }),
    history: await place.json(["history", "--limit", "1000"], { env }),
    report: await place.json(["report"], { env }),
    found: await place
      .json(["sessions", "search", "docker"], { env })
      .then((hits) =>
        (hits as unknown as { session: string; seq: number }[]).map((hit) => `${hit.session}#${hit.seq}`).toSorted(),
      ),
  };
}

async function fill(env: Env): Promise<void> {
  await place.json(["import", sample], { env });
  await place.json(["distil", "--write"], { env });
  const made = await place.json<{ rule: { id: string }; change: { id: number } }>(
    ["learn", "first", "--command", "x"],
    { env },
  );
  await place.json(["rules", "edit", made.rule.id, "--text", "second"], { env });
  await place.json(["rules", "pin", made.rule.id], { env });
  const gone = await place.json<{ rule: { id: string } }>(["learn", "to be forgotten"], { env });
  await place.json(["rules", "forget", gone.rule.id], { env });
  const [last] = (await place.json<{ changes: { id: number }[] }>(["history", "--limit", "1"], { env })).changes;
  expect(last?.id).toBeGreaterThan(4);
  // Characters that may break a line reader or a database.
  const odd = "line\u2028separator \u2029 nul\u0000 half\ud800 \u0085 quote'\" back\\slash 🙂";
  await place.run(["hook", "claude-code"], {
    stdin: payload("PostToolUse", { tool_input: { command: `echo ${odd}` } }),
    env,
  });
  await place.json(["learn", odd.replace("\u0000", "").replace("\ud800", "")], { env });
}

describe("backup and restore", () => {
  it("into the other store and back: the same rules, journal, events and findings", async () => {
    const places = [];
    for (const kind of [stores[0]!, stores[1]!, stores[0]!]) places.push(await kind.fresh());
    const [first, second, third] = places.map(({ database }) => ({ OLDHAND_DATABASE: database }));
    await fill(first!);
    const before = await seen(first!);
    await place.json(["backup", file], { env: first! });
    await place.json(["learn", "will be replaced"], { env: second! });
    await place.json(["restore", file, "--write"], { env: second! });
    expect(await seen(second!)).toEqual(before);
    await place.json(["backup", `${file}2`], { env: second! });
    await place.json(["restore", `${file}2`, "--write"], { env: third! });
    expect(await seen(third!)).toEqual(before);
    for (const env of [second!, third!]) {
      expect((await place.run(["doctor"], { env })).code).toBe(0);
      // New ids continue after the restored ones.
      const made = await place.json<{ change: { id: number } }>(["learn", "afterwards"], { env });
      const [, top] = (await place.json<{ changes: { id: number }[] }>(["history", "--limit", "2"], { env })).changes;
      expect(made.change.id).toBeGreaterThan(top?.id ?? 0);
      await place.json(["undo", String(made.change.id)], { env });
    }
    for (const { remove } of places) await remove();
  });

  it.each(stores)("is consistent while four processes write: $name", async (kind) => {
    const from = await kind.fresh();
    const into = await kind.fresh();
    const env = { OLDHAND_DATABASE: from.database };
    await place.json(["status"], { env });
    const rounds = 4;
    let writing = true;
    const writer = async (name: number) => {
      for (let i = 0; i < rounds; i++) {
        const stdin = payload("PostToolUse", { session_id: `w${name}`, tool_use_id: `toolu_${name}_${i}` });
        await place.run(["hook", "claude-code"], { stdin, env });
        await place.json(["learn", `rule ${name} ${i}`], { env });
      }
    };
    const backups: string[] = [];
    const taker = async () => {
      for (let i = 0; writing; i++) {
        await place.json(["backup", `${file}.${i}`], { env });
        backups.push(`${file}.${i}`);
      }
    };
    const taking = taker();
    await Promise.all([0, 1, 2, 3].map(writer));
    writing = false;
    await taking;
    expect(backups.length).toBeGreaterThan(1);
    const there = { OLDHAND_DATABASE: into.database };
    let last = -1;
    for (const one of [backups[0]!, backups[Math.floor(backups.length / 2)]!, backups.at(-1)!]) {
      const { counts } = await place.json<{ counts: Record<string, number> }>(["restore", one, "--write"], {
        env: there,
      });
      // Each rule has exactly one journal entry: no change without an entry, and no entry without a change.
      expect(counts["rules"]).toBe(counts["journal"]);
      expect(counts["rules"]).toBeGreaterThanOrEqual(last);
      last = counts["rules"] ?? 0;
      const doctor = await place.run(["doctor"], { env: there });
      expect(doctor.code, describeRun(doctor)).toBe(0);
    }
    expect(await place.json(["status"], { env })).toMatchObject({ counts: { events: 4 * rounds, rules: 4 * rounds } });
    await from.remove();
    await into.remove();
  });

  it("restore without --write shows what would go and what would come, exits 1 and changes nothing", async () => {
    const env = {};
    await fill(env);
    const { counts } = await place.json<{ counts: object }>(["backup", file]);
    await place.json(["learn", "since then"]);
    const before = await seen(env);
    const result = await place.json(["restore", file], { code: 1 });
    expect(result).toMatchObject({ replaced: false, counts: { rules: 7, sessions: 7 }, brings: counts });
    const said = await place.run(["restore", file]);
    expect(said.code).toBe(1);
    expect(said.stdout).toContain("--write");
    expect(await seen(env)).toEqual(before);
  });

  it.each(stores)("a backup that is not whole changes nothing: $name", async (kind) => {
    const { database, remove } = await kind.fresh();
    const env = { OLDHAND_DATABASE: database };
    await place.json(["import", sample], { env });
    await place.json(["backup", file], { env });
    await place.json(["learn", "since then"], { env });
    const before = await seen(env);
    const whole = readFileSync(file);
    const lines = gunzipSync(whole).toString("utf8").split("\n");
    const changed = (edit: (line: string[]) => string[]) => gzipSync(edit([...lines]).join("\n"));
    const spoiled: Readonly<Record<string, Buffer>> = {
      "cut in the middle": whole.subarray(0, whole.length / 2),
      "cut at the end": whole.subarray(0, -5),
      "cut between two lines": changed((all) => all.slice(0, 30)),
      "a bit turned": Buffer.concat([
        whole.subarray(0, 2_000),
        Buffer.from([(whole[2_000] ?? 0) ^ 1]),
        whole.subarray(2_001),
      ]),
      "a word changed": changed((all) => all.map((line, i) => (i === 5 ? line.replace("sample", "simple") : line))),
      "a line gone": changed((all) => all.filter((_, i) => i !== 7)),
      "a line twice": changed((all) => all.flatMap((line, i) => (i === 7 ? [line, line] : [line]))),
      "a column more": changed((all) => all.map((line, i) => (i === 7 ? line.replace("]", ",1]") : line))),
      "another file": gzipSync("hello\n"),
      "no gzip": Buffer.from("hello\n"),
      empty: Buffer.alloc(0),
    };
    for (const [what, bytes] of Object.entries(spoiled)) {
      writeFileSync(`${file}.spoiled`, bytes);
      const ran = await place.run(["restore", `${file}.spoiled`, "--write"], { env });
      expect([what, ran.code, ran.stdout], describeRun(ran)).toEqual([what, 2, ""]);
      expect(ran.stderr).toMatch(/cannot be restored.*\[input\]\n {2}\S/);
      expect(ran.stderr).not.toMatch(/\n\s+at /);
    }
    for (const path of [join(place.dir, "nothing"), place.dir]) {
      const ran = await place.run(["restore", path, "--write"], { env });
      expect([ran.code, ran.stderr.includes("[input]")], describeRun(ran)).toEqual([2, true]);
    }
    expect(await seen(env)).toEqual(before);
    await remove();
  });

  it("a place that cannot be written is named, and nothing is left there", async () => {
    await place.json(["import", sample]);
    mkdirSync(join(place.dir, "folder"));
    for (const path of [join(place.dir, "folder"), join(place.dir, "no/such/folder/file"), "/proc/nothing"]) {
      const ran = await place.run(["backup", path]);
      expect(ran.code, describeRun(ran)).toBe(2);
      expect(ran.stderr).toContain(`cannot write a backup to ${path}`);
      expect(ran.stderr).not.toMatch(/\n\s+at /);
    }
    expect(readdirSync(join(place.dir, "folder"))).toEqual([]);
    expect(readdirSync(place.dir).filter((name) => name.endsWith(".partial"))).toEqual([]);
  });

  it("an older backup is kept until the new one is whole", async () => {
    await place.json(["import", sample]);
    await place.json(["backup", file]);
    const { counts } = await place.json<{ counts: object }>(["backup", file]);
    expect(await place.json(["restore", file], { code: 1 })).toMatchObject({ brings: counts });
  });

  it("a mind with a damaged page is refused, and no backup appears", async () => {
    const { closeSync, openSync, statSync, writeSync } = await import("node:fs");
    const extra = Array.from({ length: 400 }, (_, seq) =>
      JSON.stringify({
        session: "long",
        seq,
        agent: "codex",
        ts: "2026-01-11T00:00:00Z",
        tool: "Bash",
        input: { command: `echo ${seq} ${"pad ".repeat(200)}` },
        ok: true,
      }),
    );
    writeFileSync(join(place.dir, "more.jsonl"), extra.join("\n"));
    // Its process has ended, so all of it is in the file that is damaged next.
    await place.json(["import", join(place.dir, "more.jsonl"), "--from", "neutral"], { alone: true });
    const db = join(place.home, "mind.db");
    const damaged = openSync(db, "r+");
    writeSync(damaged, Buffer.alloc(4096, 0x5a), 0, 4096, Math.floor((statSync(db).size * 0.8) / 4096) * 4096);
    closeSync(damaged);
    for (let i = 0; i < 4; i++) {
      const ran = await place.run(["backup", file]);
      expect([ran.code, ran.stderr], describeRun(ran)).toEqual([2, expect.stringContaining("[store-corrupt]")]);
    }
    expect(readdirSync(place.dir).filter((name) => name.startsWith("mind.backup"))).toEqual([]);
  });
});

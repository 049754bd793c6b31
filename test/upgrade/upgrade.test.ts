import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { migrations } from "../../src/store/postgres/migrations/list.ts";
import { newPlace, payload, type Place, describeRun } from "../program.ts";
import { stores } from "../stores.ts";
import { programOf, unpackHome, updateInPlace } from "./home.ts";

let place: Place;
let env: Readonly<Record<string, string>>;
beforeEach(() => {
  place = newPlace();
  env = { OLDHAND_HOME: join(place.user, ".oldhand") };
  unpackHome(place.user);
});
afterEach(() => place.remove());

const json = <T = Record<string, unknown>>(words: readonly string[], more: Readonly<Record<string, string>> = {}) =>
  place.json<T>(words, { env: { ...env, ...more } });

/** What a user has in a mind. */
async function mind(more: Readonly<Record<string, string>> = {}) {
  const rules = await json<readonly { id: string; text: string; status: string }[]>(["rules"], more);
  const { memories } = await json<{ memories: readonly { id: string; text: string }[] }>(["memories", "list"], more);
  const { entries } = await json<{ entries: readonly { id: string }[] }>(["ledger"], more);
  const { changes } = await json<{ changes: readonly { id: number }[] }>(["history", "--limit", "1000"], more);
  return {
    rules: rules.map(({ id, text, status }) => `${id} ${status} ${text}`).toSorted(),
    memories: memories.map(({ id, text }) => `${id} ${text}`).toSorted(),
    entries: entries.map(({ id }) => id).toSorted(),
    changes: changes.length,
  };
}

/** What is derived from events. */
async function report(more: Readonly<Record<string, string>> = {}) {
  const { totals, ...rest } = await json<{ totals: Record<string, number> }>(["report"], more);
  // One event was in the spool when the backup was made.
  return { ...rest, totals: { ...totals, events: 0 } };
}

const settingsOf = {
  "claude-code": join(".claude", "settings.json"),
  codex: join(".codex", "config.toml"),
  gemini: join(".gemini", "settings.json"),
};

const read = (name: string) => readFileSync(join(place.user, name), "utf8");

describe("a home of version 0.1.0", () => {
  it("opens with all that was in it: rules, memories, ledger, identity, settings, and what waited in the spool", async () => {
    const was = await mind();
    expect(was).toMatchObject({ changes: 26, rules: { length: 13 }, memories: { length: 4 }, entries: { length: 2 } });
    expect(was.rules.some((rule) => rule.includes("Use pnpm, not npm, in this shop"))).toBe(true);
    expect((await place.run(["soul"], { env })).stdout).toContain("Name: Otto");
    expect(readdirSync(join(place.user, ".oldhand", "spool"))).toEqual([]);
    const { events } = await json<{ events: readonly { input: unknown }[] }>(["sessions", "show", "s1"]);
    expect(JSON.stringify(events)).toContain("npm run spooled");
    expect(await json(["config", "get", "distil.minCount"])).toMatchObject([{ value: 4 }]);
    const doctor = (await place.run(["doctor"], { env })).stdout;
    expect(doctor).toContain("journal and mind agree");
    expect(doctor).not.toMatch(/damaged|disagree|broken|missing/);
  });

  it("goes on: its history can be undone, and what is forgotten leaves no byte, whatever was deleted before", async () => {
    const { rule } = await json<{ rule: { id: string } }>(["rules", "retire", "r_1m7j795fn23vhqa9"]);
    const { changes } = await json<{ changes: readonly { id: number }[] }>(["history", "--limit", "1"]);
    await json(["undo", String(changes[0]?.id)]);
    expect((await mind()).rules).toContain(`${rule.id} approved Use pnpm, not npm, in this shop`);
    await json(["undo", "26"]);
    expect((await mind()).rules).toHaveLength(12);
    const vpn = "Deploys need the VPN";
    const database = join(place.user, ".oldhand", "mind.db");
    expect(readFileSync(database).includes(vpn)).toBe(true);
    expect(await json(["forget", "vpn"])).toMatchObject({ waits: null });
    expect(readFileSync(database).includes(vpn)).toBe(false);
    expect((await place.run(["doctor"], { env })).stdout).toContain("journal and mind agree");
  });

  it("speaks through the hooks that it wired, when the program was updated where it is", async () => {
    updateInPlace(place.user);
    const { hooks } = JSON.parse(read(settingsOf["claude-code"])) as {
      hooks: Record<string, { hooks: { command: string }[] }[]>;
    };
    const command = hooks["PreToolUse"]?.[0]?.hooks[0]?.command ?? "";
    expect(command).toContain(programOf(place.user));
    // On a slow machine a hook prints nothing instead of waiting; then the next session is tried.
    let said = "";
    for (let session = 0; said === "" && session < 10; session++) {
      const ran = spawnSync("sh", ["-c", command], {
        input: payload("PreToolUse", {
          session_id: `new-${session}`,
          cwd: "/home/ada/shop",
          tool_input: { command: "docker compose up" },
        }),
        encoding: "utf8",
        env: { PATH: process.env["PATH"], HOME: place.user },
      });
      expect(ran.status, ran.stderr).toBe(0);
      said = ran.stdout;
    }
    expect(said).toContain("docker compose up");
  });

  it("is wired anew by `doctor --fix` when that program is gone, once; uninstalling still restores every byte", async () => {
    const gone = programOf(place.user);
    const before = (await place.run(["doctor"], { env })).stdout;
    expect(before.match(/hooks point to \S+oldhand\.cjs, which no longer exists/g)).toHaveLength(3);
    await place.run(["doctor", "--fix"], { env });
    for (const file of [...Object.values(settingsOf), join(".codex", "hooks.json")])
      expect(read(file), file).not.toContain(gone);
    expect((await place.run(["doctor"], { env })).stdout).not.toContain("which no longer exists");
    const fixed = Object.values(settingsOf).map(read);
    const again = await place.run(["doctor", "--fix"], { env });
    expect(again.stdout).toContain("there was nothing to fix");
    expect(Object.values(settingsOf).map(read)).toEqual(fixed);

    const originals = Object.values(settingsOf).map((file) => read(`${file}.before-oldhand`));
    const uninstalled = await place.run(["uninstall"], { env });
    expect(uninstalled.code, describeRun(uninstalled)).toBe(0);
    expect(Object.values(settingsOf).map(read)).toEqual(originals);
    expect(existsSync(join(place.user, ".codex", "hooks.json"))).toBe(false);
  });
});

describe.each(stores)("a backup of version 0.1.0, on $name", (kind) => {
  it("restores into a new mind, and derives the rest from its events", async () => {
    const was = await mind();
    const fresh = await kind.fresh();
    const there = { OLDHAND_DATABASE: fresh.database };
    try {
      await json(["restore", join(place.user, "backup-0.1.0.jsonl.gz"), "--write"], there);
      expect(await mind(there)).toEqual(was);
      expect((await place.run(["doctor"], { env: { ...env, ...there } })).stdout).toContain("journal and mind agree");
      expect(await report(there)).toEqual(await report());
    } finally {
      await fresh.remove();
    }
  });
});

describe("a PostgreSQL mind of version 0.1.0", () => {
  it("is migrated with what it holds", async () => {
    const fresh = await stores[1]!.fresh();
    const there = { OLDHAND_DATABASE: fresh.database };
    try {
      await json(["restore", join(place.user, "backup-0.1.0.jsonl.gz"), "--write"], there);
      const was = await mind(there);
      await backTo(fresh.database, 12);
      expect(await mind(there)).toEqual(was);
      expect(await json(["forget", "vpn"], there)).toMatchObject({ waits: null });
      expect((await place.run(["doctor"], { env: { ...env, ...there } })).stdout).toContain("journal and mind agree");
    } finally {
      await fresh.remove();
    }
  });
});

/** Moves the rows into tables as they were after `version` migrations. */
async function backTo(database: string, version: number): Promise<void> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  try {
    await client.query("create schema older; set search_path to older");
    for (const sql of migrations.slice(0, version)) await client.query(sql);
    const { rows } = await client.query(
      "select c.relname as name from pg_class c where c.relnamespace = 'older'::regnamespace and c.relkind = 'r'",
    );
    // Nothing was ever stored in these two.
    const unused = ["claims", "slots"];
    for (const { name } of (rows as { name: string }[]).filter((one) => !unused.includes(one.name))) {
      const found = await client.query(
        `select string_agg(quote_ident(attname), ', ') as columns from pg_attribute
         where attrelid = ('older.' || $1)::regclass and attnum > 0 and not attisdropped`,
        [name],
      );
      const { columns } = found.rows[0] as { columns: string };
      await client.query(`delete from older.${name}`);
      await client.query(`insert into older.${name} (${columns}) select ${columns} from public.${name}`);
      const [numbered] = (
        await client.query(
          "select 1 from pg_attribute where attrelid = ('older.' || $1)::regclass and attname = 'id' and attidentity <> ''",
          [name],
        )
      ).rows;
      if (numbered !== undefined)
        await client.query(
          `select setval(pg_get_serial_sequence('older.${name}', 'id'), (select coalesce(max(id), 0) + 1 from older.${name}), false)`,
        );
    }
    await client.query("update older.meta set value = $1 where key = 'schema'", [String(version)]);
    await client.query("drop schema public cascade; alter schema older rename to public");
  } finally {
    await client.end();
  }
}

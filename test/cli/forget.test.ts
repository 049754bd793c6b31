import { join } from "node:path";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { connect } from "../../src/store/sqlite/engine.ts";
import { filesOfServer, filesWith } from "../raw-bytes.ts";
import { newPlace, type Place } from "../program.ts";
import { stores } from "../stores.ts";

let place: Place;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.remove());

async function ask(database: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  await client.query(sql);
  await client.end();
}

const words = ["quagganose", "wombatical", "okapirian", "numbatesque", "dugongish", "pangolinear", "pademelonic"];

describe.each(stores)("what was forgotten, on $name", (kind) => {
  it("leaves no byte in the database, its log, its indexes or the files of the home", async () => {
    const fresh = await kind.fresh();
    const env = { OLDHAND_DATABASE: fresh.database };
    const json = <T>(...given: string[]) => place.json<T>(given, { env });
    const where = async () =>
      kind.name === "sqlite"
        ? filesWith(join(fresh.database, ".."), words)
        : filesWith(await filesOfServer(fresh.database), words);
    try {
      // Other rows, so that rows move between pages.
      for (let i = 0; i < 2; i++) await json("remember", `neighbour ${i}: ${"plain talk ".repeat(200)}`, "--anyway");
      await json("remember", "the vault is called quagganose", "--key", "vault", "--pinned");
      await json("remember", "the vault is called wombatical", "--key", "vault", "--pinned");
      const { rule } = await json<{ rule: { id: string } }>(
        "learn",
        "never say okapirian",
        "--command",
        "echo okapirian",
      );
      await json("rules", "edit", rule.id, "--text", "never say numbatesque");
      const { entry } = await json<{ entry: { id: string } }>(
        ...["win", "--what", "found dugongish", "--why", "looked for pangolinear", "--pattern", "looking"],
      );
      for (let i = 0; i < 2; i++) await json("remember", `later ${i}: ${"more talk ".repeat(200)}`, "--anyway");
      // The last row of its page: rows that move when it is deleted do not overwrite it.
      await json("remember", "the garden is called pademelonic", "--key", "garden");
      if (kind.name === "postgres") await ask(fresh.database, "analyze");
      expect(await where()).not.toEqual([]);
      expect(filesWith(place.home, words)).not.toEqual([]);
      for (const id of ["vault", "garden", rule.id, entry.id])
        expect(await json("forget", id)).toMatchObject({ waits: null });
      expect(await where()).toEqual([]);
      expect(filesWith(place.home, words)).toEqual([]);
      expect((await place.run(["doctor"], { env })).code).toBe(0);
    } finally {
      await fresh.remove();
    }
  });

  it("is told of every backup that still holds it", async () => {
    const fresh = await kind.fresh();
    const env = { OLDHAND_DATABASE: fresh.database };
    try {
      await place.json(["remember", "a fact", "--key", "fact"], { env });
      const file = join(place.dir, "mind.backup");
      await place.json(["backup", file], { env });
      const { keptIn } = await place.json<{ keptIn: string[] }>(["forget", "fact"], { env });
      expect(keptIn.join("\n")).toContain(file);
      expect(keptIn.join("\n").includes("write-ahead log")).toBe(kind.name === "postgres");
    } finally {
      await fresh.remove();
    }
  });
});

describe("what was forgotten from a PostgreSQL database", () => {
  const [kind] = stores.filter((one) => one.name === "postgres");

  async function forget(
    some: readonly string[],
    beside?: (clients: { here: pg.Client; elsewhere: pg.Client }) => Promise<unknown>,
  ) {
    const fresh = await kind!.fresh();
    const other = await kind!.fresh();
    const env = { OLDHAND_DATABASE: fresh.database };
    const here = new pg.Client({ connectionString: fresh.database });
    const elsewhere = new pg.Client({ connectionString: other.database });
    try {
      for (const word of some)
        await place.json(["remember", `the vault is called ${word}`, "--key", word, "--anyway"], { env });
      // Now the planner's statistics contain some of the words.
      await ask(fresh.database, "analyze");
      await here.connect();
      await elsewhere.connect();
      await beside?.({ here, elsewhere });
      const waits = [];
      for (const word of some)
        waits.push((await place.json<{ waits: string | null }>(["forget", word], { env })).waits);
      await here.query("rollback");
      await elsewhere.query("rollback");
      if (beside) await place.run(["doctor", "--fix"], { env });
      return { waits, left: filesWith(await filesOfServer(fresh.database), words) };
    } finally {
      await here.end();
      await elsewhere.end();
      await fresh.remove();
      await other.remove();
    }
  }

  it("is not in the statistics either, also where a table has no row left to make new ones of", async () => {
    expect(await forget(words.slice(0, 3))).toEqual({ waits: [null, null, null], left: [] });
  });

  it("waits, and says so, while the statistics cannot be written anew", async () => {
    const { waits, left } = await forget(["quagganose"], ({ here }) =>
      here.query("begin; lock table pg_statistic in row exclusive mode"),
    );
    expect(waits).toEqual([expect.stringContaining("another connection has locked tables")]);
    expect(left).toEqual([]);
  });

  it("waits, and says so, while a transaction in another database of the server is older", async () => {
    const { waits, left } = await forget(["quagganose"], ({ elsewhere }) =>
      elsewhere.query("begin; select pg_current_xact_id()"),
    );
    expect(waits).toEqual([expect.stringContaining("an older transaction is still open")]);
    expect(left).toEqual([]);
  });
});

describe("what was forgotten while another process reads a SQLite file", () => {
  it("waits in the log, says so, and is taken out afterwards", async () => {
    await place.json(["remember", "the vault is called quagganose", "--key", "vault"]);
    const database = join(place.home, "mind.db");
    const reader = connect(database, { readOnly: true });
    reader.exec("begin");
    reader.prepare("select count(*) from memories").get();
    const { waits } = await place.json<{ waits: string | null }>(["forget", "vault"]);
    expect(waits).toContain("another process");
    const doctor = await place.run(["doctor"]);
    expect(doctor.stdout).toContain("forgotten");
    reader.exec("rollback");
    reader.close();
    await place.run(["doctor", "--fix"]);
    expect(filesWith(place.home, ["quagganose"])).toEqual([]);
    expect((await place.run(["doctor"])).stdout).not.toContain("forgotten");
  });
});

describe("a SQLite file from before oldhand overwrote what it deletes", () => {
  it("is cleaned as a whole by the first thing that is forgotten", async () => {
    await place.json(["remember", "kept", "--key", "kept"]);
    const old = connect(join(place.home, "mind.db"));
    old.exec("pragma secure_delete = off; delete from meta where key = 'slack clean'");
    old.exec(
      "create table other (text text); insert into other values ('quagganose'); drop table other; pragma wal_checkpoint(truncate)",
    );
    old.close();
    expect(filesWith(place.home, ["quagganose"])).not.toEqual([]);
    await place.json(["forget", "kept"]);
    expect(filesWith(place.home, ["quagganose"])).toEqual([]);
  });
});

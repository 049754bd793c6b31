import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { OldhandError } from "../../src/lib/errors.ts";
import { appendEvents, countEvents } from "../../src/store/events/events.ts";
import { openQueue } from "../../src/store/open-queue.ts";
import { openStore } from "../../src/store/open.ts";
import { examinePostgres } from "../../src/store/postgres/examine.ts";
import { findMissingTables } from "../../src/store/state/tables.ts";
import { bouncerProgram, startBouncer } from "../../bench/pgbouncer.ts";
import { newPlace, root } from "../program.ts";
import { anEvent } from "../store/samples.ts";
import { stores } from "../stores.ts";

const isThere = stores.some((store) => store.name === "postgres");

describe.runIf(isThere)("the role with the least rights of docs/team.md", () => {
  const page = readFileSync(join(root, "docs", "team.md"), "utf8");
  const [onServer = "", inDatabase = ""] = [...page.matchAll(/```sql\n([^]*?)```/g)].map((match) => match[1]);
  let server: string;
  let address: string;

  const run = async (database: string, sql: string, as = server) => {
    const url = new URL(as);
    url.pathname = `/${database}`;
    const client = new pg.Client({ connectionString: url.toString() });
    await client.connect();
    try {
      const statements = sql.split(";").filter((one) => one.trim() !== "");
      let rows: unknown[] = [];
      for (const statement of statements) rows = (await client.query(statement)).rows;
      return rows;
    } finally {
      await client.end();
    }
  };

  beforeAll(async () => {
    server = inject("postgres");
    await run("postgres", onServer);
    await run("oldhand", inDatabase);
    const url = new URL(`${server}/oldhand`);
    url.username = "ada";
    url.password = "choose-one";
    address = url.toString();
  });
  afterAll(async () => {
    await run("postgres", "drop database oldhand with (force); drop role ada; drop role oldhand");
  });

  it("lacks nothing that is needed", async () => {
    const exam = await examinePostgres(address, 10_000);
    expect(exam).toMatchObject({ role: "oldhand", schema: "oldhand", throughPooler: false });
    expect(exam.missing.filter((one) => one.isNeeded)).toEqual([]);
    // The server of the tests has no pgvector.
    expect(exam.missing.map((one) => one.what)).toEqual([expect.stringContaining("does not have pgvector")]);
    expect(exam.missing[0]?.sql).toContain("create extension if not exists vector schema oldhand;");
  });

  it("creates the tables, stores, and opens the queue of work", async () => {
    const store = await openStore({ database: address, busyMs: 10_000 });
    try {
      expect(await findMissingTables(store.db)).toEqual([]);
      await appendEvents(store.db, [anEvent("e1")]);
      expect(await countEvents(store.db)).toBe(1);
      const queue = await openQueue(store, { queues: ["probe"], clock: systemClock });
      await queue.close();
      const places = await store.db.all(
        "select schemaname as name from pg_tables where tablename in ('events', 'job') order by 1",
      );
      expect(places).toEqual([{ name: "oldhand" }, { name: "oldhand_queue" }]);
    } finally {
      await store.close();
    }
  });

  it("works behind a transaction pooler, where its schema comes from the role", async (test) => {
    test.skip(bouncerProgram === undefined, "pgbouncer is not installed (Debian package: pgbouncer)");
    const own = new URL(server);
    own.username = "ada";
    own.password = "choose-one";
    const bouncer = await startBouncer(own.toString());
    try {
      const pooled = new URL(address);
      pooled.port = String(bouncer.port);
      const exam = await examinePostgres(pooled.toString(), 10_000);
      expect(exam).toMatchObject({ throughPooler: true, schema: "oldhand" });
      expect(exam.address).toContain("pooler=transaction");
      const store = await openStore({ database: exam.address, busyMs: 10_000 });
      expect(await countEvents(store.db)).toBeGreaterThanOrEqual(0);
      await store.close();
    } finally {
      await bouncer.stop();
    }
  });

  it.each([
    ["a database", "create database another"],
    ["a role", "create role another"],
    ["a schema", "create schema another"],
    ["a table in public", "create table public.another (id int)"],
    ["an answer from the server's files", "select pg_read_file('PG_VERSION')"],
  ])("cannot make %s", async (_what, sql) => {
    await expect(run("oldhand", sql, address)).rejects.toThrow(/permission denied/);
  });

  it("lets nobody else into the database", async () => {
    await run("postgres", "create role eve login password 'x'");
    const eve = new URL(address);
    eve.username = "eve";
    eve.password = "x";
    await expect(run("oldhand", "select 1", eve.toString())).rejects.toThrow(/permission denied for database/);
    await run("postgres", "drop role eve");
  });

  it("is set up by `oldhand init --database`, which writes the setting last", async () => {
    const place = newPlace();
    try {
      const ran = await place.run(["init", "--database", address]);
      expect(ran).toMatchObject({ code: 0, stderr: "" });
      expect(ran.stdout).toMatch(/PostgreSQL 1\d.*, as oldhand, schema oldhand\nThe connection is direct: no pooler\./);
      expect(ran.stdout).toContain("create extension if not exists vector schema oldhand;");
      expect(ran.stdout).not.toContain("choose-one");
      const { database } = JSON.parse(readFileSync(join(place.home, "config.json"), "utf8")) as { database: string };
      expect(database).toBe(address);
      expect((await place.run(["status"])).stdout).toContain("mind at postgres://");
    } finally {
      place.remove();
    }
  });
});

describe.runIf(isThere)("oldhand init --database", () => {
  it("asks for the address, and says what is missing with the SQL for it, and changes nothing", async () => {
    const server = inject("postgres");
    const admin = new pg.Client({ connectionString: `${server}/postgres` });
    await admin.connect();
    const place = newPlace();
    try {
      await admin.query("create role poor login password 'x'");
      await admin.query("create database poor_house");
      await admin.query("revoke create on database poor_house from public");
      const url = new URL(`${server}/poor_house`);
      url.username = "poor";
      url.password = "x";
      const ran = await place.run(["init", "--database"], { stdin: `${url.toString()}\n` });
      expect(ran.code).toBe(1);
      expect(ran.stderr).toContain("Address of the PostgreSQL database");
      expect(ran.stdout).toContain("the role poor may not create tables in the schema public");
      const sql =
        /create schema oldhand authorization poor; alter role poor in database poor_house set search_path = oldhand;/;
      expect(ran.stdout).toMatch(sql);
      expect(ran.stdout).toContain("create schema oldhand_queue authorization poor;");
      expect(ran.stdout).toContain("Nothing was changed.");
      expect(await place.run(["config", "get", "database"])).toMatchObject({
        stdout: expect.stringContaining("mind.db"),
      });
      // What it prints is enough.
      const house = new pg.Client({ connectionString: `${server}/poor_house` });
      await house.connect();
      for (const line of ran.stdout.split("\n").filter((one) => /^ {4}create schema/.test(one)))
        await house.query(line);
      await house.end();
      expect(await place.run(["init", "--database", url.toString()])).toMatchObject({ code: 0 });
    } finally {
      place.remove();
      await admin.query("drop database if exists poor_house with (force)");
      await admin.query("drop role if exists poor");
      await admin.end();
    }
  });

  it("says that no job runs without the schema of the queue, and a worker does not say that it works", async () => {
    const server = inject("postgres");
    const admin = new pg.Client({ connectionString: `${server}/postgres` });
    await admin.connect();
    const place = newPlace();
    try {
      await admin.query("create role halfway login password 'x'");
      await admin.query("create database half_house");
      const url = new URL(`${server}/half_house`);
      const house = new pg.Client({ connectionString: url.toString() });
      await house.connect();
      await house.query("create schema oldhand authorization halfway");
      await house.query("alter role halfway in database half_house set search_path to oldhand");
      await house.end();
      url.username = "halfway";
      url.password = "x";
      const ran = await place.run(["init", "--database", url.toString()]);
      expect(ran.code).toBe(0);
      expect(ran.stdout).toContain("may not create the schema oldhand_queue; without it no job runs");
      expect(ran.stdout).not.toContain("not needed");
      const worker = await place.run(["run"], { alone: true });
      expect(worker.code).toBe(2);
      expect(worker.stderr).toContain("create schema oldhand_queue");
      expect(worker.stdout).not.toContain("works");
    } finally {
      place.remove();
      await admin.query("drop database if exists half_house with (force)");
      await admin.query("drop role if exists halfway");
      await admin.end();
    }
  });

  it("changes no setting if the server does not answer, refuses the password, or is no PostgreSQL", async () => {
    const place = newPlace();
    try {
      const server = new URL(inject("postgres"));
      const wrong = new URL(`${server.toString()}/postgres`);
      wrong.password = "wrong";
      const away = new URL(`${server.toString()}/postgres`);
      away.port = "1";
      for (const address of [wrong.toString(), away.toString(), "mysql://x/y", "nothing"]) {
        const ran = await place.run(["init", "--database", address]);
        expect(ran.code).not.toBe(0);
        expect(ran.stdout).toBe("");
        expect(ran.stderr).toMatch(/^oldhand: /);
      }
      expect((await place.run(["config", "get", "database"])).stdout).toContain("mind.db");
    } finally {
      place.remove();
    }
  });

  it("is an error of the operator if the address is bad", async () => {
    await expect(examinePostgres("postgres://", 100)).rejects.toBeInstanceOf(OldhandError);
  });
});

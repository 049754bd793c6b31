import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { newPlace, type Place, type Started, wordsOnly } from "../program.ts";
import { stores, type TestDatabase } from "../stores.ts";

const postgres = stores.find(({ name }) => name === "postgres");

describe.runIf(postgres !== undefined)("a password that is changed while a process lives", () => {
  let admin: pg.Client;
  let database: TestDatabase;
  let place: Place;
  let started: Started[];
  beforeEach(async () => {
    started = [];
    place = newPlace(wordsOnly);
    mkdirSync(place.home, { recursive: true });
    database = await postgres!.migrated();
    admin = new pg.Client({ connectionString: `${inject("postgres")}/postgres` });
    await admin.connect();
    await admin.query("create role changer superuser login password 'before'");
  });
  afterEach(async () => {
    for (const { child } of started) child.kill("SIGKILL");
    await Promise.all(started.map(({ ended }) => ended));
    place.remove();
    await database.remove();
    await admin.query("drop role changer");
    await admin.end();
  });

  const addressWith = (password: string) => {
    const url = new URL(database.database);
    url.username = "changer";
    url.password = password;
    return url.toString();
  };
  const start = (words: readonly string[], env: Record<string, string> = {}) => {
    const process = place.start(words, { env });
    started.push(process);
    return process;
  };
  /** The server closes the open connections: those of before are valid as long as they are used. */
  const changePassword = async () => {
    await admin.query("alter role changer password 'after'");
    await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'changer'");
  };
  const writeSettings = (password: string) =>
    writeFileSync(join(place.home, "config.json"), JSON.stringify({ database: addressWith(password) }));

  it("is read again from the settings by a worker, which goes on", async () => {
    writeSettings("before");
    const worker = start(["run"]);
    await worker.line(/works; stop it/);
    await changePassword();
    await worker.line(/refused the connection|does not answer/);
    writeSettings("after");
    await worker.line(/the database answers again/);
    worker.child.kill("SIGTERM");
    expect((await worker.ended).code).toBe(0);
  });

  it.each([
    ["a worker", ["run"], /works; stop it/],
    ["a server", ["serve", "--port", "0"], /Dashboard/],
  ])(
    "and is in the environment, ends %s with the reason: whoever started it gives it the new one",
    async (...given) => {
      const [, words, ready] = given;
      const process = start(words, { OLDHAND_DATABASE: addressWith("before") });
      await process.line(ready);
      await changePassword();
      const { code, stderr } = await process.ended;
      expect(code).toBe(2);
      expect(stderr).toMatch(/refused the connection: password authentication failed/);
      expect(stderr).not.toContain("before@");
    },
  );
});

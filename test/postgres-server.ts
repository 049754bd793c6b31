import pg from "pg";
import type { TestProject } from "vitest/node";
import { startPostgres } from "../bench/postgres.ts";
import { openStore } from "../src/store/open.ts";
import { newTemplate } from "./sqlite-template.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A server's address without a database: `${address}/name`. */
    readonly postgres: string;
    /** Migrated once for the whole run and copied for each test: a name on the server, and a file. */
    readonly templates: { readonly postgres: string; readonly sqlite: string };
  }
}

/** A real PostgreSQL for the whole run, from npm: nothing to install by hand. Without fsync, as its data lives no longer than the run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres(["--fsync=off"]);
  project.provide("postgres", server.address);
  const file = await newTemplate();
  const templates = { postgres: "migrated", sqlite: file.database };
  const admin = new pg.Client({ connectionString: `${server.address}/postgres` });
  await admin.connect();
  await admin.query(`create database ${templates.postgres}`);
  await admin.end();
  await (await openStore({ database: `${server.address}/${templates.postgres}`, busyMs: 10_000 })).close();
  project.provide("templates", templates);
  return async () => {
    await server.stop();
    file.remove();
  };
}

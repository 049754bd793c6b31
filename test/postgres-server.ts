import pg from "pg";
import type { TestProject } from "vitest/node";
import { startPostgres } from "../bench/postgres.ts";
import { openStore } from "../src/store/open.ts";
import { newTemplate } from "./sqlite-template.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A server address without a database name: append `/name`. */
    readonly postgres: string;
    /** Migrated once for the whole run and copied for each test: a database name and a file. */
    readonly templates: { readonly postgres: string; readonly sqlite: string };
  }
}

/** Nothing has to survive a crash: the data is deleted after the run. */
const IN_MEMORY = ["--fsync=off", "--full_page_writes=off", "--synchronous_commit=off"];

/** Starts a real PostgreSQL from npm for the whole run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres(IN_MEMORY);
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

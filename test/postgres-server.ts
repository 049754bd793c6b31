import type { TestProject } from "vitest/node";
import { startPostgres } from "../bench/postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A server's address without a database: `${address}/name`. */
    readonly postgres: string;
  }
}

/** A real PostgreSQL for the whole run, from npm: nothing to install by hand. Without fsync, as its data lives no longer than the run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres(["--fsync=off"]);
  project.provide("postgres", server.address);
  return server.stop;
}

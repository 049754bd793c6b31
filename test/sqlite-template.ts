import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { openStore } from "../src/store/open.ts";

/** For a run on SQLite only: no server is started, and `test/stores.ts` leaves out PostgreSQL. */
export default async function setup(project: TestProject): Promise<() => void> {
  const template = await newTemplate();
  project.provide("templates", { sqlite: template.database, postgres: "" });
  return template.remove;
}

/** A migrated database file, copied for each test. */
export async function newTemplate(): Promise<{ readonly database: string; remove(): void }> {
  const dir = mkdtempSync(join(tmpdir(), "oldhand-template-"));
  const database = join(dir, "mind.db");
  await (await openStore({ database, busyMs: 10_000 })).close();
  return { database, remove: () => rmSync(dir, { recursive: true, force: true }) };
}

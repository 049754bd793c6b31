import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { loadConfig, thisMachine, writeSettings } from "../../../config.ts";
import { settings } from "../../../domain/settings/declared.ts";
import { OldhandError } from "../../../lib/errors.ts";
import { openStore } from "../../../store/open.ts";
import type { MissingRight, PostgresExam } from "../../../store/postgres/examine.ts";
import { findAddressFault } from "../../../store/postgres/url.ts";
import type { Globals } from "../parts/arguments.ts";
import { describeReach } from "../parts/server-reach.ts";

/**
 * Sets up a shared mind: looks at the server, creates the tables, tries them, and only then writes the setting. If anything
 * is missing or fails, the setting stays as it was, and the server has no half of a table.
 */
export async function setUpDatabase(typed: string | undefined, globals: Globals): Promise<number> {
  const before = loadConfig({ home: globals.home });
  const address = requireAddress(typed ?? thisMachine().env["OLDHAND_DATABASE"] ?? (await askAddress(globals)));
  const connectMs = before.policy.store.busySeconds * 1_000;
  const { examinePostgres } = await import("../../../store/postgres/examine.ts");
  const exam = await examinePostgres(address, connectMs);
  const blocking = exam.missing.filter((one) => one.isNeeded);
  if (blocking.length > 0) {
    print(globals, { ...describeExam(exam), done: false }, formatBlocked(exam));
    return 1;
  }
  await tryStore(exam, { connectMs, machine: before.policy.team.machine });
  writeSettings(before.home, [["database", exam.address]]);
  const left = findLeftMind(before.home, before.database);
  print(globals, { ...describeExam(exam), done: true, left }, formatDone(exam, { home: before.home, left }));
  return 0;
}

function requireAddress(text: string): string {
  const address = text.trim();
  const isOurs = /^postgres(?:ql)?:\/\//.test(address);
  const fault = isOurs ? findAddressFault(address) : null;
  if (isOurs && fault === null) return address;
  const what = address === "" ? "no address was given" : "this is not the address of a PostgreSQL database";
  throw new OldhandError("usage", fault?.what ?? what, {
    hint: `${fault?.hint ?? "such as postgres://user:password@host:5432/database"}; nothing was changed`,
  });
}

async function askAddress(globals: Globals): Promise<string> {
  if (globals.json)
    throw new OldhandError("usage", "the address is missing", {
      hint: "oldhand init --database postgres://user:password@host:5432/database",
    });
  const lines = createInterface({
    input: process.stdin,
    output: process.stderr,
    terminal: process.stdin.isTTY === true,
  });
  process.stderr.write("Address of the PostgreSQL database (postgres://user:password@host:5432/database): ");
  const { value, done } = await lines[Symbol.asyncIterator]().next();
  lines.close();
  if (process.stdin.isTTY !== true) process.stderr.write("\n");
  return done === true ? "" : value;
}

/** Creates or migrates the tables, and writes and reads a row that is rolled back. */
async function tryStore(
  exam: PostgresExam,
  { connectMs, machine }: { readonly connectMs: number; readonly machine: string },
): Promise<void> {
  const store = await openStore({ database: exam.address, busyMs: connectMs, machine });
  try {
    const { tryWriting } = await import("../../../store/state/try-writing.ts");
    await tryWriting(store.db);
  } finally {
    await store.close();
  }
}

/** The SQLite file that was the mind so far, if it stays behind. */
function findLeftMind(home: string, database: string): string | null {
  const file = /^postgres(?:ql)?:\/\//.test(database) ? join(home, settings.database.default) : database;
  return existsSync(file) ? file : null;
}

function describeExam({ place, server, role, schema, throughPooler, missing, reach }: PostgresExam) {
  return { place, server, role, schema, throughPooler, missing, reach, hooksInTime: describeReach(reach).inTime };
}

function formatExam({ place, server, role, schema, throughPooler, reach }: PostgresExam): readonly string[] {
  const { text, hint } = describeReach(reach);
  return [
    `${place}: PostgreSQL ${server}, as ${role}${schema === null ? "" : `, schema ${schema}`}`,
    throughPooler
      ? "It is behind a transaction pooler; oldhand uses no session there (?pooler=transaction)."
      : "The connection is direct: no pooler.",
    `${text.replace(/^r/, "R")}.${hint === null ? "" : ` To change that, ${hint}.`}`,
  ];
}

function formatMissing(missing: readonly MissingRight[]): readonly string[] {
  return missing.flatMap(({ what, sql }) => [
    `- ${what}. As the owner of the server:`,
    ...sql.split("\n").map((line) => `    ${line}`),
  ]);
}

function formatBlocked(exam: PostgresExam): string {
  return [
    ...formatExam(exam),
    "Missing:",
    ...formatMissing(exam.missing.filter(({ isNeeded }) => isNeeded)),
    ...(exam.missing.every(({ isNeeded }) => isNeeded)
      ? []
      : [
          "Also missing; sessions and rules do not need it:",
          ...formatMissing(exam.missing.filter(({ isNeeded }) => !isNeeded)),
        ]),
    "Nothing was changed. Run the SQL, then this command again. docs/team.md has a role with the least rights.",
  ].join("\n");
}

function formatDone(
  exam: PostgresExam,
  { home, left }: { readonly home: string; readonly left: string | null },
): string {
  return [
    ...formatExam(exam),
    "The tables are there, and a row could be written and read.",
    ...(exam.missing.length === 0
      ? []
      : ["Sessions and rules work. What is missing for the rest:", ...formatMissing(exam.missing)]),
    `Written: database in ${join(home, "config.json")}. Agents use it from their next call on.`,
    ...(left === null
      ? []
      : [
          `The mind in ${left} stays as it is. To move it: OLDHAND_DATABASE=${left} oldhand backup mind.gz, then oldhand restore mind.gz --write (replaces what is in PostgreSQL).`,
        ]),
  ].join("\n");
}

function print(globals: Globals, json: object, text: string): void {
  process.stdout.write(globals.json ? `${JSON.stringify(json)}\n` : `${text}\n`);
}

import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { invoke } from "../../src/invoke.ts";
import { fixedClock } from "../../src/lib/clock.ts";
import { openContext, type OpenMind } from "../../src/mind.ts";
import { importFile } from "../../src/observe/imports/import.ts";
import type { Operation } from "../../src/operation.ts";
import { operations } from "../../src/operations.ts";
import { syncMemoryFiles } from "../../src/recall/identity/memory-files.ts";
import { appendEvents } from "../../src/store/events/events.ts";
import { insertChatSession } from "../../src/store/chat/chat-sessions.ts";
import { storeCall } from "../../src/store/models/calls.ts";
import { expectDeclared } from "../expect-declared.ts";
import { sample } from "../program.ts";
import { aModelCall } from "../store/sample-model-call.ts";
import { anEvent } from "../store/samples.ts";
import type { TestStore } from "../stores.ts";

export interface PendingMind {
  readonly mind: OpenMind;
  /** Ids in this mind, by kind. */
  readonly ids: Readonly<Record<"rule" | "memory" | "session" | "change" | "goal", string>>;
  run(name: string, input?: object): Promise<unknown>;
  /** Adds new events, a marked memory and an edit by the owner, none of them processed. */
  leaveWork(): Promise<void>;
  close(): Promise<void>;
}

/** A mind with something of every kind, in a temporary home, on either store. */
export async function pendingMind(kind: TestStore): Promise<PendingMind> {
  const home = mkdtempSync(join(tmpdir(), "oldhand-effects-"));
  writeFileSync(join(home, "config.json"), '{"embedder": "none", "models": {"use": ["ollama/scripted"]}}\n');
  const { database, remove } = await kind.migrated();
  const now = Date.parse("2026-11-01T12:00:00Z");
  const mind = await openContext({ home, database, clock: fixedClock(now), env: {} });
  const run = async (name: string, input: object = {}) => {
    const result: unknown = await invoke(mind, named(name), input, name);
    expectDeclared(named(name), result);
    return result;
  };
  await importFile(mind, { path: sample, from: "neutral" });
  await run("init", { name: "Ada" });
  await run("distil", { write: true });
  const rules = (await run("rules list")) as { id: string; matcher: { head?: string } | null }[];
  const rule = rules.find((one) => one.matcher?.head === "docker compose up");
  await run("rules approve", { id: rule?.id });
  await run("learn", { text: "Never push to main.", command: "git push origin main" });
  await run("mistake", {
    ...{ what: "pushed a broken build", why: "trusted an old run", shouldHave: "run the tests again" },
    ...{ pattern: "not-verifying", signal: 'the last run said "0 tests"' },
  });
  await run("working keep", { session: "sample-01", text: "reading the parser" });
  const made = (await run("remember", { text: "The owner prefers Rust", key: "language", pinned: true })) as {
    memory: { id: string };
  };
  const { goal } = (await run("goal add", { title: "parse everything" })) as { goal: { id: string } };
  await storeCall(mind.db, aModelCall("mc_1", now - 1_000));
  await insertChatSession(mind.db, {
    ...{ id: "chat_1", at: now, usedAt: now, title: "parsers", cwd: home, workspace: home },
    ...{ mode: "ask", model: null, parent: null, entries: 0 },
  });
  await syncMemoryFiles(mind);
  let works = 0;
  return {
    mind,
    ids: { rule: rule?.id ?? "", memory: made.memory.id, session: "sample-01", change: "1", goal: goal.id },
    run,
    leaveWork: async () => {
      const n = ++works;
      const marked = [
        `[MEMORY]{"content": "Fact number ${n} about parsers", "importance": 90}`,
        `[WIN]{"what": "parsed file ${n}", "why": "read its head first", "pattern": "reading-first"}`,
        `[TASK_ADD]{"goal": "${goal.id}", "title": "parse file ${n}"}`,
      ];
      const said = `Noted. ${marked.join(" ")}`;
      const at = now - 10_000 + n;
      const unread = { ok: false, outcome: null, exitCode: 1, error: "no such file: parser", at, session: "unread" };
      await appendEvents(mind.db, [
        anEvent(`call ${n}`, unread),
        anEvent(`prompt ${n}`, {
          kind: "prompt",
          tool: null,
          head: null,
          text: "no, that is wrong",
          at,
          session: "new",
        }),
        anEvent(`answer ${n}`, {
          kind: "answer",
          tool: null,
          head: null,
          outcome: null,
          text: said,
          at,
          session: "new",
        }),
      ]);
      appendFileSync(join(home, "MEMORY.md"), `\n§\nThe owner wrote line ${n} about parsers.\n`);
      appendFileSync(join(home, "SOUL.md"), `- Point ${n} of the owner.\n`);
    },
    close: async () => {
      await mind.close();
      await remove();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function named(name: string): Operation {
  const found = operations.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no operation ${name}`);
  return found;
}

/** Every table and every file of the home, as text. */
export async function dumpOf({ mind }: Pick<PendingMind, "mind">): Promise<ReadonlyMap<string, string>> {
  const dump = new Map<string, string>();
  for (const table of await tablesOf(mind)) {
    const rows = await mind.db.all(`select * from ${table}`);
    const bytes = (_key: string, value: unknown) => (value instanceof Uint8Array ? [...value] : value);
    dump.set(
      table,
      rows
        .map((row) => JSON.stringify(row, bytes))
        .toSorted()
        .join("\n"),
    );
  }
  for (const name of readdirSync(mind.config.home, { recursive: true, encoding: "utf8" })) {
    const path = join(mind.config.home, name);
    if (statSync(path).isFile()) dump.set(`file ${name}`, readFileSync(path, "utf8"));
  }
  return dump;
}

async function tablesOf({ db, store }: OpenMind): Promise<readonly string[]> {
  const rows =
    store.kind === "sqlite"
      ? await db.all<{ name: string }>(
          "select name from sqlite_master where type = 'table' and name not like 'sqlite_%'",
        )
      : await db.all<{ name: string }>("select tablename as name from pg_tables where schemaname = current_schema()");
  return rows.map((row) => row.name);
}

export function changedBetween(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name)).toSorted();
}

import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NewEvent } from "../src/domain/event/event.ts";
import type { Store, SqlValue } from "../src/store/engine/db.ts";
import { appendEvents } from "../src/store/events/events.ts";
import { openStore } from "../src/store/open.ts";
import { connect } from "../src/store/sqlite/engine.ts";
import {
  INGEST_BATCH_SIZE,
  makeBlocks,
  makeEvents,
  type StoreDriver,
  type BenchMinds,
  makeOwnDriver,
  SESSION_PAGE_SIZE,
} from "./store-measures.ts";

const pieces = {
  singleInserts: 200,
  batchedIngest: 2 * INGEST_BATCH_SIZE,
  eventById: 400,
  sessionPage: 40,
  failuresBySignature: 80,
};

export async function openSqliteBench(sizes: readonly number[], say: (line: string) => void): Promise<BenchMinds> {
  const dir = mkdtempSync(join(tmpdir(), "oldhand-bench-"));
  const stores: Store[] = [];
  const floors: FloorDriver[] = [];
  const of: BenchMinds["of"][number][] = [];
  for (const size of sizes) {
    say(`storing ${size} events`);
    const path = join(dir, `ours-${size}.db`);
    const store = await openStore({ database: path, busyMs: 10_000 });
    stores.push(store);
    for (let from = 0; from < size; from += INGEST_BATCH_SIZE)
      await appendEvents(store.db, makeEvents(from, Math.min(INGEST_BATCH_SIZE, size - from)));
    await store.db.all("pragma wal_checkpoint(truncate)");
    copyFileSync(path, join(dir, `floor-${size}.db`));
    const floor = makeFloorDriver(join(dir, `floor-${size}.db`));
    floors.push(floor);
    const ours = makeOwnDriver(store.db, (kept) => store.db.run("delete from events where id > ?", [kept]));
    of.push({ size, ours: makeBlocks(ours, size, pieces), floor: makeBlocks(floor, size, pieces) });
  }
  return {
    of,
    pieces,
    say,
    remove: async () => {
      for (const store of stores) await store.close();
      for (const floor of floors) floor.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

interface FloorDriver extends StoreDriver {
  close(): void;
}

/** The simplest code that does the work: prepared statements, raw rows. */
function makeFloorDriver(path: string): FloorDriver {
  const db = connect(path);
  db.exec("pragma busy_timeout = 10000; pragma journal_mode = wal; pragma synchronous = normal");
  db.exec("pragma foreign_keys = on; pragma cache_size = -65536");
  const insert = db.prepare(makeInsertSql(() => "?"));
  const byId = db.prepare(`${selectSql} where id = ?`);
  const page = db.prepare(
    `${selectSql} where session = ? and host = ? and seq > ? order by seq limit ${SESSION_PAGE_SIZE}`,
  );
  const failures = db.prepare(
    `${selectSql} where signature = ? and outcome = 'failed' and benign = 0 order by id desc limit 20`,
  );
  const remove = db.prepare("delete from events where id > ?");
  return {
    insert: async (event) => insert.run(...toRowValues(event)),
    ingest: async (batch) => {
      db.exec("begin immediate");
      for (const event of batch) insert.run(...toRowValues(event));
      db.exec("commit");
    },
    byId: async (id) => byId.get(id),
    page: async (session) => page.all(session, "claude-code", -1),
    failures: async (signature) => failures.all(signature),
    reset: async (size) => remove.run(size),
    close: () => db.close(),
  };
}

const columns =
  "host, session, uid, seq, at, kind, workspace, cwd, tool, head, input, ok, outcome, benign, exit_code, error, signature, text, model, agent, duration_ms";

export const selectSql = `select id, ${columns} from events`;

export function makeInsertSql(place: (index: number) => string, rows = 1): string {
  const width = columns.split(", ").length;
  const groups = Array.from(
    { length: rows },
    (_, row) => `(${Array.from({ length: width }, (__, i) => place(row * width + i + 1)).join(", ")})`,
  );
  return `insert into events (${columns}) values ${groups.join(", ")} on conflict (session, host, uid) do nothing`;
}

export function toRowValues(event: NewEvent): SqlValue[] {
  return [
    event.host,
    event.session,
    event.uid,
    event.seq,
    event.at,
    event.kind,
    event.workspace,
    event.cwd,
    event.tool,
    event.head,
    JSON.stringify(event.input),
    event.ok ? 1 : 0,
    event.outcome,
    0,
    event.exitCode,
    event.error,
    event.signature,
    event.text,
    event.model,
    event.agent,
    event.durationMs,
  ];
}

import { join } from "node:path";
import { openContext } from "../src/mind.ts";
import { appendEvents } from "../src/store/events/events.ts";
import { connect } from "../src/store/sqlite/engine.ts";
import { makeEvent } from "./store-events.ts";

const BASE = 1_000;

/**
 * Creates a home whose mind has this many events, closed and checkpointed. The first thousand are made one by one;
 * SQLite copies the rest from them with new session and event ids, which takes seconds for a million.
 */
export async function fillMind(home: string, events: number): Promise<void> {
  const mind = await openContext({ home, env: {} });
  const first = Math.min(BASE, events);
  await appendEvents(
    mind.db,
    Array.from({ length: first }, (_, n) => makeEvent(n)),
  );
  await mind.close();
  const connection = connect(join(home, "mind.db"));
  // Durability is not needed.
  connection.exec("pragma synchronous = off; pragma cache_size = -400000; pragma temp_store = memory");
  for (let from = first; from < events; from += COPIES) {
    const copies = Math.min(COPIES, events - from);
    connection.prepare(copy).run(from, copies);
  }
  connection.exec("pragma wal_checkpoint(truncate); analyze; pragma wal_checkpoint(truncate)");
  connection.close();
}

const COPIES = 100_000;

/** Session and event ids are scattered like real ones, so that indexes are tested realistically. */
const copy = `
  with recursive numbers(n) as (select ?1 union all select n + 1 from numbers where n + 1 < ?1 + ?2)
  insert into events (host, session, uid, seq, at, kind, workspace, cwd, tool, head, input, ok, outcome, benign, exit_code, error, signature, text, model, agent, duration_ms)
  select host, printf('%08x-%s', (n / 100 * 2654435761) & 0xffffffff, session), printf('toolu_%016x', n * 2654435761),
    n % 100, 1700000000000 + n * 1000, kind, workspace, cwd, tool, head, input, ok, outcome, benign, exit_code, error, signature, text, model, agent, duration_ms
  from numbers join events on events.id = 1 + n % ${BASE}`;

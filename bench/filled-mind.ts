import { join } from "node:path";
import { openContext } from "../src/mind.ts";
import { appendEvents } from "../src/store/events/events.ts";
import { connect } from "../src/store/sqlite/engine.ts";
import { makeEvent } from "./store-events.ts";

const BASE = 1_000;

/**
 * A home whose mind holds so many events, closed and tidied up. The first thousand are made one by one; SQLite itself
 * makes the rest out of them, each with a session and a name of its own, which takes seconds for a million.
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
  // Nobody minds if this mind is lost half-way.
  connection.exec("pragma synchronous = off; pragma cache_size = -400000; pragma temp_store = memory");
  for (let from = first; from < events; from += COPIES) {
    const copies = Math.min(COPIES, events - from);
    connection.prepare(copy).run(from, copies);
  }
  connection.exec("pragma wal_checkpoint(truncate); analyze; pragma wal_checkpoint(truncate)");
  connection.close();
}

const COPIES = 100_000;

/** As scattered as real names: an index must meet them as it would meet others. */
const copy = `
  with recursive numbers(n) as (select ?1 union all select n + 1 from numbers where n + 1 < ?1 + ?2)
  insert into events (host, session, uid, seq, at, kind, workspace, cwd, tool, head, input, ok, outcome, benign, exit_code, error, signature, text, model, agent, duration_ms)
  select host, printf('%08x-%s', (n / 100 * 2654435761) & 0xffffffff, session), printf('toolu_%016x', n * 2654435761),
    n % 100, 1700000000000 + n * 1000, kind, workspace, cwd, tool, head, input, ok, outcome, benign, exit_code, error, signature, text, model, agent, duration_ms
  from numbers join events on events.id = 1 + n % ${BASE}`;

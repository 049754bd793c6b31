import type pg from "pg";
import type { StoreWatch } from "../engine/db.ts";
import { storeError } from "./errors.ts";
import type { PostgresLocation } from "./url.ts";

const POLL_MS = 1_000;
const RECONNECT_MS = 2_000;

/**
 * Changes of the mind are announced with NOTIFY, by a trigger on the journal. Events are not: NOTIFY
 * serialises commits, and there are a thousand events per change, so their highest id is polled.
 */
export async function watchChannel(
  driver: typeof pg,
  pool: pg.Pool,
  where: PostgresLocation,
  onChange: () => void,
): Promise<StoreWatch> {
  // LISTEN needs a dedicated connection, which a transaction pooler does not provide.
  const listening = where.throughPooler ? null : await listen(driver, where, "oldhand_changed", onChange);
  const poll = await pollEvents(pool, onChange);
  return {
    close: async () => {
      poll.stop();
      await listening?.close();
    },
  };
}

async function pollEvents(pool: pg.Pool, onChange: () => void): Promise<{ stop(): void }> {
  const last = async () =>
    (await pool.query("select max(id) as id, (select max(id) from journal) as change from events")).rows[0] as {
      id: number;
      change: number;
    };
  let seen = await last();
  const timer = setInterval(() => {
    last().then(
      (now) => {
        if (now.id === seen.id && now.change === seen.change) return;
        seen = now;
        onChange();
      },
      // The server is unreachable: the next poll finds it, or the next operation reports it.
      () => {},
    );
  }, POLL_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

/** Goes on after its connection was lost. The payload of each notice is passed on. */
export async function listen(
  driver: typeof pg,
  where: PostgresLocation,
  channel: string,
  onNotice: (payload: string | undefined) => void,
): Promise<StoreWatch> {
  let closed = false;
  let client: pg.Client | undefined;
  const open = async (): Promise<void> => {
    client = new driver.Client({ connectionString: where.connection, application_name: "oldhand watch" });
    client.on("notification", ({ payload }) => onNotice(payload));
    client.on("error", again);
    await client.connect();
    await client.query(`listen ${channel}`);
  };
  let waiting: NodeJS.Timeout | undefined;
  // A connection may report several errors, and the server may be away for longer than one attempt.
  const again = (): void => {
    if (closed || waiting !== undefined) return;
    waiting = setTimeout(() => {
      waiting = undefined;
      void open().catch(again);
    }, RECONNECT_MS);
    waiting.unref();
  };
  try {
    await open();
  } catch (error) {
    throw storeError(error, where.place);
  }
  return {
    close: async () => {
      closed = true;
      clearTimeout(waiting);
      await client?.end();
    },
  };
}

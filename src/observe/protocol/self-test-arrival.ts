import { HOUR } from "../../lib/clock.ts";
import type { NewEvent } from "../../domain/event/event.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Db } from "../../store/engine/db.ts";
import { getValue, putValue, removeValue } from "../../store/state/kv.ts";

/**
 * A self-test's event goes the whole way of a real one, up to the store, and is noted there instead of stored: no
 * report, no session and no time of the last event knows of it.
 */
export async function recordSelfTestArrival(
  ctx: { readonly db: Db; readonly clock: Clock },
  events: readonly Pick<NewEvent, "host" | "session">[],
): Promise<void> {
  for (const { host, session } of events)
    await putValue(ctx.db, {
      space: SPACE,
      key: session,
      value: host,
      now: ctx.clock.now(),
      ttlMs: HOUR,
      maxBytes: 1_000_000,
    });
}

/** Which host's event arrived under this name; null: none. It is forgotten by asking. */
export async function takeSelfTestArrival(
  ctx: { readonly db: Db; readonly clock: Clock },
  session: string,
): Promise<string | null> {
  const host = await getValue(ctx.db, SPACE, session, ctx.clock.now());
  if (host !== null) await removeValue(ctx.db, SPACE, session);
  return host;
}

const SPACE = "self-test";

import { HOUR } from "../../lib/clock.ts";
import type { NewEvent } from "../../domain/event/event.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Db } from "../../store/engine/db.ts";
import { getValue, putValue, removeValue } from "../../store/state/kv.ts";

/**
 * A self-test's event takes the whole way of a real one up to the store, where only its arrival is noted. It appears
 * in no report and no session, and does not change the time of the last event.
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

/** The host whose event arrived under this session name; null if none. Reading it deletes it. */
export async function takeSelfTestArrival(
  ctx: { readonly db: Db; readonly clock: Clock },
  session: string,
): Promise<string | null> {
  const host = await getValue(ctx.db, SPACE, session, ctx.clock.now());
  if (host !== null) await removeValue(ctx.db, SPACE, session);
  return host;
}

const SPACE = "self-test";

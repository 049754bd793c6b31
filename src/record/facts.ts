import type { Context } from "../context.ts";
import { type NewEvent, isFailure } from "../domain/event/event.ts";
import { readCall } from "../domain/cause/read-call.ts";
import { findFactsInFailure } from "../domain/fact/read-failure.ts";
import { findEventId, addFacts } from "../store/derived/facts.ts";

/** Stores at once what failed calls show about their workspace, so that the session's next call can use it. */
export async function storeFacts(ctx: Pick<Context, "db">, calls: readonly NewEvent[]): Promise<void> {
  for (const call of calls) await storeFactsOfCall(ctx, call);
}

async function storeFactsOfCall({ db }: Pick<Context, "db">, call: NewEvent): Promise<void> {
  const { tool, workspace, host, session, at } = call;
  if (tool === null || workspace === null) return;
  const read = { ...call, tool, ...readCall(call) };
  if (!isFailure(read)) return;
  const shown = findFactsInFailure(read, read.error ?? "");
  const event = shown.length === 0 ? null : await findEventId(db, call);
  // Null if the call's session was purged: nothing of it is stored again.
  if (event === null) return;
  await addFacts(
    db,
    shown.map((fact) => ({ ...fact, workspace, host, session, event, at, instead: null })),
  );
}

import type { Context } from "../context.ts";
import { type NewEvent, isFailure } from "../domain/event/event.ts";
import { readCall } from "../domain/event/reading.ts";
import { factsShownBy } from "../domain/fact/read-failure.ts";
import { eventNumber, addFacts } from "../store/facts.ts";

/** What calls that just failed show of their workspace, at once: the next call of the session is told. */
export async function rememberFacts(ctx: Pick<Context, "db">, calls: readonly NewEvent[]): Promise<void> {
  for (const call of calls) await rememberOf(ctx, call);
}

async function rememberOf({ db }: Pick<Context, "db">, call: NewEvent): Promise<void> {
  const { tool, workspace, host, session, at } = call;
  if (tool === null || workspace === null) return;
  const read = { ...call, tool, ...readCall(call) };
  if (!isFailure(read)) return;
  const shown = factsShownBy(read, read.error ?? "");
  const event = shown.length === 0 ? null : await eventNumber(db, call);
  // One that was purged stays away, with all that it shows.
  if (event === null) return;
  await addFacts(
    db,
    shown.map((fact) => ({ ...fact, workspace, host, session, event, at, instead: null })),
  );
}

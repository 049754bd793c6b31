import type { Context } from "../context.ts";
import { titleFrom } from "../domain/event/title.ts";
import { summaryOf } from "../distil/summary.ts";
import { oneLine } from "../lib/text.ts";
import { eventsByIds } from "../store/events.ts";
import { type FirstEvent, firstEvents } from "../store/first-events.ts";
import type { SessionName } from "../store/purge-scope.ts";

/** So far into a session its first prompt comes. */
const EACH = 16;

/** What each session is about, by which it can be told from others: its first prompt, or its first deed. */
export async function titlesOf({ db }: Pick<Context, "db">, sessions: readonly SessionName[]) {
  const titles = new Map<string, string>();
  const deeds = new Map<number, string>();
  const first = new Map<string, FirstEvent[]>();
  for (const event of await firstEvents(db, sessions, EACH)) {
    const key = keyOf({ host: event.host, id: event.session });
    first.set(key, [...(first.get(key) ?? []), event]);
  }
  for (const [key, events] of first) {
    const title = events.map((event) => titleFrom(event.text ?? "")).find((one) => one !== null) ?? null;
    const deed = events.find((event) => event.kind === "call");
    if (title !== null) titles.set(key, title);
    else if (deed) deeds.set(deed.id, key);
  }
  for (const event of await eventsByIds(db, [...deeds.keys()]))
    titles.set(deeds.get(event.id) ?? "", oneLine(summaryOf(event), 90));
  return (session: SessionName): string | null => titles.get(keyOf(session)) ?? null;
}

function keyOf({ host, id }: SessionName): string {
  return `${host} ${id}`;
}

import type { Context } from "../../context.ts";
import { titleFrom } from "../../domain/event/title.ts";
import { typedPart } from "../../domain/turn/message-data.ts";
import { summariseEvent } from "../../distil/report/event-summary.ts";
import { oneLine } from "../../lib/text.ts";
import { getEventsByIds } from "../../store/events/events.ts";
import { type FirstEvent, listFirstEvents } from "../../store/events/first-events.ts";
import type { SessionKey } from "../../store/events/around-session.ts";

/** The first prompt comes within this many events. */
const MAX_FIRST_EVENTS = 16;

/** A title that distinguishes each session: its first prompt, or its first call. */
export async function readSessionTitles({ db }: Pick<Context, "db">, sessions: readonly SessionKey[]) {
  const titles = new Map<string, string>();
  const callKeys = new Map<number, string>();
  const first = new Map<string, FirstEvent[]>();
  for (const event of await listFirstEvents(db, sessions, MAX_FIRST_EVENTS)) {
    const key = sessionKey({ host: event.host, id: event.session });
    first.set(key, [...(first.get(key) ?? []), event]);
  }
  for (const [key, events] of first) {
    const title = events.map((event) => titleFrom(typedPart(event.text ?? ""))).find((one) => one !== null) ?? null;
    const firstCall = events.find((event) => event.kind === "call");
    if (title !== null) titles.set(key, title);
    else if (firstCall) callKeys.set(firstCall.id, key);
  }
  for (const event of await getEventsByIds(db, [...callKeys.keys()]))
    titles.set(callKeys.get(event.id) ?? "", oneLine(summariseEvent(event), 90));
  return (session: SessionKey): string | null => titles.get(sessionKey(session)) ?? null;
}

function sessionKey({ host, id }: SessionKey): string {
  return `${host} ${id}`;
}

import type { Session, SessionEvent } from "./contract.ts";
import type { EventPage } from "./shapes.ts";

/** The stretch of a session that has been read so far: always one piece, without gaps. */
export type EventWindow = {
  readonly session: Session | null;
  readonly events: readonly SessionEvent[];
  /** The stretch begins after this seq; null: at the beginning of the session. */
  readonly after: number | null;
  readonly more: boolean;
};

export const emptyWindow: EventWindow = { session: null, events: [], after: null, more: false };

/** How many events before the one asked for tell how it came about. */
export const EVENTS_BEFORE = 15;

/** Where to read again when something changed: a call at the end may have got its outcome by now. */
export function findRereadSeq({ events, after }: EventWindow): number | null {
  const tail = events.slice(-EVENTS_BEFORE - 1);
  return tail.length > EVENTS_BEFORE ? Math.min(...tail.map(({ seq }) => seq)) : after;
}

export function findLastSeq({ events, after }: Pick<EventWindow, "events" | "after">): number | null {
  return events.reduce<number | null>((last, { seq }) => Math.max(last ?? seq, seq), null) ?? after;
}

export function isSeqInWindow(window: EventWindow, seq: number): boolean {
  if (window.session === null) return false;
  const reaches = !window.more || seq <= (findLastSeq(window) ?? 0);
  return reaches && (window.after === null || seq > window.after);
}

/** Adds a page that was read after the seq `after`; the newer reading of an event wins. */
export function addPage(known: EventWindow, page: EventPage, after: number | null): EventWindow {
  const byId = new Map([...known.events, ...page.events].map((event) => [event.id, event]));
  const pageEnd = findLastSeq({ events: page.events, after }) ?? 0;
  return {
    session: page.session,
    events: [...byId.values()].sort(compareTimes),
    after: known.session === null ? after : pickEarlier(known.after, after),
    more: pageEnd >= (findLastSeq(known) ?? 0) ? page.more : known.more,
  };
}

/** As the server tells them: a call that was read late stands where it happened, not where it was stored. */
function compareTimes(a: SessionEvent, b: SessionEvent): number {
  return Date.parse(a.at) - Date.parse(b.at) || a.seq - b.seq;
}

function pickEarlier(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : Math.min(a, b);
}

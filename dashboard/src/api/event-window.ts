import type { Session, SessionEvent } from "./contract.ts";
import type { EventPage } from "./shapes.ts";

/** The events of a session read so far: one contiguous range, without gaps. */
export type EventWindow = {
  readonly session: Session | null;
  readonly events: readonly SessionEvent[];
  /** The range begins after this seq; null: at the beginning of the session. */
  readonly after: number | null;
  readonly more: boolean;
};

export const emptyWindow: EventWindow = { session: null, events: [], after: null, more: false };

/** How many events before the requested one are loaded as context. */
export const EVENTS_BEFORE = 15;

/** The seq after which to read again on a change: recent calls may have got their outcome since. */
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

/** Adds a page that was read after the seq `after`. For an event in both, the page's version wins. */
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

/** The server's order: by time, because a call that was imported late has a higher seq than its time suggests. */
function compareTimes(a: SessionEvent, b: SessionEvent): number {
  return Date.parse(a.at) - Date.parse(b.at) || a.seq - b.seq;
}

function pickEarlier(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : Math.min(a, b);
}

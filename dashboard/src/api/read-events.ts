import type { ApiResult } from "./api-result.ts";
import type { EventPage, EventsQuery } from "./shapes.ts";
import { emptyWindow, type EventWindow, findLastSeq, EVENTS_BEFORE, addPage } from "./event-window.ts";

export type ShowSession = (query: EventsQuery) => Promise<ApiResult<EventPage>>;

export const EVENT_PAGE_SIZE = 200;

/** Reads the events around `at`, or the first page if it is null. */
export async function readAround(show: ShowSession, id: string, at: number | null): Promise<ApiResult<EventWindow>> {
  const start = at === null || at <= EVENTS_BEFORE ? null : at - EVENTS_BEFORE;
  const around = await readNextPage(show, id, { known: emptyWindow, after: start });
  if (around.kind === "failed" || at === null) return around;
  const before = around.value.events.filter(({ seq }) => seq < at).length;
  return before < EVENTS_BEFORE / 2 ? readEarlier(show, id, { known: around.value, enough: EVENTS_BEFORE }) : around;
}

/** Reads one more page, after the seq `after`. */
export async function readNextPage(
  show: ShowSession,
  id: string,
  { known, after }: { readonly known: EventWindow; readonly after: number | null },
): Promise<ApiResult<EventWindow>> {
  const page = await show({ id, limit: EVENT_PAGE_SIZE, ...(after === null ? {} : { after }) });
  return page.kind === "failed" ? page : { kind: "done", value: addPage(known, page.value, after) };
}

/** Reads at least `enough` events before the range, or all that exist. */
export async function readEarlier(
  show: ShowSession,
  id: string,
  { known, enough }: { readonly known: EventWindow; readonly enough: number },
): Promise<ApiResult<EventWindow>> {
  const wanted = known.events.length + enough;
  let window = known;
  // seq may be numbered across all sessions, so a step back may contain few events or none: widen it each time.
  for (let step = EVENT_PAGE_SIZE; window.after !== null && window.events.length < wanted; step *= 4) {
    const start = window.after > step ? window.after - step : null;
    const wider = await readUpToKnown(show, id, { known: window, after: start });
    if (wider.kind === "failed") return wider;
    window = wider.value;
  }
  return { kind: "done", value: window };
}

/** Reads everything from the seq `after` to the start of the known range, so that no gap remains. */
async function readUpToKnown(
  show: ShowSession,
  id: string,
  { known, after }: { readonly known: EventWindow; readonly after: number | null },
): Promise<ApiResult<EventWindow>> {
  const edge = known.after ?? 0;
  let window = known;
  let cursor = after;
  for (;;) {
    const page = await show({ id, limit: EVENT_PAGE_SIZE, ...(cursor === null ? {} : { after: cursor }) });
    if (page.kind === "failed") return page;
    window = addPage(window, page.value, cursor);
    cursor = findLastSeq({ events: page.value.events, after: edge }) ?? edge;
    if (cursor >= edge || !page.value.more) return { kind: "done", value: window };
  }
}

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { callOperation } from "./call.ts";
import type { ApiResult, ApiProblem } from "./api-result.ts";
import { isSeqInWindow, emptyWindow, type EventWindow, findLastSeq, findRereadSeq } from "./event-window.ts";
import { refreshCount } from "./live.ts";
import { EVENT_PAGE_SIZE, readAround, readEarlier, readNextPage, type ShowSession } from "./read-events.ts";

export type Events = {
  readonly window: EventWindow;
  readonly problem: ApiProblem | null;
  readonly loading: boolean;
  readonly loadLater: () => Promise<EventWindow>;
  readonly loadEarlier: () => Promise<EventWindow>;
  readonly reload: () => void;
};

const show: ShowSession = (query) => callOperation("sessions/show", query);

/** The events of a session around `at`, read in pages and refreshed on changes. */
export function useEvents(id: string, at: number | null): Events {
  const window = useSignal<EventWindow>(emptyWindow);
  const problem = useSignal<ApiProblem | null>(null);
  const reading = useRef<Promise<unknown>>(Promise.resolve());
  const waiting = useSignal(0);

  // Reads run one after the other: concurrent ones would overwrite each other's result.
  const take = (read: (known: EventWindow) => Promise<ApiResult<EventWindow>>) => {
    const turn = async () => {
      const result = await read(window.value);
      waiting.value -= 1;
      problem.value = result.kind === "failed" ? result.problem : null;
      if (result.kind === "done") window.value = result.value;
      return window.value;
    };
    waiting.value += 1;
    const taken = reading.current.then(turn);
    reading.current = taken;
    return taken;
  };
  const around = () => readAround(show, id, at);
  const refresh = (known: EventWindow) =>
    known.session === null ? around() : readNextPage(show, id, { known, after: findRereadSeq(known) });

  useEffect(() => {
    // An event outside the range starts a new range; otherwise the window would have a gap.
    const known = window.value;
    const inside = at === null ? known.session !== null : isSeqInWindow(known, at);
    if (!inside) void take(around);
  }, [id, at]);

  const current = refreshCount.value;
  const seen = useRef(current);
  useEffect(() => {
    if (seen.current !== current) void take(refresh);
    seen.current = current;
  }, [current]);

  return {
    window: window.value,
    problem: problem.value,
    loading: waiting.value > 0,
    loadLater: () => take((known) => readNextPage(show, id, { known, after: findLastSeq(known) })),
    loadEarlier: () => take((known) => readEarlier(show, id, { known, enough: EVENT_PAGE_SIZE / 2 })),
    reload: () => void take(refresh),
  };
}

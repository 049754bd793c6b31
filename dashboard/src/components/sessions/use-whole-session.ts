import { useEffect, useRef } from "preact/hooks";
import type { Events } from "../../api/use-events.ts";

/** More events than this are read only on demand: every one of them is a row on the page. */
const MAX_WHOLE_EVENTS = 600;

/** Reads a session of ordinary length to both its ends, so that its timeline is that of the whole session. */
export function useWholeSession({ window, problem, loading, loadEarlier, loadLater }: Events): void {
  const tried = useRef("");
  const { session, events, after, more } = window;
  useEffect(() => {
    if (session === null || session.events > MAX_WHOLE_EVENTS || problem !== null || loading) return;
    // A reading that brought nothing new is not tried again.
    const state = `${events.length} ${after} ${more}`;
    if ((after === null && !more) || tried.current === state) return;
    tried.current = state;
    void (after === null ? loadLater() : loadEarlier());
  });
}

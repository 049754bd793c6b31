import { useEffect, useRef } from "preact/hooks";
import type { Events } from "../../api/use-events.ts";

/** Longer sessions are loaded only on demand, because every event is a row on the page. */
const MAX_WHOLE_EVENTS = 600;

/** Loads a session of ordinary length completely, so that its timeline covers all of it. */
export function useWholeSession({ window, problem, loading, loadEarlier, loadLater }: Events): void {
  const tried = useRef("");
  const { session, events, after, more } = window;
  useEffect(() => {
    if (session === null || session.events > MAX_WHOLE_EVENTS || problem !== null || loading) return;
    // A read that brought nothing new is not repeated.
    const state = `${events.length} ${after} ${more}`;
    if ((after === null && !more) || tried.current === state) return;
    tried.current = state;
    void (after === null ? loadLater() : loadEarlier());
  });
}

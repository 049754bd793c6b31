import type { EventWindow } from "../../api/event-window.ts";
import type { Events } from "../../api/use-events.ts";
import { useKeys } from "../frame/use-keys.ts";
import { isFailedEvent } from "./outcome.ts";

export type Jump = (direction: "next" | "previous") => Promise<void>;

/** Goes to the next or previous failure (keys n and p) and loads more events if needed. */
export function useFailureJump(events: Events, at: number | null, show: (seq: number) => void): Jump {
  const jump: Jump = async (direction) => {
    let known = events.window;
    let found = findFailure(known, at, direction);
    while (found === null && hasMore(known, direction)) {
      const size = known.events.length;
      known = await (direction === "next" ? events.loadLater() : events.loadEarlier());
      // Stops if a page brings nothing new (an error, a truncated session); otherwise this would loop forever.
      if (known.events.length === size) return;
      found = findFailure(known, at, direction);
    }
    if (found !== null) show(found);
  };
  useKeys({
    n: { does: "Go to the next failure", run: () => void jump("next") },
    p: { does: "Go to the previous failure", run: () => void jump("previous") },
  });
  return jump;
}

export function findFailure(
  { events }: Pick<EventWindow, "events">,
  at: number | null,
  direction: "next" | "previous",
): number | null {
  const start = at === null ? -1 : events.findIndex(({ seq }) => seq === at);
  const found =
    direction === "next"
      ? events.slice(start + 1).find(isFailedEvent)
      : events.slice(0, start === -1 ? undefined : start).findLast(isFailedEvent);
  return found?.seq ?? null;
}

function hasMore({ after, more }: EventWindow, direction: "next" | "previous"): boolean {
  return direction === "next" ? more : after !== null;
}

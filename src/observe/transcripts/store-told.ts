import type { NewEvent } from "../../domain/event/event.ts";
import { appendEvents } from "../../store/events.ts";
import { offTimes } from "../off-times.ts";
import type { CatchUpContext } from "../protocol/host.ts";

/** Stores what a transcript tells, but for what happened while oldhand was off. */
export async function storeTold({ db, clock, config }: CatchUpContext, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const off = offTimes(config.home, clock.now());
  const heard = events.filter((event) => !off.has(event));
  if (heard.length > 0) await appendEvents(db, heard);
}

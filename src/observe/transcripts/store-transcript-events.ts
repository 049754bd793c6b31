import type { NewEvent } from "../../domain/event/event.ts";
import { appendEvents } from "../../store/events/events.ts";
import { readOffTimes } from "../off-times.ts";
import type { TranscriptContext } from "../protocol/host.ts";

/** Stores a transcript's events, except those from while oldhand was off. */
export async function storeTranscriptEvents(
  { db, clock, config }: TranscriptContext,
  events: readonly NewEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const off = readOffTimes(config.home, clock.now());
  const wanted = events.filter((event) => !off.has(event));
  if (wanted.length > 0) await appendEvents(db, wanted);
}

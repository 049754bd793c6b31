import { join } from "node:path";
import type { Event } from "../../../src/domain/event/event.ts";
import { listEventsAfter } from "../../../src/store/events/events.ts";
import { openStore } from "../../../src/store/open.ts";
import type { Lab } from "./lab.ts";

/** What hooks stored in a lab's mind, read as whoever asks first reads it. */
export async function storedEvents(lab: Lab): Promise<readonly Event[]> {
  lab.json("status");
  const store = await openStore({ database: join(lab.home, ".oldhand", "mind.db"), busyMs: 5_000 });
  const events = await listEventsAfter(store.db, 0, Number.MAX_SAFE_INTEGER, 10_000);
  await store.close();
  return events;
}

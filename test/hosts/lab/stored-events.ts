import { join } from "node:path";
import type { Event } from "../../../src/domain/event/event.ts";
import { listEventsAfter } from "../../../src/store/events/events.ts";
import { openStore } from "../../../src/store/open.ts";
import type { Lab } from "./lab.ts";

/** Waits for the call with this text in its input to be stored. */
export async function storedCall(lab: Lab, command: string): Promise<Event> {
  for (let n = 0; n < 300; n++) {
    const call = (await storedEvents(lab)).find((one) => JSON.stringify(one.input)?.includes(command));
    if (call !== undefined) return call;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`no call of ${command} was stored`);
}

/** The events in a lab's mind, after a command has digested them. */
export async function storedEvents(lab: Lab, mind = join(lab.home, ".oldhand")): Promise<readonly Event[]> {
  lab.json("status", "--home", mind);
  const store = await openStore({ database: join(mind, "mind.db"), busyMs: 5_000 });
  const events = await listEventsAfter(store.db, 0, Number.MAX_SAFE_INTEGER, 10_000);
  await store.close();
  return events;
}

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeHistory } from "../../bench/made-history.ts";
import type { NewEvent } from "../../src/domain/event/event.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { openContext } from "../../src/mind.ts";
import { appendEvents, countEvents } from "../../src/store/events/events.ts";
import { cursors, readCursor } from "../../src/store/state/cursors.ts";
import { newPlace, type Place } from "../program.ts";
import { serveFrom } from "./serving.ts";

const EVENTS = 12_000;

/** A mind with many undigested events, as another process leaves it during a large import. */
describe("a server with a large backlog", () => {
  let place: Place;

  beforeAll(async () => {
    place = newPlace();
    await inMind(place, async (mind) => {
      const events: NewEvent[] = [...makeHistory(EVENTS, systemClock.now())].flat();
      await appendEvents(mind.db, events);
    });
  });
  afterAll(() => place.remove());

  it("ends on Ctrl-C in the middle of catching up, without doing all of it first", async () => {
    const serving = await serveFrom(place);
    await serving.call("status");
    serving.started.child.kill("SIGINT");
    expect((await serving.started.ended).code).toBe(0);
    await inMind(place, async ({ db }) => {
      expect(await readCursor(db, cursors.digested)).toBeLessThan(await countEvents(db));
    });
  });

  it("answers from what is there, and catches up in the background until all is there", async () => {
    const serving = await serveFrom(place);
    try {
      const first = await serving.call<Counted>("status");
      expect(first.body.counts.events).toBeLessThan(EVENTS);
      const report = await serving.call<Reported>("report", { limit: 5 });
      expect(report.status).toBe(200);
      for (let seen = first.body.counts.events; seen < EVENTS;) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        const { counts } = (await serving.call<Counted>("status")).body;
        expect(counts.events).toBeGreaterThanOrEqual(seen);
        seen = counts.events;
      }
      await expect
        .poll(async () => (await serving.call<Reported>("report", { limit: 5 })).body.mistakes, { timeout: 30_000 })
        .toEqual(expect.arrayContaining([expect.objectContaining({ rule: expect.anything() as unknown })]));
    } finally {
      await serving.stop();
    }
  });
});

interface Counted {
  readonly counts: { readonly events: number };
}

interface Reported {
  readonly mistakes: readonly { readonly rule: unknown }[];
}

async function inMind(place: Place, act: (mind: Awaited<ReturnType<typeof openContext>>) => Promise<void>) {
  const mind = await openContext({ home: place.home, env: {} });
  try {
    await act(mind);
  } finally {
    await mind.close();
  }
}

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HOUR, MINUTE, SECOND } from "../../src/lib/clock.ts";
import { ownMachineName } from "../../src/domain/work/own-machine.ts";
import { saveWorker } from "../../src/store/work/workers.ts";
import { newPauseWatch } from "../../src/work/jobs/watch-pause.ts";
import { workSlots } from "../../src/work/jobs/work-slots.ts";
import { stores } from "../stores.ts";
import { type JobPlace, START, withJobs } from "./job-place.ts";

/** The settings of the home whose worker plans and works from now on. */
function beIn(place: JobPlace, { quietHours }: { readonly quietHours: string }): void {
  const { config } = place.ctx;
  const work = { ...config.policy.work, quietHours };
  Object.assign(place.ctx, { config: { ...config, policy: { ...config.policy, work } } });
  mkdirSync(config.home, { recursive: true });
  writeFileSync(join(config.home, "config.json"), JSON.stringify({ work: { quietHours } }));
}

const quiet = { quietHours: "00:00-23:59" };
const awake = { quietHours: "" };

/** A worker of this home: until it has done something, or for some looks at the store. */
async function workAWhile(place: JobPlace): Promise<void> {
  const stop = new AbortController();
  const before = place.done.length;
  let sleeps = 0;
  await workSlots({
    ctx: place.ctx,
    queue: place.queue,
    queues: ["slots"],
    worker: { id: "w1", leaseMs: 30_000 },
    atOnce: 1,
    pause: newPauseWatch(place.ctx),
    signal: stop.signal,
    sleep: async () => {
      if (++sleeps > 300 || place.done.length > before) stop.abort();
      await new Promise((resolve) => setImmediate(resolve));
    },
    say: () => {},
    work: async ({ name }) => {
      place.done.push(name);
      return { kind: "ran", detail: "" };
    },
  });
}

describe.each(stores)("the quiet hours of one home, on $name", (kind) => {
  const isShared = kind.name === "postgres";

  it.skipIf(!isShared)("leave the slots of a job for any machine to the others", () =>
    withJobs(kind, async (place) => {
      await place.add("shared", { anywhere: true });
      place.clock.set(START + HOUR + SECOND);
      beIn(place, quiet);
      await place.tick();
      expect(await place.fates()).toEqual([]);
      beIn(place, awake);
      await place.tick();
      expect(await place.fates()).toEqual(["13:00 ran"]);
    }),
  );

  it.skipIf(!isShared)("keep its worker from taking such a slot that another machine has queued", () =>
    withJobs(kind, async (place) => {
      await place.add("shared", { anywhere: true });
      place.clock.set(START + HOUR);
      beIn(place, awake);
      await place.plan();
      beIn(place, quiet);
      await workAWhile(place);
      expect(await place.fates()).toEqual(["13:00 due"]);
      beIn(place, awake);
      await workAWhile(place);
      expect(await place.fates()).toEqual(["13:00 ran"]);
    }),
  );

  it.skipIf(!isShared)("that begin when its worker has taken such a slot give it back", () =>
    withJobs(kind, async (place) => {
      await place.add("shared", { anywhere: true });
      place.clock.set(START + HOUR);
      beIn(place, awake);
      await place.plan();
      const claim = await place.claim();
      if (claim === null) throw new Error("nothing was due");
      beIn(place, quiet);
      await place.work(claim);
      expect(place.done).toEqual([]);
      expect(await place.fates()).toEqual(["13:00 due"]);
    }),
  );

  it("are the reason of a slot that no machine took in time", () =>
    withJobs(kind, async (place) => {
      await place.add("shared", { anywhere: true });
      beIn(place, quiet);
      place.clock.set(START + HOUR + 2 * MINUTE);
      await place.tick();
      expect(await place.fates()).toEqual(["13:00 paused"]);
    }));

  it("are the reason at once where no other machine may run it", () =>
    withJobs(kind, async (place) => {
      await place.add("own");
      beIn(place, quiet);
      place.clock.set(START + HOUR);
      await place.tick();
      expect(await place.fates()).toEqual(["13:00 paused"]);
    }));

  it.skipIf(!isShared)("are not shown as those of other machines", () =>
    withJobs(kind, async (place) => {
      await place.add("hers", { machine: "ada-laptop" });
      await place.add("shared", { anywhere: true });
      await place.add("own");
      beIn(place, quiet);
      const waits = async () =>
        Object.fromEntries((await place.run("job list", {})).jobs.map(({ name, waits: text }) => [name, text]));
      const here = `all its times are in the quiet hours of ${ownMachineName(place.ctx.config)}`;
      expect(await waits()).toEqual({ hers: null, shared: here, own: here });
      const now = place.clock.now();
      const ada = "elsewhere/1/1/ada-laptop";
      await saveWorker(place.ctx.db, { id: ada, process: ada, startedAt: now, beatAt: now, doing: null });
      expect(await waits()).toEqual({ hers: null, shared: null, own: here });
    }),
  );

  it.skipIf(!isShared)("name the machine in the reason of a slot", () =>
    withJobs(kind, async (place) => {
      await place.add("own");
      beIn(place, quiet);
      place.clock.set(START + HOUR);
      await place.tick();
      const { slots } = await place.run("job why", { name: "own" });
      expect(slots[0]?.detail).toBe(`it was a quiet hour on ${ownMachineName(place.ctx.config)}`);
    }),
  );

  it("let what runs go on; a pause ends it", () =>
    withJobs(kind, async (place) => {
      const watch = newPauseWatch(place.ctx);
      const signal = watch.signal();
      beIn(place, quiet);
      await watch.look();
      expect(signal.aborted).toBe(false);
      await place.run("pause", {});
      place.clock.advance(1);
      await watch.look();
      expect(signal).toMatchObject({ aborted: true, reason: "work was paused" });
    }));
});

import { describe, expect, it } from "vitest";
import { HOUR, SECOND } from "../../src/lib/clock.ts";
import { OldhandError } from "../../src/lib/errors.ts";
import { sleep } from "../../src/lib/sleep.ts";
import type { Queue } from "../../src/store/engine/queue.ts";
import { ownMachineName } from "../../src/domain/work/own-machine.ts";
import { type Lookout, newLookout } from "../../src/work/jobs/lookout.ts";
import { planDueJobs } from "../../src/work/jobs/plan-slots.ts";
import { runSlot, type WorkResult } from "../../src/work/jobs/run-slot.ts";
import { workClaim, workQueue } from "../../src/work/work-queue.ts";
import { stores } from "../stores.ts";
import { type JobPlace, START, withJobs } from "./job-place.ts";

const LEASE_MS = 30_000;

/** A queue on a server that does not answer while `isAway`. */
function newLine(place: JobPlace) {
  const line = { isAway: false };
  const guard =
    <Args extends unknown[], R>(act: (...args: Args) => Promise<R>) =>
    (...args: Args): Promise<R> =>
      line.isAway
        ? Promise.reject(new OldhandError("store-unreachable", "the database does not answer"))
        : act(...args);
  const { claim, beat, settle, recover, now } = place.queue;
  const queue: Queue = {
    ...place.queue,
    ...{ claim: guard(claim), beat: guard(beat), settle: guard(settle), recover: guard(recover), now: guard(now) },
  };
  return { line, queue };
}

const ran: WorkResult = { kind: "ran", detail: "done" };

/** Sleeps without waiting: the clock of the place moves instead. */
const sleepOf =
  (place: JobPlace, after: () => Promise<void> = async () => {}) =>
  async (ms: number, signal?: AbortSignal): Promise<void> => {
    if (signal?.aborted !== true) place.clock.advance(ms);
    await after();
    await new Promise((resolve) => setImmediate(resolve));
  };

describe.each(stores)("a database that was away longer than the lease, on $name", (kind) => {
  it("lets the owner of a slot settle first: a worker that lost it too takes nothing back for one lease", () =>
    withJobs(kind, async (place) => {
      await place.add("big");
      place.clock.set(START + HOUR);
      await place.plan();
      const claim = await place.claim();
      if (claim === null) throw new Error("nothing was due");
      await place.ctx.db.run("update claims set until = 0");
      const { line, queue } = newLine(place);
      line.isAway = true;
      const stop = new AbortController();
      let backAt = Number.POSITIVE_INFINITY;
      let settled: boolean | null = null;
      await workQueue({
        ...{ db: place.ctx.db, queue, clock: place.clock, names: ["slots"], signal: stop.signal },
        worker: { id: "w2", leaseMs: LEASE_MS },
        sleep: sleepOf(place, async () => {
          const now = place.clock.now();
          if (line.isAway && now > START + HOUR + 2 * LEASE_MS) {
            line.isAway = false;
            backAt = now;
          }
          if (now - backAt < LEASE_MS - 2 * SECOND) return;
          settled ??= await place.ctx.db.tx((tx) => place.queue.settle(tx, claim, { kind: "done" }));
          stop.abort();
        }),
        perform: async () => ({ settlement: { kind: "again" } }),
      });
      expect(settled).toBe(true);
    }));

  it("keeps no slot of a dead owner for longer than that", () =>
    withJobs(kind, async (place) => {
      const { line, queue } = newLine(place);
      line.isAway = true;
      const stop = new AbortController();
      let recovered = 0;
      await workQueue({
        ...{ db: place.ctx.db, clock: place.clock, names: ["slots"], signal: stop.signal },
        queue: {
          ...queue,
          recover: async () => {
            await queue.recover();
            recovered = place.clock.now();
            stop.abort();
            return 0;
          },
        },
        worker: { id: "w2", leaseMs: LEASE_MS },
        sleep: sleepOf(place, async () => {
          if (place.clock.now() > START + LEASE_MS) line.isAway = false;
        }),
        perform: async () => ({ settlement: { kind: "again" } }),
      });
      expect(recovered).toBeLessThan(START + 2 * LEASE_MS + 5 * SECOND);
    }));

  it("ends the slot that its worker ran as lost to the database, which the breaker does not count", () =>
    withJobs(kind, async (place) => {
      await place.add("big");
      place.clock.set(START + HOUR);
      await place.plan();
      const claim = await place.claim();
      if (claim === null) throw new Error("nothing was due");
      const { line, queue } = newLine(place);
      const work = (_job: unknown, _slot: unknown, lost: AbortSignal) =>
        new Promise<WorkResult>((resolve) => {
          line.isAway = true;
          lost.addEventListener("abort", () => {
            resolve({ kind: "stopped", detail: `stopped before its end, because ${String(lost.reason)}` });
            line.isAway = false;
          });
        });
      const on = { db: place.ctx.db, queue, clock: place.clock, sleep: sleepOf(place), signal: place.ctx.signal };
      await workClaim(on, claim, (lost) =>
        runSlot({ ctx: place.ctx, queue: place.queue, worker: "w1", work }, claim, lost),
      );
      const { slots, job } = await place.run("job why", { name: "big" });
      expect(slots[0]).toMatchObject({
        fate: "failed",
        detail: "stopped before its end, because its worker lost the database",
      });
      expect(job?.failures).toBe(0);
    }));

  it("says whose result is not kept, if another worker was faster", () =>
    withJobs(kind, async (place) => {
      await place.add("big");
      place.clock.set(START + HOUR);
      await place.plan();
      const claim = await place.claim();
      if (claim === null) throw new Error("nothing was due");
      const { line, queue } = newLine(place);
      const said: string[] = [];
      const work = async () => {
        line.isAway = true;
        return ran;
      };
      let tries = 0;
      const on = {
        ...{ db: place.ctx.db, queue, clock: place.clock, signal: place.ctx.signal },
        sleep: async (ms: number, signal?: AbortSignal) => {
          if (signal?.aborted === true || ms < SECOND) return sleep(0);
          if (!line.isAway || ++tries < 40) return sleepOf(place)(ms, signal);
          await place.ctx.db.run("delete from claims");
          line.isAway = false;
        },
        onTrouble: (text: string) => said.push(text),
        describe: () => "big",
      };
      await workClaim(on, claim, (lost) =>
        runSlot({ ctx: place.ctx, queue: place.queue, worker: "w1", work }, claim, lost),
      );
      expect(said).toEqual([
        "big: the database was away longer than the lease; another worker recorded it as failed. This result is not kept",
      ]);
    }));
});

describe.each(stores)("slots that were due while nobody could look, on $name", (kind) => {
  const planWith = (place: JobPlace, lookout: Lookout) =>
    planDueJobs(place.ctx, { queue: place.queue, machine: ownMachineName(place.ctx.config), lookout });
  const details = async (place: JobPlace) =>
    (await place.run("job why", { name: "big" })).slots
      .map(({ reason, detail }) => `${reason}: ${detail}`)
      .toReversed();

  it.each([
    ["the database was away", (lookout: Lookout) => lookout.lostStore()],
    ["the worker did not run then: its machine slept, or it was stopped", () => {}],
  ])("say that %s", (why, begin) =>
    withJobs(kind, async (place) => {
      await place.add("big", { late: "skip" });
      const lookout = newLookout(null);
      await planWith(place, lookout);
      begin(lookout);
      place.clock.set(START + 2 * HOUR + 10 * 60 * SECOND);
      await planWith(place, lookout);
      expect(await details(place)).toEqual([`asleep: ${why}`, `asleep: ${why}`]);
    }),
  );

  it("say so too if the worker was started while the database was away", () =>
    withJobs(kind, async (place) => {
      await place.add("big", { late: "skip" });
      place.clock.set(START + HOUR + 10 * 60 * SECOND);
      await planWith(place, newLookout(START));
      expect(await details(place)).toEqual(["asleep: the database was away"]);
    }));

  it("give the newest the place of one that nobody began", () =>
    withJobs(kind, async (place) => {
      await place.add("big");
      place.clock.set(START + HOUR);
      await place.plan();
      place.clock.set(START + 3 * HOUR + 10 * 60 * SECOND);
      await place.tick();
      expect(place.done).toEqual(["big"]);
      expect(await place.fates()).toEqual(["13:00 asleep", "14:00 asleep", "15:00 ran late"]);
    }));

  it("let the newest wait for one that began before", () =>
    withJobs(kind, async (place) => {
      await place.add("big");
      place.clock.set(START + HOUR);
      await place.plan();
      const claim = await place.claim();
      if (claim === null) throw new Error("nothing was due");
      let end = (_result: WorkResult) => {};
      const work = place.work(claim, new Promise((resolve) => (end = resolve)));
      await expect.poll(() => place.fates()).toEqual(["13:00 running"]);
      place.clock.set(START + 3 * HOUR + 10 * 60 * SECOND);
      await place.plan();
      expect(await place.fates()).toEqual(["13:00 running", "14:00 asleep", "15:00 due late"]);
      end(ran);
      await work;
      await place.tick();
      expect(await place.fates()).toEqual(["13:00 ran", "14:00 asleep", "15:00 ran late"]);
    }));
});

describe.each(stores)("a slot whose worker gave no sign of life, on $name", (kind) => {
  it("says for how long, and not that the worker was killed", () =>
    withJobs(kind, async (place) => {
      await place.add("big");
      place.clock.set(START + HOUR);
      await place.plan();
      const claim = await place.claim("elsewhere/1/1/bob");
      if (claim === null) throw new Error("nothing was due");
      await place.ctx.db.run("update job_slots set fate = 'running', worker = ?, attempt = 1", ["elsewhere/1/1/bob"]);
      await place.ctx.db.run("update claims set until = 0");
      expect(await place.queue.recover()).toBe(1);
      await place.tick();
      const { slots } = await place.run("job why", { name: "big" });
      expect(slots[0]?.detail).toBe(
        "its worker gave no sign of life for 30 seconds; how far it got is not known, so it was not run again",
      );
    }));
});

describe.each(stores)("late slots of a job that runs all of them, on $name", (kind) => {
  it("begin before a later one, also if a worker takes that first", () =>
    withJobs(kind, async (place) => {
      await place.add("big", { late: "all" });
      place.clock.set(START + 2 * HOUR + 10 * 60 * SECOND);
      await place.plan();
      const late = await place.claim("w1");
      const later = await place.claim("w2");
      if (late === null || later === null) throw new Error("nothing was due");
      await place.work(later);
      expect(await place.fates()).toEqual(["13:00 due late", "14:00 due late"]);
      await place.work(late);
      place.clock.advance(HOUR);
      // PostgreSQL's own clock measures how long the other slot waits.
      if (kind.name === "postgres")
        await place.ctx.db.run("update oldhand_queue.job set start_after = now() - interval '1 second'");
      await place.tick();
      expect(await place.fates()).toEqual(["13:00 ran late", "14:00 ran late", "15:00 ran late"]);
    }));
});

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HOUR, SECOND } from "../../src/lib/clock.ts";
import { currentProcess, formatProcessRef } from "../../src/lib/process-ref.ts";
import type { Claim } from "../../src/store/engine/queue.ts";
import { openQueue } from "../../src/store/open-queue.ts";
import { readSlot } from "../../src/store/work/slots.ts";
import { runSlot } from "../../src/work/jobs/run-slot.ts";
import { parseSlotItem, SLOT_QUEUE } from "../../src/work/jobs/slot-items.ts";
import { planDueJobs } from "../../src/work/jobs/plan-slots.ts";
import { stores } from "../stores.ts";
import { type JobPlace, START, withJobs } from "./job-place.ts";

/** Takes the next slot and begins its work, which never ends: its worker dies. */
async function beginAndDie(place: JobPlace, worker: string): Promise<Claim> {
  const claim = await place.claim(worker);
  if (claim === null) throw new Error("nothing was due");
  const began = new Promise<void>((resolve) => {
    const work = () => {
      place.done.push(worker);
      resolve();
      return new Promise<never>(() => {});
    };
    void runSlot({ ctx: place.ctx, queue: place.queue, worker, work }, claim, place.ctx.signal);
  });
  await began;
  return claim;
}

/** A process of this machine that is gone: our own number, but another time of birth. */
const deadWorker = formatProcessRef({ ...currentProcess(), born: "1" });

// What people report about other schedulers of agents. Each is a test that it does not happen here.
describe.each(stores)("complaints about scheduled agents, on $name", (kind) => {
  it("a scheduled task fires twice: two workers that find the same slot at once run it once", () =>
    withJobs(kind, async (place) => {
      await place.add("tests", { anywhere: true });
      const opened = await openQueue(place.ctx.store, { queues: [SLOT_QUEUE], clock: place.clock });
      const other = { ...opened, now: place.queue.now };
      for (let hour = 1; hour <= 5; hour++) {
        place.clock.set(START + hour * HOUR);
        await Promise.all([
          planDueJobs(place.ctx, { queue: place.queue, machine: "m1" }),
          planDueJobs(place.ctx, { queue: other, machine: "m2" }),
        ]);
        const claims = await Promise.all([place.claim("w1"), other.claim(SLOT_QUEUE, { id: "w2", leaseMs: 30_000 })]);
        expect(claims.filter((one) => one !== null)).toHaveLength(1);
        for (const claim of claims) if (claim !== null) await place.work(claim);
      }
      expect(place.done).toHaveLength(5);
      expect((await place.fates()).every((fate) => fate.endsWith(" ran"))).toBe(true);
      await opened.close();
    }));

  it("a scheduled task never fires, and all seems well: what nobody ran has a row that says why", () =>
    withJobs(kind, async (place) => {
      await place.add("tests", { late: "skip" });
      place.clock.set(START + 3 * HOUR + 10 * 60 * SECOND);
      await place.tick();
      const { slots } = await place.run("job why", { name: "tests" });
      expect(slots.map(({ fate, reason, detail }) => ({ fate, reason, detail }))).toEqual(
        Array.from({ length: 3 }, () => ({ fate: "missed", reason: "asleep", detail: "no worker was there" })),
      );
    }));

  it("a deleted job keeps firing: a removed one has no more slots, even after a restart", () =>
    withJobs(kind, async (place) => {
      await place.add("tests");
      place.clock.set(START + HOUR);
      await place.tick();
      await place.run("job remove", { name: "tests" });
      place.clock.set(START + 5 * HOUR);
      await place.tick();
      // A new process has a queue of its own.
      const restarted = await openQueue(place.ctx.store, { queues: [SLOT_QUEUE], clock: place.clock });
      await planDueJobs(place.ctx, { queue: { ...restarted, now: place.queue.now }, machine: "m1" });
      expect(await restarted.claim(SLOT_QUEUE, { id: "w2", leaseMs: 30_000 })).toBeNull();
      await restarted.close();
      expect(await place.fates()).toEqual(["13:00 ran"]);
    }));

  it("a dead run reports success: a slot whose worker died has failed, and counts as a failure", () =>
    withJobs(kind, async (place) => {
      await place.add("tests");
      place.clock.set(START + HOUR);
      await place.plan();
      await beginAndDie(place, deadWorker);
      expect(await place.queue.recover()).toBe(1);
      await place.tick();
      const { slots, job } = await place.run("job why", { name: "tests" });
      expect(slots).toMatchObject([{ fate: "failed", detail: expect.stringContaining("how far it got is not known") }]);
      expect(job?.failures).toBe(1);
    }));

  it("a dead run reports success: a command that ends by a signal or with another code than 0 has failed", () =>
    withJobs(kind, async (place) => {
      await place.add("killed", { command: "kill -9 $$" });
      await place.add("wrong", { command: "echo all is well; exit 7" });
      const killed = await place.run("job run", { name: "killed" });
      expect(killed.slot).toMatchObject({ fate: "failed", detail: expect.stringContaining("signal") });
      const wrong = await place.run("job run", { name: "wrong" });
      expect(wrong.slot).toMatchObject({ fate: "failed", detail: "exit 7: all is well" });
    }));

  it("two writers after a lost claim: what the first writes after it lost its slot is refused", () =>
    withJobs(kind, async (place) => {
      await place.add("tests");
      place.clock.set(START + HOUR);
      await place.plan();
      const lost = await beginAndDie(place, deadWorker);
      await place.queue.recover();
      await place.tick();
      // The first worker was only stopped, and goes on: it settles and writes its record.
      const accepted = await place.ctx.db.tx((tx) => place.queue.settle(tx, lost, { kind: "done" }));
      expect(accepted).toBe(false);
      expect(await place.queue.beat(lost)).toBe(false);
      const { job, slot } = parseSlotItem(lost.item);
      expect((await readSlot(place.ctx.db, job, slot))?.fate).toBe("failed");
      expect(place.done).toEqual([deadWorker]);
    }));

  it("a reused process number extends a ghost's claim: a worker born at another time is gone", () =>
    withJobs(kind, async (place) => {
      await place.add("tests");
      place.clock.set(START + HOUR);
      await place.plan();
      await beginAndDie(place, deadWorker);
      expect(await place.queue.recover()).toBe(1);
      expect(await place.queue.recover()).toBe(0);
    }));

  it("finished work is done again: neither a second plan, nor a restore, nor an undo runs a slot again", () =>
    withJobs(kind, async (place) => {
      await place.add("tests");
      place.clock.set(START + HOUR);
      await place.tick();
      const file = join(place.ctx.config.home, "mind.gz");
      await place.run("backup", { file });
      await place.run("restore", { file, write: true });
      await place.tick();
      const { change } = await place.run("job remove", { name: "tests" });
      await place.run("undo", { id: change.id });
      await place.tick();
      expect(place.done).toEqual(["tests"]);
      expect(await place.fates()).toEqual(["13:00 ran"]);
    }));

  it("a dead owner keeps the work: the next slots run after its claim was taken back", () =>
    withJobs(kind, async (place) => {
      await place.add("tests");
      place.clock.set(START + HOUR);
      await place.plan();
      await beginAndDie(place, deadWorker);
      await place.queue.recover();
      await place.tick();
      place.clock.set(START + 2 * HOUR);
      await place.tick();
      expect(await place.fates()).toEqual(["13:00 failed", "14:00 ran"]);
    }));

  it("idle burns money: a worker without a due slot plans, claims and recovers without a write or a call of a model", () =>
    withJobs(kind, async (place) => {
      await place.add("tests", { cron: "0 0 1 1 *", model: "anthropic/claude-sonnet-4-5" });
      // The queue has the same object.
      const { db } = place.ctx;
      const { run, tx } = db;
      Object.assign(db, {
        run: (sql: string) => Promise.reject(new Error(sql)),
        tx: () => Promise.reject(new Error("a transaction")),
      });
      for (let second = 1; second <= 100; second++) {
        place.clock.set(START + second * SECOND);
        await place.plan();
        expect(await place.claim()).toBeNull();
        expect(await place.queue.recover()).toBe(0);
      }
      Object.assign(db, { run, tx });
      expect((await place.run("models calls", {})).calls).toEqual([]);
    }));
});

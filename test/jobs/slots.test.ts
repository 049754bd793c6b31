import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ownMachineName } from "../../src/domain/work/own-machine.ts";
import { newLookout } from "../../src/work/jobs/lookout.ts";
import { planDueJobs } from "../../src/work/jobs/plan-slots.ts";
import { DAY, fixedClock, HOUR, MINUTE, SECOND } from "../../src/lib/clock.ts";
import { currentProcess, formatProcessRef } from "../../src/lib/process-ref.ts";
import { listSlots } from "../../src/store/work/slots.ts";
import { runSlot, type WorkResult } from "../../src/work/jobs/run-slot.ts";
import { reserve, settle } from "../../src/store/models/reservations.ts";
import { stores } from "../stores.ts";
import { failed, START, withJobs } from "./job-place.ts";

describe.each(stores)("the slots of jobs on $name", (kind) => {
  it("have one row each, and are run once", () =>
    withJobs(kind, async (place) => {
      await place.add("tests");
      await place.tick();
      expect(await place.fates()).toEqual([]);
      for (let hour = 1; hour <= 3; hour++) {
        place.clock.set(START + hour * HOUR);
        await place.tick();
        await place.tick();
      }
      expect(await place.fates()).toEqual(["13:00 ran", "14:00 ran", "15:00 ran"]);
      expect(place.done).toHaveLength(3);
    }));

  it("that nobody ran in time are run once late, and the others say that nobody was there", () =>
    withJobs(kind, async (place) => {
      await place.add("tests");
      place.clock.set(START + 3 * HOUR + 30 * MINUTE);
      await place.tick();
      expect(await place.fates()).toEqual(["13:00 asleep", "14:00 asleep", "15:00 ran late"]);
    }));

  it("that were due while no worker was there did not overlap, if it is back within a minute", () =>
    withJobs(kind, async (place) => {
      await place.add("tests", { cron: "*/10 * * * * *" });
      const detailsFrom = async (from: number) =>
        (await place.run("job why", { name: "tests" })).slots
          .toReversed()
          .slice(from)
          .map(({ missed, detail }) => `${missed ?? "ran"}: ${detail ?? ""}`);
      const lookout = newLookout(null);
      const machine = ownMachineName(place.ctx.config);
      const look = async () => {
        await planDueJobs(place.ctx, { queue: place.queue, machine, lookout });
        await place.tick();
      };
      place.clock.set(START + 30 * SECOND);
      await look();
      const only = "only the newest slot of that time is run";
      const nobody = `asleep: no worker was there; ${only}`;
      expect(await detailsFrom(0)).toEqual([nobody, nobody, "ran: done"]);
      place.clock.set(START + 32 * SECOND);
      lookout.lostStore();
      place.clock.set(START + 51 * SECOND);
      await look();
      expect(await detailsFrom(3)).toEqual([`asleep: the database was away; ${only}`, "ran: done"]);
    }));

  it("are due by the schedule of their own time when a job was changed", () =>
    withJobs(kind, async (place) => {
      await place.add("tests", { late: "all" });
      place.clock.set(START + 90 * MINUTE);
      await place.run("job edit", { name: "tests", cron: "*/15 * * * *" });
      place.clock.set(START + 2 * HOUR);
      await place.tick();
      expect(await place.fates()).toEqual(["13:00 ran late", "13:45 ran late", "14:00 ran"]);
    }));

  it("do not exist for the time in which a job was removed", () =>
    withJobs(kind, async (place) => {
      await place.add("tests", { late: "all" });
      place.clock.set(START + 30 * MINUTE);
      const { change } = await place.run("job remove", { name: "tests" });
      place.clock.set(START + 150 * MINUTE);
      await place.tick();
      await place.run("undo", { id: change.id });
      place.clock.set(START + 3 * HOUR);
      await place.tick();
      expect(await place.fates()).toEqual(["15:00 ran"]);
    }));

  it("are missed while the job is disabled", () =>
    withJobs(kind, async (place) => {
      await place.add("tests", { late: "all" });
      await place.run("job disable", { name: "tests" });
      place.clock.set(START + HOUR);
      await place.tick();
      place.clock.set(START + 90 * MINUTE);
      await place.run("job enable", { name: "tests" });
      place.clock.set(START + 2 * HOUR);
      await place.tick();
      expect(await place.fates()).toEqual(["13:00 disabled", "14:00 ran"]);
    }));

  it("are missed while work is paused, also those that were due already", () =>
    withJobs(kind, async (place) => {
      await place.add("tests");
      place.clock.set(START + HOUR);
      await place.plan();
      await place.run("pause", { until: new Date(START + 150 * MINUTE).toISOString() });
      await place.tick();
      place.clock.set(START + 2 * HOUR);
      await place.tick();
      place.clock.set(START + 3 * HOUR);
      await place.tick();
      expect(await place.fates()).toEqual(["13:00 paused", "14:00 paused", "15:00 ran"]);
      expect(place.done).toHaveLength(1);
    }));

  it("are missed while an earlier one runs", () =>
    withJobs(kind, async (place) => {
      await place.add("tests");
      place.clock.set(START + HOUR);
      await place.plan();
      const claim = await place.claim();
      if (claim === null) throw new Error("nothing was due");
      place.clock.set(START + 2 * HOUR);
      await place.plan();
      await place.work(claim);
      place.clock.set(START + 3 * HOUR);
      await place.tick();
      expect(await place.fates()).toEqual(["13:00 ran", "14:00 overlapping", "15:00 ran"]);
    }));

  it("are missed when the job's cap is used up", () =>
    withJobs(kind, async (place) => {
      const { db } = place.ctx;
      await place.add("tests");
      await place.run("models caps set", { kind: "job", name: "tests", amount: "1" });
      const spender = { agent: "a", job: "tests", goal: null };
      const of = { call: "c1", attempt: 1, spender, leaseMs: 60_000, now: START };
      const reserved = await reserve(db, { ...of, amount: 1 });
      if (reserved.kind !== "reserved") throw new Error("it did not fit");
      await settle(db, reserved.reservation, { cost: 1, now: START });
      place.clock.set(START + HOUR);
      await place.tick();
      expect(await place.fates()).toEqual(["13:00 cap"]);
      expect(place.done).toEqual([]);
    }));

  it("of a removed job are not run, even if they were due", () =>
    withJobs(kind, async (place) => {
      await place.add("tests");
      place.clock.set(START + HOUR);
      await place.plan();
      await place.run("job remove", { name: "tests" });
      await place.tick();
      expect(await place.fates()).toEqual(["13:00 disabled"]);
      expect(place.done).toEqual([]);
      expect((await place.run("job why", {})).slots).toMatchObject([{ job: "tests", fate: "missed" }]);
    }));

  it("are queued again after a restore", () =>
    withJobs(kind, async (place) => {
      const file = join(place.ctx.config.home, "backup.gz");
      await place.add("tests");
      await place.add("docs");
      place.clock.set(START + HOUR);
      await place.plan();
      const claim = await place.claim();
      if (claim === null) throw new Error("nothing was due");
      await place.work(claim);
      await place.run("backup", { file });
      await place.run("restore", { file, write: true });
      await place.tick();
      expect(await place.fates()).toEqual(["13:00 ran", "13:00 ran"]);
      expect(place.done.toSorted()).toEqual(["docs", "tests"]);
    }));

  it("that a clock ahead of its time made are due again at their time", () =>
    withJobs(kind, async (place) => {
      await place.add("tests", { late: "skip" });
      place.clock.set(START + 5 * HOUR + 30 * MINUTE);
      await place.tick();
      expect(await place.fates()).toHaveLength(5);
      place.clock.set(START + 90 * MINUTE);
      await place.tick();
      place.clock.set(START + 2 * HOUR);
      await place.tick();
      expect(await place.fates()).toEqual(["13:00 asleep", "14:00 ran"]);
    }));
});

describe.each(stores)("the jobs that come with oldhand, on $name", (kind) => {
  it.each(["maintain", "daily-log", "reflect", "heartbeat", "embed", "prune", "backup"])("do their work: %s", (name) =>
    withJobs(kind, async (place) => {
      await place.run("job add", { name });
      expect((await place.run("job run", { name })).slot).toMatchObject({ fate: "ran" });
    }),
  );

  it("prune what is older than its time, and nothing else", () =>
    withJobs(kind, async (place) => {
      await place.add("tests", { cron: "0 13 * * *", late: "skip" });
      await place.run("job add", { name: "prune", cron: "0 0 1 1 *" });
      place.clock.set(START + HOUR);
      await place.tick();
      place.clock.set(START + 80 * DAY + HOUR);
      await place.tick();
      expect(await place.fates()).toHaveLength(81);
      place.clock.set(START + 100 * DAY);
      expect((await place.run("job run", { name: "prune" })).slot.fate).toBe("ran");
      expect(await place.fates()).toHaveLength(81 - 10 + 1);
    }));
});

describe.each(stores)("a job that fails, on $name", (kind) => {
  it("is not run for an hour after three failures, then once on trial, and alerts once until it works", () =>
    withJobs(kind, async (place) => {
      await place.add("tests", { cron: "*/20 * * * *" });
      const slot = async (n: number, result = failed) => {
        place.clock.set(START + n * 20 * MINUTE);
        await place.tick(result);
      };
      await slot(1);
      await slot(2);
      expect((await place.run("status", {})).alerts).toEqual([]);
      for (let n = 3; n <= 9; n++) await slot(n);
      const fates = (await place.fates()).map((fate) => fate.slice(6));
      expect(fates).toEqual([
        "failed",
        "failed",
        "failed",
        "disabled",
        "disabled",
        "failed",
        "disabled",
        "disabled",
        "failed",
      ]);
      const { alerts } = await place.run("status", {});
      expect(alerts).toEqual([expect.stringMatching(/^Job tests failed 5 times in a row, last: exit 1\./)]);
      const { waiting } = await place.run("today", {});
      expect(waiting).toMatchObject({ alerts: 1, first: [{ kind: "alert", detail: "job tests" }] });
      await slot(12, { kind: "ran", detail: "" });
      expect((await place.run("status", {})).alerts).toEqual([]);
      expect((await place.run("job list", {})).jobs).toMatchObject([{ breaker: "closed", failures: 0 }]);
    }));

  it("has an alert with the count and the next time of its list, and both change with each trial", () =>
    withJobs(kind, async (place) => {
      await place.add("tests", { cron: "*/25 * * * *" });
      const compare = async (count: number, next: string) => {
        const { alerts } = await place.run("status", {});
        const [job] = (await place.run("job list", {})).jobs;
        expect(job).toMatchObject({ failures: count, next });
        expect(alerts).toEqual([
          expect.stringContaining(`failed ${count} times in a row, last: exit 1. It is tried again at ${next};`),
        ]);
      };
      for (const minutes of [25, 50, 60]) {
        place.clock.set(START + minutes * MINUTE + 412);
        await place.tick(failed);
      }
      // An hour after 13:00:00.412.
      await compare(3, "2026-05-01T14:25:00.000Z");
      place.clock.set(START + 2 * HOUR + 500);
      await place.plan();
      place.clock.set(START + 145 * MINUTE + 412);
      await place.tick(failed);
      await compare(4, "2026-05-01T15:50:00.000Z");
    }));

  it("by hand does not count; one whose worker was killed does", () =>
    withJobs(kind, async (place) => {
      await place.add("tests", { cron: "*/20 * * * *", command: "exit 3" });
      for (let n = 0; n < 4; n++) {
        place.clock.advance(SECOND + 1);
        expect((await place.run("job run", { name: "tests" })).slot.fate).toBe("failed");
      }
      const dead = formatProcessRef({ ...currentProcess(), born: "1" });
      place.clock.set(START + 20 * MINUTE);
      await place.plan();
      await place.claim(dead);
      await place.ctx.db.run("update job_slots set fate = 'running', worker = ?, attempt = 1 where fate = 'due'", [
        dead,
      ]);
      place.clock.set(START + 30 * MINUTE);
      await place.queue.recover();
      await place.tick();
      expect((await place.fates()).at(-1)).toBe("12:20 failed");
      expect((await place.run("job list", {})).jobs).toMatchObject([{ breaker: "closed", failures: 1 }]);
    }));

  it("is not run after three failures either where its slots were due before; by hand it is", () =>
    withJobs(kind, async (place) => {
      await place.add("tests", { cron: "*/20 * * * *", late: "all", command: "exit 0" });
      place.clock.set(START + 100 * MINUTE);
      await place.tick(failed);
      expect(await place.fates()).toEqual([
        "12:20 failed late",
        "12:40 failed late",
        "13:00 failed late",
        "13:20 disabled late",
        "13:40 disabled",
      ]);
      const { slots } = await place.run("job why", { name: "tests" });
      expect(slots[0]?.detail).toBe("not run before 2026-05-01T14:40:00Z, because it failed 3 times in a row");
      expect((await place.run("job run", { name: "tests" })).slot).toMatchObject({ fate: "ran", byHand: true });
    }));

  it("does not run a slot that waited while the third failure came", () =>
    withJobs(kind, async (place) => {
      await place.add("tests", { cron: "*/20 * * * *", late: "all" });
      for (const n of [1, 2]) {
        place.clock.set(START + n * 20 * MINUTE);
        await place.tick(failed);
      }
      place.clock.set(START + 80 * MINUTE);
      await place.plan();
      const [first, second] = [await place.claim("w1"), await place.claim("w2")];
      if (first === null || second === null) throw new Error("nothing was due");
      let end = (_result: WorkResult) => {};
      const runs = place.work(first, new Promise((resolve) => (end = resolve)));
      await expect.poll(() => place.done).toHaveLength(3);
      const { ctx, queue } = place;
      const begin = () =>
        runSlot({ ctx, queue, worker: "w2", work: () => Promise.reject(new Error("ran")) }, second, ctx.signal);
      // The queue measures the wait, by its own clock.
      expect((await begin()).settlement).toEqual({ kind: "again", afterMs: 2_000 });
      end(failed);
      await runs;
      const { settlement, record } = await begin();
      expect(settlement).toEqual({ kind: "done" });
      await ctx.db.tx(async (tx) => record?.(tx));
      expect((await place.fates()).at(-1)).toBe("13:20 disabled");
    }));

  it("has its hour by the clock of the queue, whatever that of its machine says", () =>
    withJobs(kind, async (place) => {
      await place.add("tests", { cron: "*/20 * * * *" });
      Object.assign(place.ctx, { clock: fixedClock(START + DAY) });
      for (let n = 1; n <= 6; n++) {
        place.clock.set(START + n * 20 * MINUTE);
        await place.tick(failed);
      }
      expect((await place.fates()).map((fate) => fate.slice(6))).toEqual([
        ...["failed", "failed", "failed", "disabled", "disabled", "failed"],
      ]);
      const now = place.clock.now();
      const [last] = await listSlots(place.ctx.db, { since: 0, until: now, limit: 1 });
      expect(last).toMatchObject({ slot: now, startedAt: now, endedAt: now });
    }));

  it("runs again at once after a reset", () =>
    withJobs(kind, async (place) => {
      await place.add("tests", { cron: "*/20 * * * *" });
      for (let n = 1; n <= 3; n++) {
        place.clock.set(START + n * 20 * MINUTE);
        await place.tick(failed);
      }
      expect((await place.run("job reset", { name: "tests" })).wasOpen).toBe(true);
      expect((await place.run("status", {})).alerts).toEqual([]);
      place.clock.set(START + 80 * MINUTE);
      await place.tick();
      expect((await place.fates()).at(-1)).toBe("13:20 ran");
    }));
});

describe.each(stores)("a job that is run by hand, on $name", (kind) => {
  it("has a slot of this moment, and the same record", () =>
    withJobs(kind, async (place) => {
      await place.add("tests", { command: "echo $OLDHAND_JOB; exit 0" });
      const { slot } = await place.run("job run", { name: "tests" });
      expect(slot).toMatchObject({ job: "tests", fate: "ran", byHand: true, detail: "tests" });
      expect((await place.run("job why", { name: "tests" })).slots).toEqual([slot]);
    }));

  it("runs although it is disabled, but not while work is paused", () =>
    withJobs(kind, async (place) => {
      await place.add("tests", { command: "exit 3" });
      await place.run("job disable", { name: "tests" });
      expect((await place.run("job run", { name: "tests" })).slot).toMatchObject({ fate: "failed", detail: "exit 3" });
      await place.run("pause", {});
      place.clock.advance(1);
      expect((await place.run("job run", { name: "tests" })).slot).toMatchObject({ fate: "missed", reason: "paused" });
    }));

  it("says that the folder of its command is not there", () =>
    withJobs(kind, async (place) => {
      const folder = join(place.ctx.config.home, "gone");
      mkdirSync(folder);
      await place.add("tests", { folder });
      rmSync(folder, { recursive: true });
      const { slot } = await place.run("job run", { name: "tests" });
      expect(slot).toMatchObject({ fate: "failed", detail: `its folder ${folder} is not there` });
    }));

  it("is refused while a slot of it is not finished", () =>
    withJobs(kind, async (place) => {
      await place.add("tests");
      place.clock.set(START + HOUR);
      await place.plan();
      await expect(place.run("job run", { name: "tests" })).rejects.toThrow(/is not finished/);
    }));
});

describe.each(stores)("a job that cannot be run, on $name", (kind) => {
  it("is refused with what is missing", () =>
    withJobs(kind, async (place) => {
      await expect(place.run("job add", { name: "tests" })).rejects.toThrow(/--command is missing/);
      await expect(place.add("tests", { folder: "/nowhere/at/all" })).rejects.toThrow(
        /\/nowhere\/at\/all is not there/,
      );
      expect((await place.run("job list", {})).jobs).toEqual([]);
    }));

  it("says until when work is paused, and that it is a quiet hour now", () =>
    withJobs(kind, async (place) => {
      const until = new Date(START + HOUR).toISOString();
      await place.run("pause", { until });
      expect(await place.run("status", {})).toMatchObject({ pausedUntil: until });
      await place.run("resume", {});
      expect(await place.run("job status", {})).toMatchObject({ paused: null, quietNow: false });
      const { config } = place.ctx;
      const work = { ...config.policy.work, quietHours: "00:00-23:59" };
      Object.assign(place.ctx, { config: { ...config, policy: { ...config.policy, work } } });
      expect(await place.run("job status", {})).toMatchObject({ quietNow: true });
    }));
});

describe.each(stores)("the model of a job, on $name", (kind) => {
  it("is the default of the time when it was added, and stays", () =>
    withJobs(kind, async (place) => {
      const providers = { ...place.ctx.config.providers, defaultModel: { provider: "ollama", model: "small" } };
      Object.assign(place.ctx, { config: { ...place.ctx.config, providers } });
      await place.add("tests", { command: "echo $OLDHAND_MODEL" });
      Object.assign(providers, { defaultModel: { provider: "anthropic", model: "large" } });
      expect((await place.run("job run", { name: "tests" })).slot.detail).toBe("ollama/small");
    }));
});

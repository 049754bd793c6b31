import { describe, expect, it } from "vitest";
import { DAY, HOUR, MINUTE } from "../../src/lib/clock.ts";
import { currentProcess, formatProcessRef, nameProcess } from "../../src/lib/process-ref.ts";
import { operationNamed } from "../../src/operations.ts";
import { openQueue } from "../../src/store/open-queue.ts";
import { endAbandonedSlots } from "../../src/work/jobs/end-abandoned.ts";
import { planDueJobs } from "../../src/work/jobs/plan-slots.ts";
import { runSlot } from "../../src/work/jobs/run-slot.ts";
import { listSlotQueues, requeueSlots } from "../../src/work/jobs/slot-items.ts";
import { claimFirst, workClaim } from "../../src/work/work-queue.ts";
import { sleep } from "../../src/lib/sleep.ts";
import { saveWorker } from "../../src/store/work/workers.ts";
import { stores } from "../stores.ts";
import { type JobPlace, START, withJobs } from "./job-place.ts";

/** What this machine is called from now on. */
function rename(place: JobPlace, machine: string): void {
  const { config } = place.ctx;
  const policy = { ...config.policy, team: { ...config.policy.team, machine } };
  Object.assign(place.ctx, { config: { ...config, policy } });
}

/** A worker on a machine of that name plans and does what it can, once. Returns the jobs that it ran. */
async function workOn(place: JobPlace, machine: string): Promise<readonly string[]> {
  const before = place.ctx.config.policy.team.machine;
  rename(place, machine);
  const { db, clock, store, signal } = place.ctx;
  const queues = listSlotQueues(machine);
  const queue = { ...(await openQueue(store, { queues, clock })), now: place.queue.now };
  const ran: string[] = [];
  const id = nameProcess(formatProcessRef(currentProcess()), machine);
  const work = async (job: { readonly name: string }) => {
    ran.push(job.name);
    return { kind: "ran", detail: "done" } as const;
  };
  await endAbandonedSlots(place.ctx, { queue, machine });
  await planDueJobs(place.ctx, { queue, machine });
  for (;;) {
    const claim = await claimFirst(queue, queues, { id, leaseMs: 30_000 });
    if (claim === null) break;
    await workClaim({ db, queue, clock, sleep, signal }, claim, (lost) =>
      runSlot({ ctx: place.ctx, queue, worker: id, work }, claim, lost),
    );
  }
  await queue.close();
  rename(place, before);
  return ran;
}

async function planOn(place: JobPlace, machine: string): Promise<void> {
  const { store, clock } = place.ctx;
  const queue = { ...(await openQueue(store, { queues: listSlotQueues(machine), clock })), now: place.queue.now };
  await planDueJobs(place.ctx, { queue, machine });
  await queue.close();
}

describe.each(stores)("a command of one machine, on $name", (kind) => {
  it("is run by workers of that machine and by no other; built-in jobs and --anywhere by any", () =>
    withJobs(kind, async (place) => {
      await place.add("hers", { machine: "ada" });
      await place.add("shared", { anywhere: true });
      await place.run("job add", { name: "heartbeat", zone: "UTC" });
      place.clock.set(START + HOUR);
      expect((await workOn(place, "bob")).toSorted()).toEqual(["heartbeat", "shared"]);
      expect(await workOn(place, "ada")).toEqual(["hers"]);
      const { jobs } = await place.run("job list", {});
      expect(jobs.map(({ name, machine }) => [name, machine])).toEqual([
        ["heartbeat", null],
        ["hers", "ada"],
        ["shared", null],
      ]);
      const text = operationNamed("job list").render((await place.run("job list", {})) as never, {} as never);
      expect(text).toContain("only on ada");
    }));

  it("has slots that are missed for that reason while its machine has no worker; the newest is left to it", () =>
    withJobs(kind, async (place) => {
      await place.add("hers", { machine: "ada" });
      for (let hour = 1; hour <= 3; hour++) {
        place.clock.set(START + hour * HOUR + 5 * MINUTE);
        expect(await workOn(place, "bob")).toEqual([]);
      }
      const { slots } = await place.run("job why", { name: "hers" });
      const reason = "no worker was there on ada, the machine of this job";
      expect(slots.map(({ fate, reason: why, detail }) => [fate, why, detail])).toEqual([
        ["missed", "asleep", reason],
        ["missed", "asleep", reason],
      ]);
      expect(await workOn(place, "ada")).toEqual(["hers"]);
      expect(await place.fates()).toEqual(["13:00 asleep", "14:00 asleep", "15:00 ran late"]);
    }));

  it("writes nothing on other machines while nothing of it is over", () =>
    withJobs(kind, async (place) => {
      await place.add("hers", { machine: "ada", late: "all" });
      place.clock.set(START + 3 * DAY);
      const { db } = place.ctx;
      const { run, tx } = db;
      Object.assign(db, {
        run: () => Promise.reject(new Error("a write")),
        tx: () => Promise.reject(new Error("a write")),
      });
      await planDueJobs(place.ctx, { queue: place.queue, machine: "bob" });
      Object.assign(db, { run, tx });
      expect(await place.fates()).toEqual([]);
    }));

  it("may be in a folder that only its machine has; whoever adds it is told what was not checked", () =>
    withJobs(kind, async (place) => {
      const given = { cron: "0 * * * *", command: "true", machine: "ada-laptop" };
      const added = await place.run("job add", { ...given, name: "there", folder: "C:\\shop" });
      expect(added.job).toMatchObject({ folder: "C:\\shop", machine: "ada-laptop" });
      expect(added.warnings).toEqual([
        expect.stringContaining("no machine called ada-laptop was seen yet (known are "),
        "the folder C:\\shop must be on ada-laptop: it was not looked for",
      ]);
      const process = "elsewhere/1/1/ada-laptop";
      await saveWorker(place.ctx.db, { id: process, process, startedAt: 1, beatAt: 1, doing: null });
      const edited = await place.run("job edit", { name: "there", folder: "/srv/not-here" });
      expect(edited).toMatchObject({
        job: { folder: "/srv/not-here" },
        warnings: ["the folder /srv/not-here must be on ada-laptop: it was not looked for"],
      });
      await place.run("job add", { ...given, name: "first", machine: "bob-desk", folder: "/srv/x" });
      const second = await place.run("job add", { ...given, name: "second", machine: "bob-desk", folder: "/srv/x" });
      expect(second.warnings).toEqual(["the folder /srv/x must be on bob-desk: it was not looked for"]);
      expect((await place.run("message send", { text: "hello", to: "bob-desk" })).warning).toBeNull();
      const unknown = await place.run("message send", { text: "hello", to: "carl-desk" });
      expect(unknown.warning).toMatch(/^no agent or machine called carl-desk was seen yet; .*known are .*bob-desk/);
      expect((await place.run("job edit", { name: "there", seconds: 5 })).warnings).toEqual([]);
      const here = place.run("job add", { ...given, name: "here", machine: undefined, folder: "/srv/not-here" });
      await expect(here).rejects.toThrow("the folder /srv/not-here is not there");
    }));

  it("is not run by hand elsewhere, and can be moved", () =>
    withJobs(kind, async (place) => {
      await place.add("hers", { machine: "ada" });
      rename(place, "bob");
      await expect(place.run("job run", { name: "hers" })).rejects.toThrow("hers runs only on ada, and this is bob");
      await place.run("job edit", { name: "hers", machine: "bob" });
      expect((await place.run("job run", { name: "hers" })).slot.fate).toBe("ran");
      expect((await place.run("job edit", { name: "hers", anywhere: true })).job.machine).toBeNull();
      await expect(place.add("x", { machine: "a", anywhere: true })).rejects.toThrow(/exclude each other/);
      await expect(place.add("x", { machine: "Not A Name" })).rejects.toThrow(/not the name of a machine/);
    }));

  it("moves although a slot waits for the old machine", () =>
    withJobs(kind, async (place) => {
      await place.add("hers", { machine: "ada" });
      place.clock.set(START + HOUR);
      await planOn(place, "ada");
      await place.run("job edit", { name: "hers", machine: "bob" });
      place.clock.set(START + 2 * HOUR);
      expect(await workOn(place, "bob")).toEqual(["hers"]);
      expect(await place.fates()).toEqual(["13:00 asleep", "14:00 ran"]);
    }));

  it("is not run by another machine that a restore gave its slot to, which says no more than it knows", () =>
    withJobs(kind, async (place) => {
      await place.add("hers", { machine: "ada" });
      place.clock.set(START + HOUR);
      await planOn(place, "ada");
      await place.ctx.db.tx(async (tx) => {
        await place.queue.clear(tx);
        await requeueSlots(tx, place.queue, "bob");
      });
      expect(await workOn(place, "bob")).toEqual([]);
      const { slots } = await place.run("job why", { name: "hers" });
      expect(slots).toMatchObject([
        { fate: "missed", reason: "asleep", detail: "the job belongs to ada, and a worker on bob took its slot" },
      ]);
    }));

  it("whose machine died in the middle is recorded as failed by any other", () =>
    withJobs(kind, async (place) => {
      await place.add("hers", { machine: "ada" });
      place.clock.set(START + HOUR);
      const queues = listSlotQueues("ada");
      const queue = { ...(await openQueue(place.ctx.store, { queues, clock: place.clock })), now: place.queue.now };
      await planDueJobs(place.ctx, { queue, machine: "ada" });
      const dead = nameProcess(formatProcessRef({ ...currentProcess(), born: "1" }), "ada");
      const claim = await claimFirst(queue, queues, { id: dead, leaseMs: 30_000 });
      if (claim === null) throw new Error("nothing was due");
      await place.ctx.db.run("update job_slots set fate = 'running', worker = ?, attempt = 1", [dead]);
      await workOn(place, "bob");
      expect(await place.fates()).toEqual(["13:00 running"]);
      await queue.recover();
      await workOn(place, "bob");
      await queue.close();
      expect(await place.fates()).toEqual(["13:00 failed"]);
    }));
});

describe.each(stores)("a job that is added without a machine, on $name", (kind) => {
  it("belongs to this machine in a team, and to no machine in a mind of one", () =>
    withJobs(kind, async (place) => {
      rename(place, "ada");
      await place.add("tests");
      const { jobs } = await place.run("job list", {});
      const isTeam = place.ctx.store.kind === "postgres";
      expect(jobs[0]?.machine).toBe(isTeam ? "ada" : null);
      const { slot } = await place.run("job run", { name: "tests" });
      expect(slot.machine).toBe(isTeam ? "ada" : null);
      const why = operationNamed("job why").render(
        (await place.run("job why", { name: "tests" })) as never,
        {} as never,
      );
      expect(why.includes("ran, by hand on ada")).toBe(isTeam);
    }));

  it("of an earlier version runs on any machine, as before", () =>
    withJobs(kind, async (place) => {
      await place.add("old", { anywhere: true });
      place.clock.set(START + HOUR);
      expect(await workOn(place, "bob")).toEqual(["old"]);
    }));
});

describe.each(stores)("a job whose machine has no worker, on $name", (kind) => {
  const tell = async (place: JobPlace) => (await place.run("status", {})).noWorker;
  const isTeam = kind.name === "postgres";

  it.skipIf(!isTeam)("is told, one sentence for each machine, although other machines have workers", () =>
    withJobs(kind, async (place) => {
      await place.add("atada", { machine: "ada" });
      await place.add("atbob", { machine: "bob", cron: "* * * * *" });
      await place.add("atcarl", { machine: "carl", late: "skip" });
      place.clock.set(START + MINUTE);
      expect(await workOn(place, "bob")).toEqual(["atbob"]);
      for (let minute = 2; minute <= 5; minute++) {
        place.clock.set(START + minute * MINUTE);
        await workOn(place, "ada");
      }
      const now = place.clock.now();
      const worker = { id: "w", process: "elsewhere/1/1/ada", startedAt: START, beatAt: now, doing: null };
      await saveWorker(place.ctx.db, worker);
      const bobs =
        "no worker has run on bob since 2026-05-01T12:01:00.000Z, and atbob was due 4 times: `oldhand run` there, or `oldhand run --install` to start it with your system";
      expect(await tell(place)).toEqual([bobs]);
      expect((await place.run("job status", {})).noWorker).toEqual([bobs]);
      expect((await place.run("job list", {})).noWorker).toEqual([bobs]);
      expect((await place.run("today", {})).waiting).toMatchObject({
        alerts: 1,
        first: [{ kind: "alert", text: bobs }],
      });
      place.clock.set(START + 2 * HOUR + 5 * MINUTE);
      await saveWorker(place.ctx.db, { ...worker, beatAt: place.clock.now() });
      await workOn(place, "ada");
      expect(await tell(place)).toEqual([
        expect.stringMatching(/^no worker has run on bob since 2026-05-01T12:01:00.000Z, and atbob was due 124 times:/),
        expect.stringMatching(/^no worker has run on carl yet, and atcarl was due 2 times:/),
      ]);
      await place.run("pause", {});
      expect(await tell(place)).toHaveLength(2);
      await saveWorker(place.ctx.db, { ...worker, id: "w2", process: "other/1/1/bob", beatAt: place.clock.now() });
      expect(await tell(place)).toHaveLength(1);
    }),
  );

  it.skipIf(isTeam)("is told at once in a mind that only one machine has, with the command that moves it", () =>
    withJobs(kind, async (place) => {
      rename(place, "ada");
      await place.add("atbob", { machine: "bob" });
      const text =
        "atbob runs only on bob, and this mind is only on ada: `oldhand job edit atbob --machine ada` lets it run here";
      expect(await tell(place)).toEqual([text]);
      await place.run("job edit", { name: "atbob", machine: "ada" });
      expect(await tell(place)).toEqual([]);
    }),
  );
});

import { describe, expect, it } from "vitest";
import { HOUR, MINUTE, SECOND } from "../../src/lib/clock.ts";
import { currentProcess, formatProcessRef, ownProcessRef } from "../../src/lib/process-ref.ts";
import { operationNamed, type OperationMap } from "../../src/operations.ts";
import { saveWorker } from "../../src/store/work/workers.ts";
import { stores } from "../stores.ts";
import { type JobPlace, START, withJobs } from "./job-place.ts";

const deadWorker = formatProcessRef({ ...currentProcess(), born: "1" });
const advice =
  /Alert: no worker has run(?: on this machine)? since 2026-05-01T13:00:\d\d.*oldhand run.*oldhand run --install/;

async function texts(place: JobPlace): Promise<readonly string[]> {
  const asked = ["status", "today", "job list", "job status"] as const satisfies readonly (keyof OperationMap)[];
  const found: string[] = [];
  for (const name of asked) {
    const operation = operationNamed(name);
    found.push(operation.render((await place.run(name, {})) as never, {} as never));
  }
  const why = await place.run("job why", { name: "tests" });
  return [...found, operationNamed("job why").render(why as never, {} as never)];
}

describe.each(stores)("a mind whose jobs are due and that no worker serves, on $name", (kind) => {
  it("says so everywhere, until a worker is there", () =>
    withJobs(kind, async (place) => {
      await place.add("tests");
      place.clock.set(START + HOUR);
      await place.tick();
      for (const text of await texts(place)) expect(text).not.toContain("no worker has run");
      place.clock.set(START + 2 * HOUR + 10 * MINUTE);
      for (const text of await texts(place)) expect(text).toMatch(advice);
      const now = place.clock.now();
      await saveWorker(place.ctx.db, { id: "w", process: ownProcessRef(), startedAt: now, beatAt: now, doing: null });
      for (const text of await texts(place)) expect(text).not.toContain("no worker has run");
    }));

  it("is silent while nothing is due, all jobs are disabled, or work is paused", () =>
    withJobs(kind, async (place) => {
      await place.add("tests", { cron: "0 0 1 1 *" });
      place.clock.set(START + 2 * HOUR);
      expect((await place.run("status", {})).noWorker).toEqual([]);
      await place.run("job edit", { name: "tests", cron: "0 * * * *" });
      await place.run("job disable", { name: "tests" });
      place.clock.set(START + 4 * HOUR);
      expect((await place.run("status", {})).noWorker).toEqual([]);
      await place.run("job enable", { name: "tests" });
      await place.run("pause", {});
      place.clock.set(START + 6 * HOUR);
      expect((await place.run("status", {})).noWorker).toEqual([]);
    }));
});

describe.each(stores)("workers that are gone, on $name", (kind) => {
  it("do not hide that none runs, and are not listed for ever", () =>
    withJobs(kind, async (place) => {
      const { db } = place.ctx;
      await saveWorker(db, { id: "w", process: deadWorker, startedAt: START, beatAt: START, doing: null });
      const shown = await place.run("job status", {});
      expect(shown.workers).toMatchObject([{ state: "gone" }]);
      expect(operationNamed("job status").render(shown as never, {} as never)).toContain("No worker runs");
      place.clock.set(START + 25 * HOUR);
      expect((await place.run("job status", {})).workers).toEqual([]);
    }));

  it("leave a slot that says that its worker is gone", () =>
    withJobs(kind, async (place) => {
      await place.add("tests");
      place.clock.set(START + HOUR);
      await place.plan();
      const claim = await place.claim(deadWorker);
      if (claim === null) throw new Error("nothing was due");
      await place.ctx.db.run("update job_slots set fate = 'running', worker = ?, attempt = 1", [deadWorker]);
      place.clock.advance(SECOND);
      const [slot] = (await place.run("job why", { name: "tests" })).slots;
      expect(slot).toMatchObject({ fate: "running", detail: expect.stringContaining("its worker is gone") });
    }));
});

describe.each(stores)("a slot that nobody began, on $name", (kind) => {
  it("is the reason of the next one in true words", () =>
    withJobs(kind, async (place) => {
      await place.add("tests");
      place.clock.set(START + HOUR);
      await place.plan();
      place.clock.set(START + 2 * HOUR);
      await place.plan();
      const [later] = (await place.run("job why", { name: "tests" })).slots;
      expect(later).toMatchObject({
        reason: "overlapping",
        detail: "the slot of 2026-05-01T13:00:00Z still waits for a worker",
      });
    }));
});

import { describe, expect, it } from "vitest";
import { HOUR, MINUTE } from "../../src/lib/clock.ts";
import { operationNamed } from "../../src/operations.ts";
import { ownMachineName } from "../../src/domain/work/own-machine.ts";
import { stores, type TestStore } from "../stores.ts";
import { failed, type JobPlace, START, withJobs } from "./job-place.ts";

const at = (ms: number) => new Date(START + ms).toISOString();

/** The settings as `oldhand config set` would leave them. */
function set(place: JobPlace, { quietHours, off }: { readonly quietHours?: string; readonly off?: boolean }): void {
  const { config } = place.ctx;
  const work = { ...config.policy.work, quietHours: quietHours ?? config.policy.work.quietHours };
  const policy = { ...config.policy, work };
  Object.assign(place.ctx, { config: { ...config, policy, off: { ...config.off, everywhere: off ?? false } } });
}

async function nextOf(place: JobPlace) {
  const { jobs } = await place.run("job list", {});
  const { job } = await place.run("job why", { name: jobs[0]?.name ?? "" });
  expect(job?.next).toBe(jobs[0]?.next);
  return { next: jobs[0]?.next ?? null, waits: jobs[0]?.waits ?? null };
}

/** In a team, what one home set is told with the name of its machine. */
function on(kind: TestStore, place: JobPlace, word = "on"): string {
  return kind.name === "postgres" ? ` ${word} ${ownMachineName(place.ctx.config)}` : "";
}

describe.each(stores)("the next time of a job, on $name", (kind) => {
  it("is its trial while the breaker is open", () =>
    withJobs(kind, async (place) => {
      await place.add("tests", { cron: "*/20 * * * *" });
      for (let n = 1; n <= 3; n++) {
        place.clock.set(START + n * 20 * MINUTE);
        await place.tick(failed);
      }
      expect(await nextOf(place)).toEqual({ next: at(2 * HOUR), waits: "it failed 3 times in a row" });
      await place.run("job reset", { name: "tests" });
      expect(await nextOf(place)).toEqual({ next: at(80 * MINUTE), waits: null });
    }));

  it("is after a pause, and unknown while that has no end", () =>
    withJobs(kind, async (place) => {
      await place.add("tests");
      await place.run("pause", { until: at(150 * MINUTE) });
      expect(await nextOf(place)).toEqual({ next: at(3 * HOUR), waits: "work is paused" });
      await place.run("pause", {});
      expect(await nextOf(place)).toEqual({ next: null, waits: "work is paused" });
      await place.run("resume", {});
      expect(await nextOf(place)).toEqual({ next: at(HOUR), waits: null });
    }));

  it("is after the quiet hours, and there is none if all its times are in them", () =>
    withJobs(kind, async (place) => {
      await place.add("tests", { cron: "* * * * * *" });
      const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
      const clock = new Intl.DateTimeFormat("en-GB", { timeZone: zone, hour: "2-digit", minute: "2-digit" });
      set(place, { quietHours: `${clock.format(START - HOUR)}-${clock.format(START + 3 * HOUR)}` });
      expect(await nextOf(place)).toEqual({ next: at(3 * HOUR), waits: `it is a quiet hour${on(kind, place)}` });
      await place.run("job edit", { name: "tests", cron: "0 13 * * *" });
      const none = await nextOf(place);
      expect(none).toEqual({ next: null, waits: `all its times are in the quiet hours${on(kind, place, "of")}` });
    }));

  it("is unknown while oldhand is off, and `job status` says that it is off", () =>
    withJobs(kind, async (place) => {
      await place.add("tests");
      set(place, { off: true });
      expect(await nextOf(place)).toEqual({ next: null, waits: `oldhand is off${on(kind, place)}` });
      const status = await place.run("job status", {});
      expect(status).toMatchObject({ off: true });
      const text = operationNamed("job status").render(status as never, {} as never);
      expect(text).toContain("oldhand is off on this machine");
      expect(text).not.toContain("not paused");
    }));

  it("is told in the zone of the job", () =>
    withJobs(kind, async (place) => {
      await place.add("tests", { zone: "Asia/Tokyo", cron: "0 6 * * *" });
      const text = operationNamed("job list").render((await place.run("job list", {})) as never, {} as never);
      expect(text).toContain("next 2026-05-02T06:00:00+09:00");
    }));
});

describe.each(stores)("a job that is run by hand in a quiet hour, on $name", (kind) => {
  it("runs, and its slot says that it was one", () =>
    withJobs(kind, async (place) => {
      await place.add("tests", { command: "echo hello" });
      set(place, { quietHours: "00:00-23:59" });
      const { slot } = await place.run("job run", { name: "tests" });
      expect(slot).toMatchObject({ fate: "ran", detail: "hello (in a quiet hour)" });
    }));
});

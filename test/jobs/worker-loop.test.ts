import { describe, expect, it } from "vitest";
import { checkSettingValue } from "../../src/domain/settings/check.ts";
import { settings } from "../../src/domain/settings/declared.ts";
import { ownMachineName } from "../../src/domain/work/own-machine.ts";
import { operationNamed } from "../../src/operations.ts";
import { listSlotQueues } from "../../src/work/jobs/slot-items.ts";
import { DAY, HOUR, MINUTE } from "../../src/lib/clock.ts";
import { OldhandError } from "../../src/lib/errors.ts";
import { planDueJobs } from "../../src/work/jobs/plan-slots.ts";
import { workSlots } from "../../src/work/jobs/work-slots.ts";
import { stores } from "../stores.ts";
import { START, withJobs } from "./job-place.ts";

describe.each(stores)("a worker on $name", (kind) => {
  it("says once that the store does not answer, and once that it does again", () =>
    withJobs(kind, async (place) => {
      const lines: string[] = [];
      const stop = new AbortController();
      const never = new AbortController().signal;
      const away = new OldhandError("store-unreachable", "the database does not answer");
      let asked = 0;
      const answer = async <T>(act: () => Promise<T>): Promise<T> => {
        if (asked++ < 20) throw away;
        return act();
      };
      await workSlots({
        ctx: place.ctx,
        queue: { ...place.queue, claim: (name, worker) => answer(() => place.queue.claim(name, worker)) },
        queues: ["slots"],
        worker: { id: "w1", leaseMs: 30_000 },
        atOnce: 2,
        pause: { look: () => answer(async () => {}), signal: () => never },
        signal: stop.signal,
        sleep: async () => {
          if (lines.length > 1 && asked > 40) stop.abort();
          await new Promise((resolve) => setImmediate(resolve));
        },
        say: (line) => lines.push(line),
        work: () => Promise.reject(new Error("something was run")),
      });
      expect(lines).toEqual(["the database does not answer", "the database answers again"]);
    }));

  it("ends its planning when it is stopped, however many slots a clock far ahead made due", () =>
    withJobs(kind, async (place) => {
      await place.add("tests", { cron: "* * * * *", anywhere: true });
      place.clock.set(START + 60 * DAY);
      await planDueJobs(place.ctx, { queue: place.queue, machine: "m", signal: AbortSignal.abort() });
      expect(await place.fates()).toHaveLength(200);
    }));
});

describe.each(stores)("what a worker tells, on $name", (kind) => {
  it("has what was missed, a pause and its end, and a job that is held back", () =>
    withJobs(kind, async (place) => {
      await place.add("tests", { cron: "*/20 * * * *" });
      const lines: string[] = [];
      const stop = new AbortController();
      const pause = { current: new AbortController() };
      const has = (part: string, times = 1) => lines.filter((line) => line.includes(part)).length >= times;
      // Each step is taken once the one before has shown its effect.
      const steps: readonly (readonly [isDue: () => boolean, act: () => void | Promise<void>])[] = [
        [() => true, () => place.clock.set(START + 41 * MINUTE)],
        [() => has(": failed", 1), () => place.clock.set(START + 60 * MINUTE)],
        [() => has(": failed", 2), () => place.clock.set(START + 80 * MINUTE)],
        [
          () => has("held back"),
          async () => {
            await place.run("pause", {});
            pause.current.abort("work was paused");
            place.clock.set(START + 100 * MINUTE);
          },
        ],
        [
          () => has("(paused)") && has("begins nothing"),
          async () => {
            await place.run("resume", {});
            pause.current = new AbortController();
          },
        ],
        [() => has("work goes on"), () => stop.abort()],
      ];
      let step = 0;
      await workSlots({
        ctx: place.ctx,
        queue: place.queue,
        queues: listSlotQueues(ownMachineName(place.ctx.config)),
        worker: { id: "w1", leaseMs: 30_000 },
        atOnce: 1,
        pause: { look: async () => {}, signal: () => pause.current.signal },
        signal: stop.signal,
        sleep: async () => {
          await new Promise((resolve) => setTimeout(resolve, 2));
          const [isDue, act] = steps[step] ?? [];
          if (isDue?.() !== true) return;
          step++;
          await act?.();
        },
        say: (line) => lines.push(line),
        work: async () => ({ kind: "failed", detail: "exit 1" }),
      });
      const told = lines.filter((line) => !/begins$|: failed/.test(line));
      expect(told.toSorted()).toEqual([
        "begins nothing, because work was paused",
        "tests: held back, because it failed 3 times in a row",
        expect.stringMatching(/^tests: missed \(asleep\): .*; only the newest slot of that time is run$/),
        "tests: missed (paused): work was paused",
        "work goes on",
      ]);
    }));
});

describe.each(stores)("a pause that is given again, on $name", (kind) => {
  it("goes on since its first moment", () =>
    withJobs(kind, async (place) => {
      await place.run("pause", {});
      place.clock.set(START + HOUR);
      const again = await place.run("pause", { until: new Date(START + 2 * HOUR).toISOString() });
      expect(again.since).toBe(new Date(START).toISOString());
      expect((await place.run("job status", {})).paused).toMatchObject(again);
      place.clock.set(START + 2 * HOUR);
      expect((await place.run("job status", {})).paused).toBeNull();
    }));
});

describe.each(stores)("a reply, on $name", (kind) => {
  it("may be given by the owner for an agent", () =>
    withJobs(kind, async (place) => {
      const { id } = await place.run("message send", { text: "safe?", kind: "query", to: "codex" });
      await place.run("message take", { as: "codex" });
      const reply = await place.run("message reply", { id, text: "yes", as: "codex" });
      expect(reply).toMatchObject({ from: expect.stringMatching(/\/codex$/), replyTo: id, origin: "owner" });
    }));
});

describe.each(stores)("a slot that began late or took long, on $name", (kind) => {
  it("says when it began, and how long it took", () =>
    withJobs(kind, async (place) => {
      await place.add("tests");
      place.clock.set(START + HOUR + 5 * MINUTE);
      await place.tick();
      await place.ctx.db.run("update job_slots set started_at = ?, ended_at = ?", [
        START + HOUR + 5 * MINUTE,
        START + HOUR + 5 * MINUTE + 90_000,
      ]);
      const found = await place.run("job why", { name: "tests" });
      const text = operationNamed("job why").render(found as never, {} as never);
      expect(text).toMatch(/ran, late, begun 2026-05-01T13:05:00Z, took 90 seconds.*  done/);
    }));
});

describe("quiet hours", () => {
  it.each(["", "22:00-07:00", "9:30-17:00", "0:00-23:59"])("may be %j", (text) => {
    expect(checkSettingValue(settings.work.quietHours, text)).toBe(text);
  });

  it.each(["25:00-07:00", "29:99-07:00", "22:00-22:00", "9:00-09:00", "22:00", "night"])("cannot be %j", (text) => {
    expect(checkSettingValue(settings.work.quietHours, text)).toBeUndefined();
  });
});

describe.each(stores)("a name that nobody has, on $name", (kind) => {
  it("is warned of: the recipient of a message, and the job of a cap", () =>
    withJobs(kind, async (place) => {
      const sent = await place.run("message send", { text: "hello", to: "nobody-at-all" });
      expect(sent.warning).toContain("no agent or machine called nobody-at-all was seen yet");
      for (const to of ["owner", "codex", "oldhand"])
        expect((await place.run("message send", { text: "hello", to })).warning).toBeNull();
      const capped = await place.run("models caps set", { kind: "job", name: "nojob", amount: "1" });
      expect(capped.warning).toContain("there is no job nojob");
      await place.add("tests");
      expect((await place.run("models caps set", { kind: "job", name: "tests", amount: "1" })).warning).toBeNull();
    }));
});

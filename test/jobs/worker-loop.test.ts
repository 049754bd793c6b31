import { describe, expect, it } from "vitest";
import { checkSettingValue } from "../../src/domain/settings/check.ts";
import { settings } from "../../src/domain/settings/declared.ts";
import { DAY } from "../../src/lib/clock.ts";
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

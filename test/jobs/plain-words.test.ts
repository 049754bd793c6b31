import { describe, expect, it } from "vitest";
import { explainJobFailures } from "../../src/domain/work/job-breaker.ts";
import { MINUTE } from "../../src/lib/clock.ts";
import { applyChange, makeProvenance } from "../../src/store/journal/journal.ts";
import { settingNoun } from "../../src/store/nouns/settings.ts";
import { operationNamed } from "../../src/operations.ts";
import { stores } from "../stores.ts";
import { failed, START, withJobs } from "./job-place.ts";

describe.each(stores)("what jobs say, on $name", (kind) => {
  it("calls slots that the breaker kept from running held back, not disabled", () =>
    withJobs(kind, async (place) => {
      await place.add("tests", { cron: "*/20 * * * *" });
      for (let n = 1; n <= 4; n++) {
        place.clock.set(START + n * 20 * MINUTE);
        await place.tick(failed);
      }
      const found = await place.run("job why", { name: "tests" });
      expect(found.slots[0]).toMatchObject({ fate: "missed", reason: "disabled" });
      const text = operationNamed("job why").render(found as never, {} as never);
      expect(text).toContain("missed (held back)");
      expect(text).not.toContain("missed (disabled)");
    }));

  it("tells what the owner disabled from what is held back because it failed", () =>
    withJobs(kind, async (place) => {
      await place.add("broken", { cron: "*/10 * * * *" });
      for (let n = 1; n <= 4; n++) {
        place.clock.set(START + n * 10 * MINUTE);
        await place.tick(failed);
      }
      await place.run("job disable", { name: "broken" });
      place.clock.set(START + 50 * MINUTE);
      await place.tick();
      const { slots } = await place.run("job why", { name: "broken" });
      expect(slots.map(({ missed }) => missed)).toEqual(["disabled", "held back", null, null, null]);
    }));

  it("says of a reset that was not needed that the job was not held back", () =>
    withJobs(kind, async (place) => {
      await place.add("tests");
      const text = operationNamed("job reset").render(
        (await place.run("job reset", { name: "tests" })) as never,
        {} as never,
      );
      expect(text).toContain("tests was not held back. Its count of failures is 0.");
    }));

  it("names what to use instead of the undo of a pause", () =>
    withJobs(kind, async (place) => {
      await place.run("pause", {});
      const [last] = (await place.run("history", {})).changes;
      await expect(place.run("undo", { id: last?.id ?? 0 })).rejects.toThrow(
        `change ${last?.id} is a pause or its end; use \`oldhand pause\` or \`oldhand resume\``,
      );
    }));

  it("names the setting in the history that has its default again", () =>
    withJobs(kind, async (place) => {
      const of = { noun: settingNoun, id: "work" };
      const by = makeProvenance(place.ctx, "config set");
      await applyChange(place.ctx.db, of, by, () => ({ id: "work", quietHours: "22:00-07:00", atOnce: 3 }));
      await applyChange(place.ctx.db, of, by, () => ({ id: "work", atOnce: 3 }));
      const [last] = (await place.run("history", {})).changes;
      expect(last?.summary).toBe("setting work: quietHours default again");
    }));
});

describe("failures in a row", () => {
  it.each([
    [1, "it failed once"],
    [3, "it failed 3 times in a row"],
  ])("%i: %s", (count, words) => {
    expect(explainJobFailures(count)).toBe(words);
  });
});

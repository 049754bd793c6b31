import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HOUR } from "../../src/lib/clock.ts";
import { operationNamed } from "../../src/operations.ts";
import { listSlotQueues } from "../../src/work/jobs/slot-items.ts";
import { openQueue } from "../../src/store/open-queue.ts";
import { stores } from "../stores.ts";
import { type JobPlace, START, withJobs } from "./job-place.ts";

/** What this machine is called from now on. */
function rename(place: JobPlace, machine: string): void {
  const { config } = place.ctx;
  const policy = { ...config.policy, team: { ...config.policy.team, machine } };
  Object.assign(place.ctx, { config: { ...config, policy } });
}

const machinesOf = async (place: JobPlace) => {
  const { jobs } = await place.run("job list", {});
  return Object.fromEntries(jobs.map(({ name, machine }) => [name, machine]));
};

const [sqlite, postgres] = stores;

describe.skipIf(postgres === undefined)("commands of a SQLite mind that is restored into a shared one", () => {
  const withBoth = (act: (from: JobPlace, into: JobPlace) => Promise<void>) =>
    withJobs(sqlite!, (from) => withJobs(postgres!, (into) => act(from, into)));

  it("run only on the machine where they were added, and the restore says so", () =>
    withBoth(async (from, into) => {
      const file = join(from.ctx.config.home, "backup.gz");
      rename(from, "ada");
      await from.add("hers");
      await from.add("shared", { anywhere: true });
      await from.run("job add", { name: "heartbeat" });
      await from.run("backup", { file });
      rename(into, "bob");
      const restored = await into.run("restore", { file, write: true });
      expect(restored.pinned).toEqual([{ job: "hers", machine: "ada" }]);
      expect(await machinesOf(into)).toEqual({ hers: "ada", shared: null, heartbeat: null });
      const text = operationNamed("restore").render(restored as never, {} as never);
      expect(text).toContain("hers runs only on ada");
      expect(text).toContain("oldhand job edit hers --machine");
    }));

  it("of an earlier version run only on the machine that restores, also if they were due already", () =>
    withBoth(async (from, into) => {
      const file = join(from.ctx.config.home, "backup.gz");
      await from.add("old");
      await from.ctx.db.run("update jobs set work = replace(work, ?, ?)", ['"addedOn"', '"before"']);
      from.clock.set(START + HOUR);
      await from.plan();
      await from.run("backup", { file });
      rename(into, "ada");
      expect((await into.run("restore", { file, write: true })).pinned).toEqual([{ job: "old", machine: "ada" }]);
      into.clock.set(START + HOUR);
      const queues = listSlotQueues("bob");
      const bobs = await openQueue(into.ctx.store, { queues, clock: into.clock });
      for (const name of queues) expect(await bobs.claim(name, { id: "w", leaseMs: 30_000 })).toBeNull();
      await bobs.close();
    }));

  it("keep their machine, whatever is undone", () =>
    withBoth(async (from, into) => {
      const file = join(from.ctx.config.home, "backup.gz");
      rename(from, "ada");
      await from.add("hers");
      await from.run("job edit", { name: "hers", seconds: 60 });
      await from.add("gone");
      const removed = await from.run("job remove", { name: "gone" });
      await from.run("backup", { file });
      rename(into, "bob");
      await into.run("restore", { file, write: true });
      await expect(into.run("undo", {})).rejects.toMatchObject({
        message: expect.stringContaining("in a team, a command belongs to a machine"),
        hint: expect.stringContaining("--anywhere"),
      });
      await into.run("undo", { id: removed.change.id });
      expect(await machinesOf(into)).toEqual({ gone: "ada", hers: "ada" });
    }));
});

describe.each(stores)("a change of a job, on $name", (kind) => {
  it("is told with the old and the new value of each field, also when it is undone", () =>
    withJobs(kind, async (place) => {
      await place.add("tests", { machine: "ada", seconds: 30 });
      const { change } = await place.run("job edit", {
        ...{ name: "tests", machine: "bob", seconds: 60, command: "npm test" },
      });
      const told = "command: true → npm test, seconds: 30 → 60, machine: ada → bob";
      expect(change?.summary).toBe(`job tests: ${told}`);
      const shown = await place.run("history", { limit: 1 });
      expect(operationNamed("history").render(shown as never, {} as never)).toContain(told);
      const undone = await place.run("undo", {});
      expect(operationNamed("undo").render(undone as never, {} as never)).toContain("machine: bob → ada");
      expect(undone.change.summary).toContain("undone: command: npm test → true, seconds: 60 → 30, machine: bob → ada");
    }));
});

describe.skipIf(postgres === undefined)("jobs of a team that are restored into a SQLite mind", () => {
  it("are named if they belong to another machine, with the command that moves them", () =>
    withJobs(postgres!, (from) =>
      withJobs(sqlite!, async (into) => {
        const file = join(from.ctx.config.home, "backup.gz");
        await from.add("hers", { machine: "ada" });
        await from.add("his", { machine: "bob" });
        await from.add("shared", { anywhere: true });
        await from.run("backup", { file });
        rename(into, "ada");
        const restored = await into.run("restore", { file, write: true });
        const text =
          "his runs only on bob, and this mind is only on ada: `oldhand job edit his --machine ada` lets it run here";
        expect(restored.stranded).toEqual([text]);
        expect(operationNamed("restore").render(restored as never, {} as never)).toContain(text);
        expect((await into.run("status", {})).noWorker).toEqual([text]);
      }),
    ));
});

describe("a command in a SQLite mind", () => {
  it("runs although the name of the machine changed since", () =>
    withJobs(sqlite!, async (place) => {
      rename(place, "ada");
      await place.add("tests");
      rename(place, "ada-2");
      expect((await place.run("job run", { name: "tests" })).slot.fate).toBe("ran");
    }));
});

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HOUR, MINUTE } from "../../src/lib/clock.ts";
import { currentProcess, formatProcessRef, nameProcess } from "../../src/lib/process-ref.ts";
import { saveWorker } from "../../src/store/work/workers.ts";
import { stores } from "../stores.ts";
import { type JobPlace, START, withJobs } from "./job-place.ts";

const fileOf = (place: JobPlace) => join(place.ctx.config.home, "backup.gz");

/** A worker of this process says that it lives. */
async function letWorkerLive(place: JobPlace): Promise<void> {
  const id = nameProcess(formatProcessRef(currentProcess()), "ada-laptop");
  const now = place.clock.now();
  await saveWorker(place.ctx.db, { id, process: id, startedAt: now, beatAt: now, doing: null });
}

describe.each(stores)("a restore into a mind that is in use, on $name", (kind) => {
  it("is refused while a worker lives, names it and says how to stop it; nothing is changed", () =>
    withJobs(kind, async (place) => {
      await place.run("backup", { file: fileOf(place) });
      await place.add("tests");
      await letWorkerLive(place);
      const refused = place.run("restore", { file: fileOf(place), write: true });
      await expect(refused).rejects.toMatchObject({
        code: "conflict",
        message: expect.stringContaining(`process ${process.pid} on ada-laptop`),
        hint: expect.stringContaining("Ctrl-C"),
      });
      expect((await place.run("job list", {})).jobs).toHaveLength(1);
    }));

  it("shows what it would do while a worker lives", () =>
    withJobs(kind, async (place) => {
      await place.run("backup", { file: fileOf(place) });
      await letWorkerLive(place);
      expect(await place.run("restore", { file: fileOf(place) })).toMatchObject({ replaced: false });
    }));

  it("is refused while somebody runs a job by hand", () =>
    withJobs(kind, async (place) => {
      await place.run("backup", { file: fileOf(place) });
      await place.add("tests");
      place.clock.set(START + HOUR);
      await place.plan();
      await place.claim(nameProcess(formatProcessRef(currentProcess()), "ada-laptop"));
      const refused = place.run("restore", { file: fileOf(place), write: true });
      await expect(refused).rejects.toMatchObject({ message: expect.stringContaining("ada-laptop") });
    }));

  it("is not refused because of a worker that said nothing for two minutes", () =>
    withJobs(kind, async (place) => {
      await place.run("backup", { file: fileOf(place) });
      const now = place.clock.now();
      await saveWorker(place.ctx.db, {
        ...{ id: "bob/1/1", process: "bob/1/1", startedAt: now, doing: null },
        beatAt: now - 3 * MINUTE,
      });
      expect(await place.run("restore", { file: fileOf(place), write: true })).toMatchObject({ replaced: true });
    }));

  it("keeps what became of slots since the backup: none of them is run again", () =>
    withJobs(kind, async (place) => {
      await place.add("tests", { late: "all" });
      place.clock.set(START + HOUR);
      await place.plan();
      await place.run("backup", { file: fileOf(place) });
      await place.tick();
      place.clock.set(START + 2 * HOUR);
      await place.tick();
      place.clock.set(START + 2 * HOUR + 30 * MINUTE);
      await place.run("restore", { file: fileOf(place), write: true });
      await place.tick();
      expect(place.done).toEqual(["tests", "tests"]);
      expect(await place.fates()).toEqual(["13:00 ran", "14:00 ran"]);
      place.clock.set(START + 3 * HOUR);
      await place.tick();
      expect(await place.fates()).toEqual(["13:00 ran", "14:00 ran", "15:00 ran"]);
    }));
});

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sleep } from "../../src/lib/sleep.ts";
import { isProcessRunning } from "../../src/lib/process-ref.ts";
import type { OperationMap } from "../../src/operations.ts";
import { newPlace, type Place, type Started, wordsOnly } from "../program.ts";
import { stores, type TestDatabase } from "../stores.ts";

type Slots = OperationMap["job why"]["output"]["slots"];

/** Real processes on the real clock: every job here is due each second. */
describe.each(stores)("oldhand run on $name", (kind) => {
  let database: TestDatabase;
  let place: Place;
  let workers: Started[];
  beforeEach(async () => {
    database = await kind.migrated();
    place = newPlace({ ...wordsOnly, OLDHAND_DATABASE: database.database });
    workers = [];
  });
  afterEach(async () => {
    for (const { child } of workers) child.kill("SIGKILL");
    await Promise.all(workers.map(({ ended }) => ended));
    place.remove();
    await database.remove();
  });

  const startWorker = async () => {
    const worker = place.start(["run"]);
    workers.push(worker);
    await worker.line(/works; stop it/);
    return worker;
  };
  const add = (name: string, command: string) =>
    place.json(["job", "add", name, "--cron", "* * * * * *", "--command", command, "--late", "skip"]);
  const slots = async (...names: string[]): Promise<Slots> =>
    (await place.json<{ slots: Slots }>(["job", "why", ...names, "--limit", "200"])).slots;
  const until = async <T>(read: () => Promise<T | undefined>): Promise<T> => {
    for (;;) {
      const found = await read();
      if (found !== undefined) return found;
      await sleep(50);
    }
  };
  const lines = (file: string) =>
    existsSync(join(place.dir, file)) ? readFileSync(join(place.dir, file), "utf8").trim().split("\n") : [];

  it("runs what is due, and ends cleanly with the record of what it stopped", async () => {
    await add("long", "echo begun | tee begun.txt; sleep 60");
    const worker = await startWorker();
    await worker.line(/long: begins/);
    await until(async () => lines("begun.txt")[0]);
    await until(async () => (await place.json<{ workers: unknown[] }>(["job", "status"])).workers[0]);
    worker.child.kill("SIGTERM");
    expect((await worker.ended).code).toBe(0);
    const first = (await slots("long")).find(({ startedAt }) => startedAt !== null);
    expect(first).toMatchObject({
      fate: "failed",
      detail: expect.stringMatching(/^stopped before its end, because its worker was stopped; its output: begun/),
    });
    const status = await place.json(["job", "status"]);
    expect(status).toMatchObject({ workers: [], leases: [] });
  });

  it("that was killed in the middle of a slot leaves a record that says so, and the slot is not run again", async () => {
    await add("long", "echo $OLDHAND_SLOT >> begun.txt; sleep 60");
    const worker = await startWorker();
    await worker.line(/long: begins/);
    await until(async () => lines("begun.txt")[0]);
    worker.child.kill("SIGKILL");
    await worker.ended;
    const [begun] = lines("begun.txt");
    await startWorker();
    const dead = await until(async () =>
      (await slots("long")).find(({ slot, fate }) => slot === begun && fate !== "running"),
    );
    expect(dead).toMatchObject({ fate: "failed", detail: expect.stringContaining("how far it got is not known") });
    expect(lines("begun.txt").filter((line) => line === begun)).toHaveLength(1);
  });

  it.skipIf(process.platform === "win32")("takes its command with it when it is killed", async () => {
    await add("long", "echo $$ >> pids.txt; sleep 61 & echo $! >> pids.txt; wait");
    const worker = await startWorker();
    const pids = await until(async () => (lines("pids.txt").length === 2 ? lines("pids.txt") : undefined));
    await place.json(["job", "disable", "long"]);
    worker.child.kill("SIGKILL");
    await worker.ended;
    await until(async () => pids.every((pid) => !isProcessRunning(Number(pid))) || undefined);
  });

  it.skipIf(process.platform !== "linux")(
    "that was only stopped loses its command before another worker runs the next slot",
    async () => {
      await place.run(["config", "set", "work.leaseSeconds", "5"]);
      await add("long", "echo $$ >> pids.txt; sleep 62");
      const stopped = await startWorker();
      const [first] = await until(async () => (lines("pids.txt").length === 1 ? lines("pids.txt") : undefined));
      stopped.child.kill("SIGSTOP");
      await startWorker();
      await until(async () => lines("pids.txt").length > 1 || undefined);
      // Its parent is stopped, so a dead one is a zombie.
      expect(readFileSync(`/proc/${first}/stat`, "utf8")).toMatch(/\) Z /);
      const { slots: all } = await place.json<{ slots: Slots }>(["job", "why", "long"]);
      expect(all.find(({ fate }) => fate === "failed")?.detail).toContain("how far it got is not known");
    },
  );

  it("in two processes runs no slot twice", async () => {
    await add("short", "echo $OLDHAND_SLOT >> done.txt");
    await Promise.all([startWorker(), startWorker()]);
    await until(async () => (lines("done.txt").length >= 5 ? true : undefined));
    await place.json(["job", "remove", "short"]);
    // A slot that is ended with its worker has failed, though its command may have written its line.
    await until(async () => ((await slots()).some(({ fate }) => fate === "running") ? undefined : true));
    for (const { child } of workers) child.kill("SIGTERM");
    await Promise.all(workers.map(({ ended }) => ended));
    const ran = (await slots()).filter(({ fate }) => fate === "ran");
    expect(lines("done.txt").toSorted()).toEqual(ran.map(({ slot }) => slot).toSorted());
    expect(new Set(lines("done.txt")).size).toBe(lines("done.txt").length);
  });

  it("stops what it does when work is paused, and goes on after it", async () => {
    await add("long", "sleep 60");
    const worker = await startWorker();
    await worker.line(/long: begins/);
    await place.json(["pause"]);
    await worker.line(/long: stopped/);
    await until(async () => (await slots("long")).find(({ reason }) => reason === "paused"));
    const stopped = (await slots("long")).find(({ fate }) => fate === "failed");
    expect(stopped?.detail).toBe("stopped before its end, because work was paused");
    await place.json(["resume"]);
    await worker.line(/long: stopped[\s\S]*long: begins/);
  });

  it("notices quiet hours and the off switch that are set while it runs", async () => {
    await add("short", "true");
    const worker = await startWorker();
    await worker.line(/short: ran/);
    await place.run(["config", "set", "work.quietHours", "00:00-23:59"]);
    const quiet = await until(async () => (await slots("short")).find(({ reason }) => reason === "paused"));
    // In the last minute of a day it is not quiet.
    expect(quiet.detail).toMatch(/^it was a quiet hour/);
    await place.run(["config", "set", "work.quietHours", "default"]);
    await place.run(["off"]);
    await until(async () =>
      (await slots("short")).find(({ detail }) => detail?.startsWith("oldhand was switched off")),
    );
  });

  it("fires a removed job no more", async () => {
    await add("short", "echo $OLDHAND_SLOT >> done.txt");
    await add("other", "true");
    const worker = await startWorker();
    await worker.line(/short: ran/);
    await place.json(["job", "remove", "short"]);
    const removedAt = Date.now();
    await until(async () => (await slots("other")).find(({ slot }) => Date.parse(slot) > removedAt + 3_000));
    expect(lines("done.txt").filter((line) => Date.parse(line) > removedAt)).toEqual([]);
  });

  it("does not live at another time in a mind that is in use", async () => {
    await add("short", "true");
    await place.json(["job", "run", "short"]);
    const refused = await place.run(["run", "--now", "2031-01-01T00:00:00Z"]);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("--now is for replays") });
    expect(await slots("short")).toHaveLength(1);
  });
});

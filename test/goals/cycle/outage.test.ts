import { describe, expect, it } from "vitest";
import { describeRun, exec, program, cleanEnv } from "../../program.ts";
import { stores } from "../../stores.ts";
import { type CyclePlace, messagesOf, reports, withCycles, writes } from "./cycle-place.ts";

/** The built program on the same mind. */
function oldhand({ home, database, env, clock, folder }: CyclePlace, ...words: readonly string[]) {
  return exec(process.execPath, [program, ...words, "--now", new Date(clock.now()).toISOString()], {
    env: { ...cleanEnv(home), ...env, OLDHAND_HOME: home, OLDHAND_DATABASE: database },
    cwd: folder,
  });
}

describe.each(stores)("the command cycle on $name", (kind) => {
  it("prints one document, and of two at once one works and the other says so with exit code 1", () =>
    withCycles(
      kind,
      {
        script: (request) =>
          JSON.stringify(messagesOf(request).at(-1)).includes("tool_result")
            ? { ...reports("Done."), delayMs: 4_000 }
            : writes("a.txt", "a"),
      },
      async (place) => {
        const id = await place.task(await place.goal("ship"), "Write a", { file: "a.txt" });
        const first = oldhand(place, "cycle", "--json");
        await expect.poll(() => place.model.requests.length, { timeout: 20_000 }).toBeGreaterThan(0);
        const second = await oldhand(place, "cycle", "--json");
        expect(second.code, describeRun(second)).toBe(1);
        expect(JSON.parse(second.stdout)).toMatchObject({
          ...{ cycle: null, action: "idle", outcome: null, verified: false },
          reason: expect.stringContaining("another cycle is running"),
        });
        const ran = await first;
        expect(ran.code, describeRun(ran)).toBe(0);
        expect(JSON.parse(ran.stdout)).toMatchObject({
          ...{ action: "execute", outcome: "verified", verified: true, goal: { status: "done" }, task: { id } },
        });
      },
    ));
});

describe("without the database", () => {
  it("the last snapshot is there as a copy, and nothing is done", async () => {
    const [store] = stores;
    if (store === undefined) throw new Error("there is no store");
    await withCycles(store, { script: [writes("a.txt", "a"), reports("Done.")] }, async (place) => {
      await place.task(await place.goal("Sell tea"), "Write a", { file: "a.txt" });
      await place.goal("Sell coffee");
      await place.run("cycle", {});
      const asked = place.model.requests.length;
      const away = { ...place, database: "postgres://ada@127.0.0.1:1/mind" };
      const shown = await oldhand(away, "snapshot", "show", "--json");
      expect(shown.code, describeRun(shown)).toBe(0);
      expect(JSON.parse(shown.stdout)).toMatchObject({
        ...{ isCopy: true, fault: expect.stringContaining("does not answer") },
        snapshot: { content: expect.stringContaining("Sell coffee"), cycleCount: 2 },
      });
      const cycle = await oldhand(away, "cycle");
      expect(cycle.code, describeRun(cycle)).toBe(1);
      expect(cycle.stdout).toContain("Nothing is done without the database; the last snapshot");
      expect(cycle.stdout).toContain("Sell coffee");
      expect(place.model.requests).toHaveLength(asked);
    });
  });
});

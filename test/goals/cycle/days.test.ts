import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DAY, HOUR } from "../../../src/lib/clock.ts";
import { isRecord } from "../../../src/lib/json.ts";
import type { ModelRequest, ScriptedTurn } from "../../../src/testing/scripted-server.ts";
import { listTaskAttempts } from "../../../src/store/goals/attempts.ts";
import { findBuiltInJob } from "../../../src/work/jobs/built-in-jobs.ts";
import { removeOldPlaces } from "../../../src/work/goals/cycle/places/remove-places.ts";
import { stores } from "../../stores.ts";
import { messagesOf, reports, withCycles, writes } from "./cycle-place.ts";

/** What a provider reads anew: the request without the beginning that it shares with the one before. */
function countNew(before: ModelRequest | undefined, request: ModelRequest): number {
  const [old, now] = [before, request].map((one) => (one === undefined ? "" : textOf(one)));
  let shared = 0;
  while (shared < (old ?? "").length && old?.[shared] === now?.[shared]) shared++;
  return (now ?? "").length - shared;
}

/** In the order in which providers cache it; marks for the cache are no part of it. */
function textOf({ body }: ModelRequest): string {
  const { tools, system, messages } = isRecord(body) ? body : {};
  const pieces = [tools, system, ...(Array.isArray(messages) ? messages : [])];
  return pieces
    .map((one) => JSON.stringify(one, (key, value: unknown) => (key === "cache_control" ? undefined : value)))
    .join("\n");
}

const isFirstOfTurn = (request: ModelRequest) => !JSON.stringify(messagesOf(request).at(-1)).includes("tool_result");

/** Each task asks for a file that is named in its title. */
const worker = (request: ModelRequest): ScriptedTurn => {
  if (!isFirstOfTurn(request)) return reports("Wrote it. The next file comes after it.");
  const [, name = "x"] = /Done when: the file (\S+) is there/.exec(JSON.stringify(messagesOf(request).at(-1))) ?? [];
  return writes(name, `${name}\n`);
};

describe.each(stores)("the day of the agent of a goal on $name", (kind) => {
  it("begins with all that is known, goes on with what is new, and hands over to the next day", () =>
    withCycles(kind, { script: worker }, async ({ run, goal, task, clock, model, asked }) => {
      const id = await goal("Three files", { description: "Each file is made by a task. ".repeat(20) });
      for (const name of ["a", "b", "c"]) await task(id, `Write ${name}`, { file: `${name}.txt` });
      expect(await run("cycle", {})).toMatchObject({ outcome: "verified" });
      const full = countNew(undefined, model.requests[0] as ModelRequest);
      clock.set(clock.now() + HOUR);
      const before = model.requests.at(-1);
      const at = model.requests.length;
      expect(await run("cycle", {})).toMatchObject({ outcome: "verified" });
      const resumed = countNew(before, model.requests[at] as ModelRequest);
      process.stdout.write(`${kind.name}: full boot ${full} characters, resumed ${resumed}\n`);
      expect(resumed).toBeLessThanOrEqual(full * 0.2);
      expect(messagesOf(model.requests[at] as ModelRequest).length).toBeGreaterThan(3);
      clock.set(clock.now() + DAY);
      const next = model.requests.length;
      expect(await run("cycle", {})).toMatchObject({ outcome: "verified" });
      expect(messagesOf(model.requests[next] as ModelRequest)).toHaveLength(1);
      expect(asked(next)).toContain("What the last day left");
      expect(asked(next)).toContain("The next file comes after it.");
    }));
});

describe.each(stores)("what cycles leave on $name", (kind) => {
  it("is removed after its time, unless somebody changed it, and the goal's branch stays", () =>
    withCycles(kind, { script: worker }, async ({ run, goal, task, clock, mind, git }) => {
      const id = await goal("Two files");
      const [first, second] = [
        await task(id, "Write a", { file: "a.txt" }),
        await task(id, "Write b", { file: "b.txt" }),
      ];
      await run("cycle", {});
      await run("cycle", {});
      const [one, two] = await listTaskAttempts(mind.db);
      writeFileSync(join(two?.folder ?? "", "mine.txt"), "of the owner");
      expect(await removeOldPlaces(mind)).toBe(0);
      clock.set(clock.now() + 15 * DAY);
      expect(await removeOldPlaces(mind)).toBe(1);
      expect([existsSync(one?.folder ?? ""), existsSync(two?.folder ?? "")]).toEqual([false, true]);
      const branches = git("for-each-ref", "--format=%(refname:short)", "refs/heads").split("\n");
      expect(branches).toEqual(["main", `oldhand/${id}`, `oldhand/${second}-1`]);
      expect(branches).not.toContain(`oldhand/${first}-1`);
    }));

  it("is told by the job, and a long time without a cycle is told to the owner", () =>
    withCycles(kind, { script: worker }, async ({ run, goal, task, clock, mind }) => {
      await run("job add", { name: "cycle" });
      expect(await findBuiltInJob("cycle")?.run(mind)).toBe("cycle 2: nothing, there is no goal with something to do");
      await task(await goal("One file"), "Write a", { file: "a.txt" });
      expect((await run("status", {})).cycleGap).toBeNull();
      clock.set(clock.now() + 7 * HOUR);
      expect((await run("status", {})).cycleGap).toContain("No cycle ran for 7 hours");
      expect(await findBuiltInJob("cycle")?.run(mind)).toMatch(/^cycle 3: verified, /);
      const { snapshot } = await run("snapshot show", {});
      expect(snapshot?.content).toContain("No cycle ran for 7 hours");
      expect((await run("status", {})).cycleGap).toBeNull();
    }));

  it("is a snapshot that is believed only if the tables agree", () =>
    withCycles(kind, { script: worker }, async ({ run, goal, task, clock, asked }) => {
      const id = await goal("Two files");
      await task(id, "Write a", { file: "a.txt" });
      await run("cycle", {});
      expect((await run("snapshot show", {})).fault).toBeNull();
      const later = await task(id, "Write b", { file: "b.txt" });
      expect((await run("snapshot show", {})).fault).toMatch(/^it has 0 open goals, and there are 1/);
      await run("cycle", {});
      expect(asked(-1)).not.toContain("there is no open goal");
      clock.set(clock.now() + 3 * HOUR);
      expect((await run("snapshot show", {})).fault).toBe("it is older than 2 hours");
      expect(later).toMatch(/^task_/);
    }));
});

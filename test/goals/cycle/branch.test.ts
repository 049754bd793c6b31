import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { skipWithoutSandbox } from "../../converse/sandbox.ts";
import { listTaskAttempts } from "../../../src/store/goals/attempts.ts";
import { listCycles } from "../../../src/store/goals/cycles.ts";
import { stores } from "../../stores.ts";
import { reports, withCycles, writes } from "./cycle-place.ts";

const [kind] = stores;
if (kind === undefined) throw new Error("there is no store");

const failing =
  'import { test } from "node:test";\nimport { equal } from "node:assert";\nimport { add } from "../add.mjs";\ntest("adds", () => equal(add(2, 3), 5));\n';

it.skipIf(skipWithoutSandbox)("keeps work that deletes a test out of the goal's branch, and only claims it", () =>
  withCycles(
    kind,
    {
      script: [
        writes("add.mjs", "export const add = (a, b) => a + b;\n"),
        { calls: [{ tool: "shell", input: { command: "rm test/add.test.mjs" } }] },
        reports("Done."),
      ],
    },
    async ({ run, goal, task, git, write }) => {
      write({ "add.mjs": "export const add = () => 0;\n", "test/add.test.mjs": failing });
      git("add", "--all");
      git("commit", "--quiet", "--message", "test");
      const id = await goal("ship");
      const first = await task(id, "Add numbers", { test: "node --test" });
      const ended = await run("cycle", {});
      expect(ended).toMatchObject({
        ...{ outcome: "claimed", reason: "The work deletes test/add.test.mjs." },
        problems: [
          `oldhand/${first}-1 deletes test/add.test.mjs, and is only claimed: it is not in the branch oldhand/${id}.`,
        ],
      });
      expect(git("branch", "--list", `oldhand/${id}`)).toBe("");
    },
  ),
);

it("verifies what cycles left of a claimed task, though it is not merged, and says which branch that is", () =>
  withCycles(kind, { script: [writes("a.txt", "a"), reports("Done.")] }, async ({ run, goal, task, git }) => {
    const id = await goal("ship");
    const first = await task(id, "Write a", { file: "a.txt" });
    expect(await run("cycle", {})).toMatchObject({ outcome: "verified", branch: `oldhand/${id}` });
    await run("task retry", { task: first });
    await run("task done", { task: first });
    const found = await run("task verify", { task: first });
    const commit = git("rev-parse", `oldhand/${first}-1`);
    expect(found).toMatchObject({ verdict: "verified", branch: `oldhand/${first}-1`, commit });
    expect((await run("goal show", { goal: id })).branch).toBe(`oldhand/${id}`);
    git("merge", "--quiet", `oldhand/${id}`);
    expect(await run("task verify", { task: first })).toMatchObject({ verdict: "verified", branch: null });
    expect((await run("goal show", { goal: id })).branch).toBeNull();
  }));

it("judges the goal's branch for a task that was claimed without a cycle, and keeps a claim if there is nothing to judge", () =>
  withCycles(kind, { script: [writes("a.txt", "a"), reports("Done.")] }, async ({ run, goal, task }) => {
    const id = await goal("ship");
    const [first, other] = [await task(id, "Write a", { file: "a.txt" }), await task(id, "Same", { file: "a.txt" })];
    await run("task done", { task: other });
    expect(await run("task verify", { task: other })).toMatchObject({
      ...{ verdict: "claimed", branch: null, task: { status: "done", proof: "claimed" } },
      why: "Nothing was committed since the task was made.",
    });
    expect(await run("cycle", {})).toMatchObject({ outcome: "verified", task: { id: first } });
    expect(await run("task verify", { task: other })).toMatchObject({ verdict: "verified", branch: `oldhand/${id}` });
  }));

it("verifies a task whose result an earlier task has made, and fails one that nobody has done", () =>
  withCycles(
    kind,
    { script: [writes("a.txt", "a"), reports("Done."), reports("It is there."), reports("Nothing.")] },
    async ({ run, goal, task }) => {
      const id = await goal("ship");
      await task(id, "Write a", { file: "a.txt" });
      await task(id, "Have a", { file: "a.txt", contains: "a" });
      await task(id, "Write b", { file: "b.txt" });
      expect(await run("cycle", {})).toMatchObject({ outcome: "verified" });
      expect(await run("cycle", {})).toMatchObject({ outcome: "verified", task: { title: "Have a" } });
      expect(await run("cycle", {})).toMatchObject({
        outcome: "failed",
        reason: expect.stringMatching(/^The attempt changed nothing\. There is no file b\.txt/),
      });
    },
  ));

it("names no branch to merge before there is one", () =>
  withCycles(kind, { script: [reports("Nothing.")] }, async ({ run, goal, task }) => {
    const id = await goal("ship");
    await task(id, "Write a", { file: "a.txt" });
    expect(await run("cycle", {})).toMatchObject({ outcome: "failed", branch: null });
    expect((await run("goal show", { goal: id })).branch).toBeNull();
  }));

it("chooses nothing while oldhand is off, and counts nothing", () =>
  withCycles(kind, { script: [] }, async ({ run, goal, task, mind, home }) => {
    await task(await goal("ship"), "Write a", { file: "a.txt" });
    writeFileSync(join(home, "config.json"), JSON.stringify({ embedder: "none", off: true }));
    const before = await listCycles(mind.db);
    for (const dryRun of [false, true])
      expect(await run("cycle", { dryRun })).toMatchObject({
        ...{ cycle: null, action: "idle", task: null, dryRun: false },
        reason: "oldhand is off; oldhand on switches it on",
      });
    expect(await listCycles(mind.db)).toEqual(before);
    expect(await listTaskAttempts(mind.db)).toEqual([]);
  }));

it("puts a task off whose folder is not there, and says how to name the new one", () =>
  withCycles(kind, { script: [writes("a.txt", "a"), reports("Done.")] }, async ({ run, goal, task, folder, mind }) => {
    const id = await goal("ship");
    const first = await task(id, "Write a", { file: "a.txt" });
    renameSync(folder, `${folder}-moved`);
    expect(await run("cycle", {})).toMatchObject({
      ...{ outcome: "deferred", task: { status: "pending" } },
      reason: `the folder ${folder} is not there; oldhand goal edit ${id} --folder PATH`,
    });
    expect((await listTaskAttempts(mind.db, { task: first })).map(({ state }) => state)).toEqual(["deferred"]);
    await run("goal edit", { goal: id, folder: `${folder}-moved` });
    expect(await run("cycle", {})).toMatchObject({ outcome: "verified" });
  }));

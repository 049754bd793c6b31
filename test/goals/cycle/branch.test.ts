import { expect, it } from "vitest";
import { skipWithoutSandbox } from "../../converse/sandbox.ts";
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

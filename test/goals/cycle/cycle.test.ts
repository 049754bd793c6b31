import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { stores } from "../../stores.ts";
import { plans, reports, withCycles, writes } from "./cycle-place.ts";

describe.each(stores)("a cycle on $name", (kind) => {
  it("plans a goal, then does one task after the other, each on the work of the one before", () =>
    withCycles(
      kind,
      {
        script: [
          plans("a.txt", "b.txt", "c.txt"),
          writes("a.txt", "one\n"),
          reports("Wrote a."),
          { calls: [{ tool: "read", input: { file_path: "a.txt" } }] },
          writes("b.txt", "two\n"),
          reports("Wrote b."),
          writes("c.txt", "three\n"),
          reports("Wrote c."),
        ],
      },
      async ({ run, goal, git, folder, asked, home }) => {
        const id = await goal("Three files");
        expect(await run("cycle", {})).toMatchObject({ action: "decompose", outcome: "planned", rule: "decompose" });
        const first = await run("cycle", {});
        expect(first, JSON.stringify(first)).toMatchObject({
          ...{ action: "execute", outcome: "verified", verified: true },
          task: { title: "Write a.txt", status: "done", proof: "verified" },
        });
        expect(await run("cycle", {})).toMatchObject({ outcome: "verified", task: { title: "Write b.txt" } });
        // The second saw the file of the first.
        expect(asked(4)).toContain("one");
        expect(await run("cycle", {})).toMatchObject({ outcome: "verified", goal: { status: "done" } });
        expect(await run("cycle", {})).toMatchObject({ action: "idle", outcome: "nothing" });
        // The owner's branch and folder are as they were.
        expect(existsSync(join(folder, "a.txt"))).toBe(false);
        expect(git("log", "--format=%s", "main")).toBe("begin");
        git("merge", "--quiet", `oldhand/${id}`);
        expect(git("ls-files").split("\n")).toEqual(["README.md", "a.txt", "b.txt", "c.txt"]);
        expect(git("log", "--format=%an", "-3")).toBe("oldhand\noldhand\noldhand");
        const { entries } = await run("goal log", { goal: id });
        expect(entries.map(({ summary }) => summary)).toEqual([
          'Verified: "Write c.txt" (attempt 1)',
          'Verified: "Write b.txt" (attempt 1)',
          'Verified: "Write a.txt" (attempt 1)',
          'Planned 3 tasks for "Three files"',
        ]);
        const { snapshot, fault } = await run("snapshot show", {});
        expect(fault).toBeNull();
        expect(snapshot).toMatchObject({ cycleCount: 6, activeGoals: [], recentOutcomes: [{ success: true }, {}, {}] });
        expect(existsSync(join(home, "latest-snapshot.json"))).toBe(true);
      },
    ));
});

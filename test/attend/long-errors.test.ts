import { describe, expect, it } from "vitest";
import { stores } from "../stores.ts";
import { inWorkspace } from "./observed-workspace.ts";

/** What a program prints before its error changes nothing. */
describe.each(stores)("the law reads the line that names the cause, on $name", (kind) => {
  const error = "usage: slow.py [-h] [--output DIR] file\nslow.py: error: unrecognized arguments: --out";
  it.each([0, 150, 400, 3_000])("however many lines come before it: %i", (lines) =>
    inWorkspace(kind, async (workspace) => {
      const printed = Array.from({ length: lines }, (_, at) => `row ${at}: 0.${at} of the table was drawn\n`).join("");
      for (let i = 0; i < 4; i++)
        await workspace.session([
          ["python3 slow.py --out out a.md", printed + error, 2],
          ["python3 slow.py --output out a.md"],
        ]);
      expect((await workspace.mine()).join("\n")).toContain("Use `python3 slow.py --output` here");
    }),
  );

  it("a remedy that is withheld can be run as it is named, also when the owner approves it", () =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 4; i++)
        await workspace.session([
          [`python3 tools/slow.py a${i}.md`, "slow.py: error: the table is too wide"],
          [`python3 tools/slow.py --width 80 a${i}.md`],
        ]);
      await workspace.mine();
      const [rule] = await workspace.rules();
      expect(rule?.text).not.toContain("--width");
      expect(rule?.evidence.remedy?.withheld?.sentence).toContain("Use `python3 tools/slow.py --width 80` here");
      await workspace.ask("rules approve", { id: rule?.id, remedy: true, risky: true });
      const [approved] = await workspace.rules();
      expect(approved?.text).toContain("Use `python3 tools/slow.py --width 80` here");
    }));
});

import { describe, expect, it } from "vitest";
import { stores } from "../stores.ts";
import { inWorkspace } from "./observed-workspace.ts";

const gone = (path: string) => `bash: ${path}: No such file or directory`;

describe.each(stores)("where a fact says that a path is missing, on $name", (kind) => {
  it.each([
    ["scripts/ctl.sh reset --wipe", "tools/db/ctl.sh reset --wipe"],
    ["scripts/ctl.sh --wipe", "tools/db/ctl.sh --wipe"],
    ["scripts/ctl.sh reset --wipe", "tools/db/ctl.sh reset --wipe --yes"],
    ["python3 scripts/ctl.py reset --wipe", "python3 tools/db/ctl.py reset --wipe"],
  ])("a rule without a remedy does not take its place: %s", (failed, worked) =>
    inWorkspace(kind, async (workspace) => {
      workspace.write(worked.split(" ").find((word) => word.includes("/")) ?? "");
      const path = failed.split(" ").find((word) => word.includes("/")) ?? "";
      const error = failed.startsWith("python3")
        ? `python3: can't open file '${path}': [Errno 2] No such file or directory`
        : gone(path);
      for (let i = 0; i < 4; i++) await workspace.session([[failed, error, 127], [worked]]);
      const rules = (await workspace.mine()).join("\n");
      expect(rules).not.toContain("--wipe");
      const said = [await workspace.before(failed), await workspace.match(failed), await workspace.start()];
      for (const one of said) {
        expect.soft(one).not.toMatch(/Do not (?:use|run)/);
        expect
          .soft(one)
          .toMatch(/does not exist .*`tools\/db\/ctl\.\w+` exists|Use `(?:python3 )?tools\/db\/ctl\.\w+` here/);
      }
    }),
  );

  it("the owner sees what worked, and may teach it", () =>
    inWorkspace(kind, async (workspace) => {
      workspace.write("tools/db/ctl.sh");
      for (let i = 0; i < 4; i++)
        await workspace.session([
          ["scripts/ctl.sh reset --wipe", gone("scripts/ctl.sh"), 127],
          ["tools/db/ctl.sh reset --wipe"],
        ]);
      await workspace.mine();
      const [rule] = await workspace.rules();
      expect(await workspace.print("rules why", { id: rule?.id })).toContain("tools/db/ctl.sh reset --wipe");
      await workspace.ask("rules approve", { id: rule?.id, remedy: true, risky: true });
      expect((await workspace.rules())[0]?.text).toContain("Use `tools/db/ctl.sh reset` here");
    }));
});

import { describe, expect, it } from "vitest";
import { stores } from "../stores.ts";
import { inWorkspace } from "./observed-workspace.ts";

const missing = (path: string) => `cat: ${path}: No such file or directory`;

describe.each(stores)("what was seen in a subfolder, on $name", (kind) => {
  it("is told there with paths as one types them there, and elsewhere with paths from the workspace", () =>
    inWorkspace(kind, async (workspace) => {
      workspace.write("web/manual/guide.md");
      workspace.write("api/x.ts");
      await workspace.session([["cat docs/guide.md", missing("docs/guide.md")], ["cat manual/guide.md"]], "web");
      await workspace.endTurn();
      const there = await workspace.before("cat docs/guide.md", "web");
      expect(there).toContain("| `docs/guide.md` does not exist");
      expect(there).toContain("`manual/guide.md` exists");
      const above = await workspace.before("cat web/docs/guide.md");
      expect(above).toContain("| `web/docs/guide.md` does not exist");
      expect(above).toContain("`web/manual/guide.md` exists");
      const beside = await workspace.before("cat ../web/docs/guide.md", "api");
      expect(beside).toContain("`../web/manual/guide.md` exists");
    }));

  it("gives no advice relative to it in another folder", () =>
    inWorkspace(kind, async (workspace) => {
      workspace.write("web/docs/guide.md");
      for (let i = 0; i < 4; i++)
        await workspace.session([["cat docs/gide.md", missing("docs/gide.md")], ["cat docs/guide.md"]], "web");
      await workspace.mine();
      expect(await workspace.before("cat docs/gide.md", "web")).toContain("Use `cat docs/guide.md` here");
      expect(await workspace.before("cat docs/gide.md")).not.toContain("Use `cat docs/guide.md`");
    }));
});

import { describe, expect, it } from "vitest";
import { stores } from "../stores.ts";
import { inWorkspace, type ObservedWorkspace } from "./observed-workspace.ts";

const unknown = "seed.sh: unknown option --all";
const missing = 'npm error Missing script: "test"';

async function learnSeed(workspace: ObservedWorkspace): Promise<string> {
  for (let i = 0; i < 4; i++)
    await workspace.session([["scripts/seed.sh --all", unknown], ["scripts/seed.sh --tenant acme"]]);
  await workspace.mine();
  return (await workspace.rules())[0]?.id ?? "";
}

describe.each(stores)("a failure behind another program's exit code, on $name", (kind) => {
  it.each([
    "scripts/seed.sh --all 2>&1 | tail -5",
    "scripts/seed.sh --all || true",
    "scripts/seed.sh --all; echo done",
    "scripts/seed.sh --all\necho done",
  ])("is a failure for every command: %s", (line) =>
    inWorkspace(kind, async (workspace) => {
      const id = await learnSeed(workspace);
      await workspace.reported(line, `${unknown}\n`);
      expect(await workspace.match("scripts/seed.sh --all")).toContain(id);
      await workspace.mine();
      expect((await workspace.rules())[0]?.text).toContain("(failed 5 of 5)");
      expect(await workspace.ask("rules why", { id })).not.toContain("a call worked on 16 Nov (4 of 5 failed)");
      expect(await workspace.match("scripts/seed.sh --all")).toContain(id);
      expect(await workspace.ask("report", {})).toContain('"count":5');
    }),
  );

  it("a success behind a pipe still ends a rule that something is unknown", () =>
    inWorkspace(kind, async (workspace) => {
      const id = await learnSeed(workspace);
      await workspace.reported("scripts/seed.sh --all 2>&1 | tail -5", "seeded 4 tenants\n");
      await workspace.mine();
      expect(await workspace.ask("rules why", { id })).toContain("a call worked on 16 Nov (4 of 5 failed)");
    }));

  it("output that quotes such an error is a success where the exit code is the program's own", () =>
    inWorkspace(kind, async (workspace) => {
      const id = await learnSeed(workspace);
      await workspace.reported("true && scripts/seed.sh --all", `fixed: ${unknown}\n${unknown}\n`);
      await workspace.mine();
      expect(await workspace.ask("rules why", { id })).toContain("a call worked on 16 Nov (4 of 5 failed)");
    }));

  it("a program that is missing behind a pipe did not work", () =>
    inWorkspace(kind, async (workspace) => {
      const noCargo = "bash: line 1: kargo: command not found";
      for (let i = 0; i < 4; i++) await workspace.session([["kargo test -p cart", noCargo, 127], ["./dev kargo test"]]);
      await workspace.mine();
      await workspace.reported("kargo test -p cart 2>&1 | tail -3", `${noCargo}\n`);
      await workspace.mine();
      expect(await workspace.match("kargo test -p cart")).toContain("kargo");
    }));

  it("gets the answer that the failure gets without a pipe", () =>
    inWorkspace(kind, async (workspace) => {
      workspace.write("package.json", '{"scripts":{"check":"x","test:unit":"y"}}');
      workspace.write("src/index.js");
      expect(await workspace.reported("npm run test 2>&1 | tail -5", missing)).toContain("test:unit");
      const noFile = "cat: src/indx.js: No such file or directory";
      expect(await workspace.reported("cat src/indx.js 2>&1 | head", noFile)).toContain("src/index.js");
      expect(await workspace.reported("cat a.log src/index.js | head", `${noFile}\nx\nvar a`)).toBe("");
      expect(await workspace.reported("grep -rn 'Missing script' . | head", `log: ${missing}`)).toBe("");
    }));
});

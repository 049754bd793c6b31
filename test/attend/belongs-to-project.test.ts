import { describe, expect, it } from "vitest";
import { stores } from "../stores.ts";
import { inWorkspace, type ObservedWorkspace } from "./observed-workspace.ts";

const noScript = (name: string) => `npm error Missing script: "${name}"`;
const noTarget = (name: string) => `make: *** No rule to make target '${name}'.  Stop.`;

/** The same script under a name of each project. */
const types = (name: string) => ({ a: "check:types", b: "types:check", c: "type-check" })[name] ?? "";

/** What belongs to one project is no rule for others; one mistake is one rule per project. */
describe.each(stores)("the scope of a mined rule, on $name", (kind) => {
  const named = (text: string, workspace: ObservedWorkspace) =>
    text.replaceAll(workspace.folder.split("/").at(-1) ?? "", "p");

  it("a script or target that three projects lack makes no rule everywhere; each keeps its own remedy", () =>
    inWorkspace(kind, async (workspace) => {
      for (const name of ["a", "b", "c"]) {
        const project = workspace.project(name);
        for (let i = 0; i < 3; i++)
          await project.session([
            ["npm run typecheck", noScript("typecheck")],
            [`npm run ${types(name)}`],
            ["make proto", noTarget("proto"), 2],
            ["make build"],
          ]);
      }
      const rules = (await workspace.scopedRules()).map((one) => named(one, workspace));
      expect(rules).toEqual(
        ["a", "b", "c"].map(
          (name) => `p-${name}: Use \`npm run ${types(name)}\` here: there is no script \`typecheck\` (failed 3 of 3).`,
        ),
      );
      const elsewhere = workspace.project("new");
      for (const command of ["npm run typecheck", "make proto"]) expect(await elsewhere.before(command)).toBe("");
    }));

  it.each([
    ["a module", "python3 load.py", "ModuleNotFoundError: No module named 'yaml'"],
    ["a module run by name", "python3 -m ruff check", "/usr/bin/python3: No module named ruff"],
    ["a file", "cat conf/app.toml", "cat: conf/app.toml: No such file or directory"],
    ["a branch", "git checkout develop", "error: pathspec 'develop' did not match any file(s) known to git"],
  ])("what one project lacks may be there in another: %s", (_, command, error) =>
    inWorkspace(kind, async (workspace) => {
      for (const name of ["a", "b", "c", "d"]) {
        const project = workspace.project(name);
        for (let i = 0; i < 2; i++) await project.session([[command, error]]);
      }
      expect((await workspace.scopedRules()).filter((one) => one.startsWith("everywhere"))).toEqual([]);
    }),
  );

  it("a program of the project makes no rule for other projects, whatever it does not know", () =>
    inWorkspace(kind, async (workspace) => {
      const unknown = "error: unknown option --watch\nusage: dev.sh [--once]";
      for (const name of ["a", "b", "c", "d"]) {
        const project = workspace.project(name);
        for (let i = 0; i < 2; i++)
          await project.session([
            ["./scripts/dev.sh --watch", unknown, 2],
            ["./scripts/dev.sh --once"],
            [`${project.folder}/tools/up --now`, "error: unknown option --now", 2],
            ["python3 tools/load.py --all", "load.py: error: unrecognized arguments: --all", 2],
          ]);
      }
      expect((await workspace.scopedRules()).filter((one) => one.startsWith("everywhere"))).toEqual([]);
      expect(await workspace.project("e").before("./scripts/dev.sh --watch")).toBe("");
    }));

  it("a rule is for everywhere only from three projects with failures on, for every miner", () =>
    inWorkspace(kind, async (workspace) => {
      const fail = async (name: string) => {
        const project = workspace.project(name);
        for (let i = 0; i < 2; i++)
          await project.session([["ferry load --pier 3", "error: unknown option --pier", 2], ["ferry load --piers 3"]]);
      };
      await fail("a");
      await fail("b");
      const two = (await workspace.scopedRules()).map((one) => named(one, workspace));
      expect(two.map((one) => one.split(":", 1)[0])).toEqual(["p-a", "p-b"]);
      await fail("c");
      const three = (await workspace.scopedRules()).filter((one) => one.startsWith("everywhere"));
      expect(three.map((one) => one.replace(/Use `.*` instead|Use `[^`]*`/, "Use X"))).toEqual([
        "everywhere: Use X: `ferry load` has no option `--pier` (failed 6 of 6).",
      ]);
    }));

  it("a program that is only missing is a fact in each project; each keeps what works there instead", () =>
    inWorkspace(kind, async (workspace) => {
      for (const [name, instead] of [
        ["a", "podman"],
        ["b", "nerdctl"],
        ["c", "buildah"],
      ] as const) {
        const project = workspace.project(name);
        for (let i = 0; i < 3; i++)
          await project.session([
            ["dokcer build Dockerfile.web", "bash: line 1: dokcer: command not found", 127],
            [`${instead} build Dockerfile.web`],
            ["shellchek up.sh", "bash: line 1: shellchek: command not found", 127],
          ]);
      }
      const rules = (await workspace.scopedRules()).map((one) => named(one, workspace));
      expect(rules).toEqual([
        "p-a: Do not run `dokcer` here: `dokcer` is not installed (failed 3 of 3).",
        "p-b: Do not run `dokcer` here: `dokcer` is not installed (failed 3 of 3).",
        "p-c: Do not run `dokcer` here: `dokcer` is not installed (failed 3 of 3).",
      ]);
    }));

  it("one mistake is one rule in each project, and one sentence after a failure", () =>
    inWorkspace(kind, async (workspace) => {
      const unknown = "error: unknown option --waits\nusage: shipit push [--wait]";
      const projects = ["a", "b"].map((name) => workspace.project(name));
      for (let i = 0; i < 4; i++) {
        for (const project of projects)
          await project.session([["shipit push --waits", unknown, 2], ["shipit push --wait"]]);
        await workspace.mine();
      }
      const rules = (await workspace.scopedRules()).map((one) => named(one, workspace));
      expect(rules).toEqual(
        ["a", "b"].map(
          (name) =>
            `p-${name}: Use \`shipit push --wait\` here: \`shipit push\` has no option \`--waits\` (failed 4 of 4).`,
        ),
      );
    }));
});

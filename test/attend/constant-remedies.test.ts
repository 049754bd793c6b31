import { describe, expect, it } from "vitest";
import { stores } from "../stores.ts";
import { inWorkspace } from "./observed-workspace.ts";

describe.each(stores)("a remedy names only what is the same in every call, on $name", (kind) => {
  it("an option that helped is kept for the owner, without the operands of the calls that it helped", () =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 4; i++)
        await workspace.session([
          ["helm upgrade shop ./chart", 'Error: UPGRADE FAILED: "shop" has no deployed releases; use --install'],
          ["helm upgrade --install shop ./chart"],
        ]);
      expect((await workspace.mine()).join("\n")).not.toContain("--install");
      const [rule] = await workspace.rules();
      expect(rule?.evidence.remedy?.withheld?.sentence).toContain("Use `helm upgrade --install` here: ");
      expect(await workspace.match("helm upgrade api ./chart")).not.toContain("--install shop");
    }));

  it("it is counted over calls with different operands", () =>
    inWorkspace(kind, async (workspace) => {
      for (const name of ["shop", "api", "web", "mail"])
        await workspace.session([
          [
            `helm upgrade ${name} ./${name}`,
            `Error: UPGRADE FAILED: "${name}" has no deployed releases; use --install`,
          ],
          [`helm upgrade --install ${name} ./${name}`],
        ]);
      expect((await workspace.mine()).join("\n")).not.toContain("--install");
      const [rule] = await workspace.rules();
      expect(rule?.evidence.remedy?.withheld?.sentence).toContain("Use `helm upgrade --install` here: ");
    }));

  it("an option in place of an unknown one, everywhere", () =>
    inWorkspace(kind, async (workspace) => {
      for (const project of ["a", "b", "c"].map((name) => workspace.project(name)))
        for (let i = 0; i < 3; i++)
          await project.session([
            ["kubectl get pods --all-namespace", "error: unknown flag: --all-namespace"],
            ["kubectl get pods --all-namespaces"],
          ]);
      expect(await workspace.scopedRules()).toEqual([
        "everywhere: Use `kubectl get --all-namespaces`: `kubectl get` has no option `--all-namespace` (failed 9 of 9).",
      ]);
    }));

  it("an option that is only left out needs no operands", () =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 4; i++)
        await workspace.session([
          ["go test -parallelism 4 ./...", "flag provided but not defined: -parallelism"],
          ["go test ./..."],
        ]);
      expect(await workspace.mine()).toEqual([
        "nudge: Look up what `go test` has in place of `-parallelism`: it has no such option (failed 4 of 4).",
      ]);
    }));

  it("another branch of that name is no such mistake", () =>
    inWorkspace(kind, async (workspace) => {
      const missing = "error: pathspec 'master' did not match any file(s) known to git";
      for (let i = 0; i < 4; i++) await workspace.session([["git checkout master", missing], ["git checkout main"]]);
      expect(await workspace.mine()).toEqual([
        "nudge: Use `git checkout main` here: git has no branch, tag, commit or file `master` (failed 4 of 4).",
      ]);
      expect(await workspace.match("git checkout master")).toContain("Use `git checkout main`");
      for (const other of ["git checkout -b master", "git checkout -b new"])
        expect.soft(await workspace.match(other)).not.toContain("git checkout main");
    }));

  it("an operand is offered only to the very call that it replaced", () =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 4; i++)
        await workspace.session([
          ["terraform workspace select production", "workspace production is odd"],
          ["terraform workspace select -or-create prod"],
        ]);
      await workspace.mine();
      expect(await workspace.match("terraform workspace select staging")).not.toContain("prod");
    }));
});

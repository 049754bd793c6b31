import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { stores } from "../stores.ts";
import { inWorkspace, type ObservedWorkspace } from "./observed-workspace.ts";

const cannotOpen = (shop: ObservedWorkspace, path = "manage.py") =>
  `python3: can't open file '${join(shop.folder, path)}': [Errno 2] No such file or directory`;

const RULE = "Run `python3 manage.py …` in `backend`: there is no `manage.py` in the workspace root (failed 4 of 4).";

async function observeMigrations(shop: ObservedWorkspace): Promise<void> {
  shop.write("backend/manage.py");
  for (let i = 0; i < 4; i++)
    await shop.session([["python3 manage.py migrate", cannotOpen(shop)], ["cd backend && python3 manage.py migrate"]]);
}

describe.each(stores)("a script that is in a folder below, on $name", (kind) => {
  it("makes a rule that names the folder where the same call worked, for every call of the script", () =>
    inWorkspace(kind, async (shop) => {
      await observeMigrations(shop);
      expect(await shop.mine()).toEqual([`nudge: ${RULE}`]);
      expect(await shop.start()).toContain(RULE);
      for (const command of ["python3 manage.py migrate", "python3 manage.py test shop"])
        expect(await shop.before(command)).toContain(RULE);
      for (const command of ["cd backend && python3 manage.py migrate", "python3 backend/manage.py migrate"])
        expect(await shop.before(command)).not.toContain("backend`");
      expect(await shop.before("python3 manage.py migrate", "backend")).toBe("");
      expect(await shop.print("report", {})).toContain(RULE);
    }));

  it("is silent once the script is where the call looks for it, or is gone from the folder", () =>
    inWorkspace(kind, async (shop) => {
      await observeMigrations(shop);
      await shop.mine();
      shop.write("manage.py");
      expect(await shop.before("python3 manage.py migrate")).not.toContain("backend`");
      rmSync(join(shop.folder, "manage.py"));
      expect(await shop.before("python3 manage.py migrate")).toContain(RULE);
      rmSync(join(shop.folder, "backend"), { recursive: true });
      expect(await shop.before("python3 manage.py migrate")).not.toContain("backend`");
    }));

  it("counts calls in which the folder was entered before, and scripts that are called by their path", () =>
    inWorkspace(kind, async (shop) => {
      const noFile = "/bin/bash: line 1: ./scripts/gen.sh: No such file or directory";
      for (let i = 0; i < 4; i++) {
        await shop.session([["./scripts/gen.sh all", noFile, 127]]);
        await shop.session([["./scripts/gen.sh all"]], "packages/api");
      }
      expect(await shop.mine()).toEqual([
        "nudge: Run `./scripts/gen.sh …` in `packages/api`: there is no `scripts/gen.sh` in the workspace root (failed 4 of 4).",
      ]);
    }));

  it.each([
    ["it worked in two folders", ["backend", "admin"]],
    ["it worked in the workspace too", ["backend", "."]],
    ["the folder is production", ["production"]],
  ])("makes no such rule if %s", (_why, folders) =>
    inWorkspace(kind, async (shop) => {
      for (let i = 0; i < 4; i++) {
        await shop.session([["python3 manage.py migrate", cannotOpen(shop)]]);
        for (const folder of folders) await shop.session([["python3 manage.py migrate"]], folder);
      }
      expect((await shop.mine()).filter((rule) => rule.includes(" in `"))).toEqual([]);
    }),
  );
});

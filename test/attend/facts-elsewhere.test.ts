import { describe, expect, it } from "vitest";
import { stores } from "../stores.ts";
import { inWorkspace, type ObservedWorkspace } from "./observed-workspace.ts";

const noPath = (path: string) => `rg: ${path}: No such file or directory (os error 2)`;
const noScript = (name: string) => `npm error Missing script: "${name}"`;

function writeShop(shop: ObservedWorkspace): void {
  shop.write("package.json", '{"scripts":{"test":"t","build":"b"},"workspaces":["packages/*"]}');
  shop.write("packages/web/package.json", '{"name":"web","scripts":{"lint":"l","dev":"d"}}');
  shop.write("packages/api/package.json", '{"name":"@shop/api","scripts":{"dev":"d"}}');
  shop.write("backend/app.py");
}

describe.each(stores)("a fact that names the place where the missing thing is, on $name", (kind) => {
  it("a path that a folder lacks is said to be missing in that folder, with where it is", () =>
    inWorkspace(kind, async (shop) => {
      writeShop(shop);
      await shop.session([["rg TODO packages", noPath("packages")]], "backend");
      const said = "`packages` does not exist in `backend` (a call failed on this on 16 Nov); `../packages` exists.";
      expect(await shop.before("rg TODO packages", "backend")).toContain(said);
      expect(await shop.match("rg TODO packages", "backend")).toContain(said);
      expect(await shop.before("rg TODO packages")).toBe("");
    }));

  it("a command that failed only in its folder is not left open where the path exists", () =>
    inWorkspace(kind, async (shop) => {
      writeShop(shop);
      await shop.session([["rg TODO packages", noPath("packages")]], "backend");
      expect(await shop.start()).not.toContain("open: failed: rg TODO");
      await shop.session([["rg TODO pakages", noPath("pakages")]], "backend");
      expect(await shop.start()).toContain("open: failed: rg TODO pakages");
    }));

  it("the only folder of that name is named, also in front of a longer path; of two, none is", () =>
    inWorkspace(kind, async (shop) => {
      shop.write("packages/frontend/src/app.ts");
      await shop.session([
        ["ls frontend", "ls: cannot access 'frontend': No such file or directory"],
        ["cat frontend/src/app.ts", "cat: frontend/src/app.ts: No such file or directory"],
      ]);
      expect(await shop.before("ls frontend")).toContain(
        "`frontend` does not exist (a call failed on this on 16 Nov); `packages/frontend` exists.",
      );
      expect(await shop.before("cat frontend/src/app.ts")).toContain("`packages/frontend/src/app.ts` exists");
      shop.write("packages/frontend/.env");
      await shop.session([["cat frontend/.env", "cat: frontend/.env: No such file or directory"]]);
      expect(await shop.before("cat frontend/.env")).not.toContain("packages/frontend/.env");
      shop.write("apps/frontend/index.ts");
      expect(await shop.before("ls frontend")).toContain("does not exist (a call failed on this on 16 Nov).");
    }));

  it("a script that a package of the monorepo has is said to be there, and how it is run", () =>
    inWorkspace(kind, async (shop) => {
      writeShop(shop);
      for (let i = 0; i < 2; i++) await shop.session([["npm run lint", noScript("lint")]]);
      const said =
        "`lint` is a script of `packages/web`, not of `package.json` (a call failed on this on 16 Nov): `npm run lint -w web`.";
      expect(await shop.before("npm run lint")).toContain(said);
      expect(await shop.start()).toContain(said);
      expect(await shop.print("facts list", {})).toContain(said);
      expect(await shop.failing("npm run lint", noScript("lint"))).toContain("`npm run lint -w web`");
    }));

  it("of two packages that have the script, the one where it worked comes first", () =>
    inWorkspace(kind, async (shop) => {
      writeShop(shop);
      await shop.session([["npm run dev", noScript("dev")], ["cd packages/web && npm run dev"]]);
      await shop.mine();
      expect(await shop.before("npm run dev")).toContain(
        "`dev` is a script of `packages/web` and `packages/api`, not of `package.json` (a call failed on this on 16 Nov): `npm run dev -w web`, `npm run dev -w @shop/api`.",
      );
    }));

  it("a folder that is no package of a workspace is named where the script worked there", () =>
    inWorkspace(kind, async (shop) => {
      shop.write("package.json", '{"scripts":{"ci":"c"}}');
      shop.write("site/package.json", '{"scripts":{"dev":"d"}}');
      await shop.session([["npm run dev", noScript("dev")], ["cd site && npm run dev"]]);
      await shop.mine();
      expect(await shop.before("npm run dev")).toContain("`cd site && npm run dev`");
    }));

  it("a script that reaches others is not offered from another package", () =>
    inWorkspace(kind, async (shop) => {
      shop.write("package.json", '{"scripts":{"test":"t"},"workspaces":["packages/*"]}');
      shop.write("packages/web/package.json", '{"name":"web","scripts":{"deploy":"d"}}');
      expect(await shop.failing("npm run deploy", noScript("deploy"))).not.toContain("-w web");
      expect(await shop.before("npm run deploy")).not.toContain("-w web");
    }));

  it("two facts with one sentence are said as one", () =>
    inWorkspace(kind, async (shop) => {
      writeShop(shop);
      for (let i = 0; i < 2; i++) {
        await shop.session([["npm run lint", noScript("lint")]]);
        await shop.session([["npm run lint", noScript("lint")]], "backend");
      }
      for (const said of [await shop.before("npm run lint"), await shop.start()])
        expect(said.match(/`lint` is a script of/g)).toHaveLength(1);
    }));
});

import { describe, expect, it } from "vitest";
import { stores } from "../stores.ts";
import { inWorkspace, type ObservedWorkspace } from "./observed-workspace.ts";

const missing = (script: string) => `ERR_PNPM_NO_SCRIPT  Missing script: ${script}`;

function writeMonorepo(workspace: ObservedWorkspace): void {
  workspace.write("package.json", '{"name":"kiosk","scripts":{"build":"b"},"workspaces":["apps/*"]}');
  workspace.write("pnpm-workspace.yaml", 'packages: ["apps/*"]\n');
  workspace.write("apps/web/package.json", '{"name":"@kiosk/web","scripts":{"check:types":"t"}}');
  workspace.write("apps/admin/package.json", '{"name":"@kiosk/admin","scripts":{"typecheck":"t"}}');
}

describe.each(stores)("packages of a monorepo, on $name", (kind) => {
  it("what works instead is of the same package", () =>
    inWorkspace(kind, async (workspace) => {
      writeMonorepo(workspace);
      for (let i = 0; i < 4; i++)
        await workspace.session([
          ["pnpm --filter @kiosk/web typecheck", missing("typecheck")],
          ["pnpm --filter @kiosk/admin typecheck"],
          ["pnpm --filter @kiosk/web check:types"],
        ]);
      const rule =
        "Use `pnpm --filter @kiosk/web check:types` here: there is no script `typecheck` in `@kiosk/web` (failed 4 of 4).";
      expect(await workspace.mine()).toEqual([`nudge: ${rule}`]);
      expect(await workspace.match("pnpm -F @kiosk/web typecheck")).toContain(rule);
      expect(await workspace.match("pnpm --filter @kiosk/admin typecheck")).not.toContain("no script");
      expect(await workspace.match("pnpm typecheck")).not.toContain("no script");
      workspace.write("apps/web/package.json", '{"name":"@kiosk/web","scripts":{"typecheck":"t"}}');
      expect(await workspace.match("pnpm --filter @kiosk/web typecheck")).not.toContain("no script");
    }));

  it.each([
    ["npm run typecheck -w @kiosk/web", "npm run typecheck"],
    ["yarn workspace @kiosk/web typecheck", "yarn typecheck"],
    ["npm run typecheck --workspace apps/web", "npm run typecheck -w apps/admin"],
  ])("a script that one package lacks is a fact of this package: %s", (command, other) =>
    inWorkspace(kind, async (workspace) => {
      writeMonorepo(workspace);
      for (let i = 0; i < 5; i++) await workspace.session([[command, missing("typecheck")]]);
      const rules = await workspace.mine();
      expect(rules).toEqual([]);
      const fact = "`apps/web/package.json` has no script `typecheck`";
      expect(await workspace.match(command)).toContain(fact);
      expect(await workspace.before(command)).toContain(fact);
      expect(await workspace.match(other)).not.toContain("typecheck`");
      workspace.write("apps/web/package.json", '{"name":"@kiosk/web","scripts":{"typecheck":"t"}}');
      expect(await workspace.match(command)).not.toContain(fact);
    }),
  );

  it("a script that the root lacks says nothing in a folder with a package of its own", () =>
    inWorkspace(kind, async (workspace) => {
      workspace.write("package.json", '{"scripts":{"ci":"c"}}');
      workspace.write("web/package.json", '{"scripts":{"dev":"d"}}');
      const noDev = 'npm error Missing script: "dev"';
      for (let i = 0; i < 4; i++) await workspace.session([["npm run dev", noDev], ["cd web && npm run dev"]]);
      await workspace.mine();
      const rule = "Do not run `npm run dev` here: there is no script `dev` (failed 4 of 4).";
      const fact =
        "`dev` is a script of `web`, not of `package.json` (a call failed on this on 16 Nov): `cd web && npm run dev`.";
      expect(await workspace.start()).toContain(fact);
      expect(await workspace.before("npm run dev")).toContain(fact);
      expect(await workspace.before("cd .. && npm run dev", "web")).toContain(
        "`dev` is a script of this folder, not of `../package.json` (a call failed on this on 16 Nov): `npm run dev`.",
      );
      for (const said of [
        await workspace.start("web"),
        await workspace.before("npm run dev", "web"),
        await workspace.match("npm run dev", "web"),
      ])
        expect(said).not.toMatch(/no script|is a script/);
      await workspace.session([["npm run dev"]], "web");
      await workspace.session([["cd web && npm run dev"]]);
      expect(await workspace.mine()).toEqual([`watch: ${rule}`]);
      expect(await workspace.before("npm run dev")).toContain(fact);
    }));

  it("a folder without a manifest takes the nearest one above it: what the root lacks is missing there too", () =>
    inWorkspace(kind, async (workspace) => {
      workspace.write("package.json", '{"scripts":{"ci":"c","check:types":"t"}}');
      workspace.write("src/lib/a.ts");
      workspace.write("web/package.json", '{"scripts":{"lint":"l"}}');
      const missing = (script: string) => `npm error Missing script: "${script}"`;
      await workspace.session([["npm run lint", missing("lint")]]);
      await workspace.session([["npm run lint", missing("lint")]]);
      const fact = "package.json` has no script `lint`";
      expect(await workspace.before("npm run lint", "src/lib")).toContain(`\`../../${fact}`);
      expect(await workspace.match("cd src && npm run lint")).toContain(`\`${fact}`);
      expect(await workspace.start("src")).toContain(`\`../${fact}`);
      expect(await workspace.before("npm run lint", "web")).toBe("");
      for (let i = 0; i < 4; i++)
        await workspace.session([["npm run typecheck", missing("typecheck")], ["npm run check:types"]]);
      await workspace.mine();
      const rule = "Use `npm run check:types` here: there is no script `typecheck` (failed 4 of 4).";
      expect(await workspace.start("src")).toContain(rule);
      expect(await workspace.before("npm run typecheck", "src/lib")).toContain(rule);
      expect(await workspace.match("npm run typecheck", "src")).toContain(rule);
      for (const said of [await workspace.start("web"), await workspace.before("npm run typecheck", "web")])
        expect(said).not.toContain("no script `typecheck`");
    }));

  it("what a folder without a manifest showed is known in the root too", () =>
    inWorkspace(kind, async (workspace) => {
      workspace.write("package.json", '{"scripts":{"ci":"c"}}');
      workspace.write("src/a.ts");
      await workspace.session([["npm run lint", 'npm error Missing script: "lint"']], "src");
      expect(await workspace.before("npm run lint")).toContain("`package.json` has no script `lint`");
    }));

  it("a script of another package that is entered with `cd` does not count against a rule", () =>
    inWorkspace(kind, async (workspace) => {
      writeMonorepo(workspace);
      for (let i = 0; i < 4; i++)
        await workspace.session([
          ["pnpm run typecheck", missing("typecheck")],
          ["cd apps/admin && pnpm run typecheck"],
          ["pnpm run build"],
        ]);
      const rules = await workspace.mine();
      expect(rules.join("\n")).toContain("(failed 4 of 4)");
      expect(await workspace.match("pnpm run typecheck")).toContain("`pnpm --filter @kiosk/admin run typecheck`");
      expect(await workspace.match("pnpm run typecheck", "apps/admin")).not.toContain("typecheck`");
    }));

  it.each([0, 1])("a script that no selected package has is missing there, exit code %i", (code) =>
    inWorkspace(kind, async (workspace) => {
      writeMonorepo(workspace);
      const none = 'None of the selected packages has a "typecheck" script';
      const command = "pnpm --filter @kiosk/web run typecheck";
      for (let i = 0; i < 4; i++) {
        const said = code === 0 ? await workspace.reported(command, none) : await workspace.failing(command, none);
        expect(said).toContain(i === 0 ? "check:types" : "");
        await workspace.endTurn();
      }
      expect(await workspace.match(command)).toContain("`apps/web/package.json` has no script `typecheck`");
      for (let i = 0; i < 4; i++)
        await workspace.session([[command, none], ["pnpm --filter @kiosk/web run check:types"]]);
      expect((await workspace.mine()).join()).toContain(
        "there is no script `typecheck` in `@kiosk/web` (failed 8 of 8)",
      );
    }),
  );
});

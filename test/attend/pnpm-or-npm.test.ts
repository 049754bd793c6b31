import { describe, expect, it } from "vitest";
import { stores } from "../stores.ts";
import { inWorkspace } from "./observed-workspace.ts";

const corepack =
  'Usage Error: This project is configured to use pnpm because /work/shop/package.json has a "packageManager" field';
const onlyAllow =
  '╔═════════════════════════════════════════════════════════════╗\n║                                                             ║\n║   Use "pnpm install" for installation in this project.       ║\n║                                                             ║\n║   If you don\'t have pnpm, install it via "npm i -g pnpm".    ║\n╚═════════════════════════════════════════════════════════════╝\nnpm error code 1';
const devEngines =
  'npm error code EBADDEVENGINES\nnpm error EBADDEVENGINES The developer of this package has specified the following through devEngines\nnpm error EBADDEVENGINES Invalid devEngines.packageManager\nnpm error EBADDEVENGINES Invalid name "pnpm" does not match "npm" for "packageManager"';

describe.each(stores)("a project's package manager, on $name", (kind) => {
  it.each([
    ["npm install", onlyAllow, "pnpm install"],
    ["npm test", devEngines, "pnpm test"],
    ["yarn test", corepack, "pnpm test"],
    ["npm test", "ERR_PNPM: this project uses pnpm, use pnpm instead", "pnpm test"],
  ])("is named as soon as an error named it: %s", (failing, error, worked) =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 4; i++) await workspace.session([[failing, error], [worked]]);
      const rules = await workspace.mine();
      expect(rules).toEqual([`nudge: Use \`${worked}\` here: this project uses \`pnpm\` (failed 4 of 4).`]);
    }),
  );

  it("is named for each command that failed, and not for one that nobody ran", () =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 4; i++)
        await workspace.session([
          ["npm install", onlyAllow],
          ["pnpm install"],
          ["npm run build", devEngines],
          ["pnpm run build"],
        ]);
      expect(await workspace.mine()).toEqual([
        "nudge: Use `pnpm install` here: this project uses `pnpm` (failed 4 of 4).",
        "nudge: Use `pnpm run build` here: this project uses `pnpm` (failed 4 of 4).",
      ]);
      expect(await workspace.before("npm run lint")).toBe("");
    }));

  it("is not what worked next, if no error names it: an error may only mention another program", () =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 4; i++)
        await workspace.session([["npm run build", "Error: pnpm could not reach the registry"], ["pnpm run build"]]);
      expect((await workspace.mine()).join()).not.toContain("Use `pnpm");
    }));
});

import { describe, expect, it } from "vitest";
import { stores } from "../stores.ts";
import { inWorkspace } from "./observed-workspace.ts";

/** A call that asks what a program can do repairs nothing. */
describe.each(stores)("a call for help or a version is never a remedy, on $name", (kind) => {
  const argparse = "usage: render.py [-h] [--output DIR] file\nrender.py: error: unrecognized arguments: --out";
  const skiff = "skiff: unknown option '--pkg'\nTry 'bin/skiff build --help' for more information.";
  const failing = [
    ["python3 render.py", "--out out a.md", argparse, "--output out a.md", "Use `python3 render.py --output` here"],
    ["bin/skiff build", "--pkg web", skiff, "--package web", "Use `bin/skiff build --package` here"],
    ["renderer", "--out out", "renderer: unrecognized option '--out'", "--output out", "Use `renderer --output` here"],
  ] as const;
  it.each(
    failing.flatMap(([command, ...rest]) =>
      [`${command} --help`, `${command} --help --all`, `${command} -h`, `${command} --version`].map(
        (help) => [help, command, ...rest] as const,
      ),
    ),
  )("%s", (help, command, wrong, error, right, said) =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 4; i++) {
        await workspace.session([[`${command} ${wrong}`, error, 2], [help], [`${command} ${right}`]]);
        if (i === 0) continue;
        const rules = (await workspace.mine()).join("\n");
        if (i > 1) expect(rules).toContain(said);
        expect(rules).not.toMatch(/(?:Use|Run) `[^`]*(?:-h|--help|--version)/);
      }
    }),
  );

  it.each(["bin/card --help", "bin/card help", "bin/card --version"])(
    "not even where nothing else worked: %s",
    (help) =>
      inWorkspace(kind, async (workspace) => {
        const error = "card: the drum is stuck\nTry 'bin/card --help' or use `bin/card --version`.";
        for (let i = 0; i < 4; i++) await workspace.session([["bin/card --drum", error], [help]]);
        expect((await workspace.mine()).join("\n")).toMatch(/^watch: Unknown cause: \S+card.* fails here .*$/);
        const [rule] = await workspace.rules();
        expect(rule?.evidence.remedy?.withheld).toBe(undefined);
      }),
  );

  it("nor is it kept for the owner", () =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 4; i++)
        await workspace.session([["spinner --wool merino", "spinner: unknown option --wool"], ["spinner help wool"]]);
      await workspace.mine();
      for (const rule of await workspace.rules()) expect(JSON.stringify(rule)).not.toContain("spinner help");
    }));
});

import { describe, expect, it } from "vitest";
import { stores } from "../stores.ts";
import { inWorkspace } from "./observed-workspace.ts";

const unknown = (option: string) => `ferry: unknown option '${option}'`;

/** What a rule offers, and how it counts, where it is about several commands. */
describe.each(stores)("a remedy is that of the call itself, on $name", (kind) => {
  it("of several subcommands each is named, and the option that works with each", () =>
    inWorkspace(kind, async (workspace) => {
      for (const verb of ["board", "load", "board", "board"])
        await workspace.session([
          [`bin/ferry ${verb} --pier east`, unknown("--pier")],
          [`bin/ferry ${verb} --piers east`],
          ["bin/ferry moor --pier east"],
        ]);
      const rule =
        "Use `--piers` instead of `--pier` here: `ferry board` and `ferry load` have no option `--pier` (failed 4 of 4).";
      expect(await workspace.mine()).toEqual([`nudge: ${rule}`]);
      for (const verb of ["board", "load"])
        expect.soft(await workspace.before(`bin/ferry ${verb} --pier west`)).toContain(rule);
      expect(await workspace.match("bin/ferry moor --pier east")).not.toContain("--piers");
    }));

  it("no option is offered to a subcommand with which it was never seen", () =>
    inWorkspace(kind, async (workspace) => {
      for (const verb of ["board", "load", "board", "weigh"])
        await workspace.session([
          [`bin/ferry ${verb} --pier east`, unknown("--pier")],
          ...(verb === "board" ? [[`bin/ferry ${verb} --piers east`] as const] : []),
        ]);
      expect(await workspace.mine()).toEqual([
        "nudge: Look up what `ferry board`, `ferry load` and `ferry weigh` have in place of `--pier`: they have no such option (failed 4 of 4).",
      ]);
    }));

  it("one number everywhere, whichever command failed last", () =>
    inWorkspace(kind, async (workspace) => {
      const fail = (verb: string) =>
        workspace.session([[`bin/ferry ${verb} --pier east`, unknown("--pier")], [`bin/ferry ${verb} --piers east`]]);
      for (const verb of ["board", "board", "board", "load", "board", "board"]) {
        await fail(verb);
        await workspace.mine();
      }
      for (const [verb, count] of [
        ["load", 7],
        ["board", 8],
        ["load", 9],
        ["board", 10],
      ] as const) {
        await fail(verb);
        expect((await workspace.mine()).join("\n")).toContain(`(failed ${count} of ${count})`);
        const [rule] = await workspace.rules();
        expect(await workspace.ask("rules list", {})).toContain(`"fired":${count},"hits":${count}`);
        expect(await workspace.ask("rules backtest", { id: rule?.id })).toContain(`"fired":${count},"hits":${count}`);
      }
    }));

  it("a script that one package lacks is not missed in another", () =>
    inWorkspace(kind, async (workspace) => {
      workspace.write("package.json", '{"scripts":{"check:types":"true"},"workspaces":["deck"]}');
      workspace.write("deck/package.json", '{"scripts":{"check":"true"}}');
      for (let i = 0; i < 4; i++)
        await workspace.session([["npm run check", 'npm error Missing script: "check"'], ["npm run check:types"]]);
      expect((await workspace.mine()).join("\n")).toContain("there is no script `check`");
      expect(await workspace.before("npm run check")).toContain("there is no script `check`");
      for (const other of ["--workspace deck", "-w deck", "--workspace=deck", "--workspaces"]) {
        expect.soft(await workspace.before(`npm run check ${other}`), other).toBe("");
        expect.soft(await workspace.match(`npm run check ${other}`), other).not.toContain("there is no script");
      }
    }));

  it.each([
    ["gauge read", "cd hold && gauge read"],
    ["bin/gauge read", "cd hold && ../bin/gauge read"],
    ["./bin/gauge read --deep", "cd hold && ../bin/gauge read --deep"],
    ["python3 tools/gauge.py read", "cd hold && python3 ../tools/gauge.py read"],
  ])(
    "a program that works in another folder is offered there once the owner approves it, by any path: %s",
    (failing, working) =>
      inWorkspace(kind, async (workspace) => {
        for (let i = 0; i < 4; i++)
          await workspace.session([[failing, "gauge: there is no gauge.toml in this folder"], [working]]);
        expect((await workspace.mine()).join("\n")).not.toContain("Use ");
        const [rule] = await workspace.rules();
        expect(await workspace.ask("rules why", { id: rule?.id })).toContain("another folder, `hold`");
        expect(await workspace.ask("rules approve", { id: rule?.id, remedy: true, risky: true })).toContain(
          `Use \`${working}\` here: \`${failing.replace("./", "")}\``,
        );
        expect(await workspace.match(working)).not.toContain("gauge.toml");
        expect(await workspace.before(working)).toBe("");
      }),
  );

  it("a program of another folder that only has the same name is no remedy", () =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 4; i++)
        await workspace.session([["bin/gauge read", "gauge: the needle is stuck"], ["other/bin/gauge read"]]);
      expect((await workspace.mine()).join("\n")).not.toContain("Use `");
    }));

  it("a remedy that begins with a path of the project says where it runs, to a call in another folder", () =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 4; i++)
        await workspace.session([["bin/ferry board --pier a", unknown("--pier")], ["bin/ferry board --piers a"]]);
      expect(await workspace.mine()).toEqual([
        "nudge: Use `bin/ferry board --piers` here: `ferry board` has no option `--pier` (failed 4 of 4).",
      ]);
      expect(await workspace.before("bin/ferry board --pier a")).not.toContain("Run it in");
      workspace.write("deck/plan.txt");
      expect(await workspace.before("../bin/ferry board --pier a", "deck")).toContain(
        `(failed 4 of 4). Run it in \`${workspace.folder}\`.`,
      );
    }));
});

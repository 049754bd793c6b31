import { describe, expect, it } from "vitest";
import { stores } from "../stores.ts";
import { inWorkspace } from "./observed-workspace.ts";

const gone = (path: string) => `bash: ${path}: No such file or directory`;

/** A remedy names the command and what made the difference; what both calls had belongs to the case. */
describe.each(stores)(
  "what the failed call and the working one have in common is no part of the remedy, on $name",
  (kind) => {
    it.each([
      [
        "a moved script",
        "scripts/roll.sh --prod",
        gone("scripts/roll.sh"),
        "tools/roll.sh --prod",
        "Use `tools/roll.sh` here",
      ],
      [
        "a moved script with two options",
        "scripts/mail.sh --notify-customers -v",
        gone("scripts/mail.sh"),
        "tools/mail.sh --notify-customers -v",
        "Use `tools/mail.sh` here",
      ],
      [
        "a moved script with an operand",
        "scripts/bill.sh may --send-invoices",
        gone("scripts/bill.sh"),
        "tools/bill.sh may --send-invoices",
        "Use `tools/bill.sh may` here",
      ],
      [
        "a moved script with a value",
        "scripts/roll.sh --env prod",
        gone("scripts/roll.sh"),
        "tools/roll.sh --env prod",
        "Use `tools/roll.sh` here",
      ],
      [
        "a moved script with a joined value",
        "scripts/roll.sh --env=prod",
        gone("scripts/roll.sh"),
        "tools/roll.sh --env=prod",
        "Use `tools/roll.sh` here",
      ],
      [
        "a moved script of an interpreter",
        "python3 scripts/roll.py --all-tenants",
        "python3: can't open file 'scripts/roll.py': [Errno 2] No such file or directory",
        "python3 tools/roll.py --all-tenants",
        "Use `python3 tools/roll.py` here",
      ],
      [
        "a program respelled",
        "rollctl --all-tenants",
        "bash: rollctl: command not found",
        "bin/rollctl --all-tenants",
        "Use `bin/rollctl` here",
      ],
      [
        "a wrong prefix",
        "rtk rollctl sync --all-tenants",
        "rtk: rollctl: command not found",
        "rollctl sync --all-tenants",
        "`rollctl sync`",
      ],
      [
        "a dropped wrapper",
        "npx rollctl --all-tenants",
        "npm error could not determine executable to run",
        "bin/rollctl --all-tenants",
        "`bin/rollctl`",
      ],
      [
        "another subcommand",
        "bin/roll psh --prod",
        "roll: unknown command 'psh'",
        "bin/roll push --prod",
        "Use `bin/roll push` here",
      ],
      [
        "another option",
        "bin/roll ship --prod --pkg",
        "roll: unknown option '--pkg'",
        "bin/roll ship --prod --package",
        "Use `bin/roll ship --package` here",
      ],
      [
        "a virtual environment",
        "pip install --pre",
        "bash: pip: command not found",
        ".venv/bin/pip install --pre",
        "Use `.venv/bin/pip install` here",
      ],
      [
        "a setting that the error names",
        "bin/roll --prod",
        "roll: set ROLL_HOME first",
        "ROLL_HOME=/opt/roll bin/roll --prod",
        "ROLL_HOME=/opt/roll bin/roll` ",
      ],
    ])("%s: %s", (_shape, command, error, working, said) =>
      inWorkspace(kind, async (workspace) => {
        for (let i = 0; i < 4; i++) await workspace.session([[command, error, 127], [working]]);
        const rules = (await workspace.mine()).join("\n");
        expect(rules).toContain(said);
        for (const [, remedy] of rules.matchAll(/(?:Use|Run) `([^`]*)`/g)) expect(remedy).not.toMatch(ofTheCase);
      }),
    );

    it("an option that the rule is about stays, and so does one that only the working call has", () =>
      inWorkspace(kind, async (workspace) => {
        const error = "roll: --env takes --zone=eu too";
        for (let i = 0; i < 4; i++)
          await workspace.session([
            ["bin/roll --env --fast", error],
            ["bin/roll --env --fast --zone=eu"],
            ["bin/roll --fast"],
          ]);
        await workspace.mine();
        const [rule] = await workspace.rules();
        expect(rule?.evidence.remedy?.withheld?.sentence).toContain("--zone=eu` here");
      }));

    it.each([
      ["scripts/roll.sh --prod", gone("scripts/roll.sh")],
      ["npm run roll -- --prod", 'npm error Missing script: "roll"'],
      ["make rol PROD=--prod", "make: *** No rule to make target 'rol'.  Stop."],
      ["./rol.sh --prod", gone("./rol.sh")],
    ])("facts and answers name the place, the script or the target alone: %s", (command, error) =>
      inWorkspace(kind, async (workspace) => {
        workspace.write("tools/roll.sh");
        workspace.write("roll.sh");
        workspace.write("package.json", '{"scripts":{"rolls":"r --prod"}}');
        workspace.write("Makefile", "roll:\n\ttrue\n");
        const said = [await workspace.failing(command, error), await workspace.failing(command, error)];
        said.push(await workspace.before(command), await workspace.match(command));
        expect(said.join("\n")).toMatch(/roll/);
        expect(said.join("\n")).not.toContain("--prod");
      }),
    );

    it("a call with another option hears of the new place alone", () =>
      inWorkspace(kind, async (workspace) => {
        workspace.write("tools/roll.sh");
        for (let i = 0; i < 4; i++)
          await workspace.session([["scripts/roll.sh --prod", gone("scripts/roll.sh"), 127], ["tools/roll.sh --prod"]]);
        await workspace.mine();
        const said = await workspace.before("scripts/roll.sh --staging");
        expect(said).toContain("tools/roll.sh");
        expect(said).not.toContain("--prod");
      }));
  },
);

const ofTheCase = /--prod|prod\b|--notify-customers|-v\b|--send-invoices|--all-tenants|--pre\b/;

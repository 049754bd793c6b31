import { describe, expect, it } from "vitest";
import { stores } from "../stores.ts";
import { inWorkspace } from "./observed-workspace.ts";

/** Causes that the error names, with a remedy that another call showed. */
describe.each(stores)("what an error names and a call showed, on $name", (kind) => {
  it.each([
    "mast: MAST_FLAG is not set",
    "bin/mast: line 3: MAST_FLAG: unbound variable",
    "bin/mast: MAST_FLAG: parameter not set",
    "Error: missing required environment variable MAST_FLAG",
  ])("a variable that is not set is to be set: %s", (error) =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 5; i++)
        await workspace.session([
          ["bin/mast raise main", error],
          ["MAST_FLAG=blue bin/mast raise main"],
          ["export MAST_FLAG=blue && bin/mast raise main"],
        ]);
      const rule =
        "`bin/mast raise` asks for the variable `MAST_FLAG` here; whether and how to set it is the user's decision (failed 5 of 5).";
      expect(await workspace.mine()).toEqual([`nudge: ${rule}`]);
      expect(await workspace.before("bin/mast raise fore")).toContain(rule);
      for (const set of ["MAST_FLAG=red bin/mast raise fore", "export MAST_FLAG=red; bin/mast raise fore"])
        expect.soft(await workspace.match(set), set).not.toContain("MAST_FLAG");
    }),
  );

  it("a check that lacks a variable is no failing test", () =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 4; i++)
        await workspace.session([
          ["make check", "label: the variable MAST_FLAG is not set\nmake: *** [Makefile:2: check] Error 1"],
          ["MAST_FLAG=blue make check"],
        ]);
      expect(await workspace.mine()).toEqual([
        "nudge: `make check` asks for the variable `MAST_FLAG` here; whether and how to set it is the user's decision (failed 4 of 4).",
      ]);
    }));

  it("a rule about a variable is silent where the call sets it, may get it from a file, or asks for nothing", () =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 4; i++)
        await workspace.session([
          ["make label", "label: the variable MAST_FLAG is not set\nmake: *** [Makefile:2: label] Error 1"],
          ["make label MAST_FLAG=blue"],
        ]);
      expect(await workspace.mine()).toEqual([
        "nudge: `make label` asks for the variable `MAST_FLAG` here; whether and how to set it is the user's decision (failed 4 of 4).",
      ]);
      const warned = ["make label", "make -j4 label", "make label COLOUR=red", "export COLOUR=red && make label"];
      for (const call of [...warned, ". .venv/bin/activate && make label"])
        expect.soft(await workspace.match(call), call).toContain("MAST_FLAG");
      const silent = [
        "make label MAST_FLAG=red",
        "make MAST_FLAG:=red label",
        "MAST_FLAG=red make label",
        "env MAST_FLAG=red make label",
        "export MAST_FLAG=red && make label",
        "declare -x MAST_FLAG=red; make label",
        "MAST_FLAG=red; export MAST_FLAG; make label",
        "source .env && make label",
        "set -a; . ./.env; set +a; make label",
        "export $(cat .env) && make label",
        'eval "$(direnv export bash)" && make label',
        "make -n label",
        "make label --dry-run",
        "make -C docs label",
        "cd docs && make label",
      ];
      for (const call of silent) expect.soft(await workspace.match(call), call).not.toContain("MAST_FLAG");
      expect(await workspace.match("make label", "docs")).not.toContain("MAST_FLAG");
    }));

  it("where the values differ, none of them is offered; where it was never set, nothing is said of it", () =>
    inWorkspace(kind, async (workspace) => {
      for (const colour of ["blue", "red", "white", "green"])
        await workspace.session([
          ["bin/mast raise main", "mast: MAST_FLAG is not set"],
          [`MAST_FLAG=${colour} bin/mast raise main`],
          ["bin/anchor drop", "anchor: CHAIN_LENGTH is not set"],
        ]);
      expect(await workspace.mine()).toEqual([
        "nudge: `bin/mast raise` asks for the variable `MAST_FLAG` here; whether and how to set it is the user's decision (failed 4 of 4).",
        "watch: Unknown cause: `bin/anchor drop` fails here (failed 4 of 4).",
      ]);
    }));

  it.each([
    ["go test -parallelism 4 ./...", "go test -parallel 4 ./...", "go test -parallel", "-parallelism"],
    ["gotool plan -outfile=p#", "gotool plan -out=p#", "gotool plan -out", "-outfile"],
    ["terraform plan -outfile=p#", "terraform plan -out=p#", "terraform plan -out", "-outfile"],
    ["bin/sail set -headings 12", "bin/sail set -heading 12", "bin/sail set -heading", "-headings"],
  ])("an option with one dash is replaced by the one that worked: %s", (wrong, right, remedy, option) =>
    inWorkspace(kind, async (workspace) => {
      const boxed = `╷\n│ Error: Failed to parse command-line flags\n│ \n│ flag provided but not defined: ${option}\n╵`;
      const error = wrong.startsWith("terraform")
        ? boxed
        : `flag provided but not defined: ${option}\nusage: go test [build/test flags] [packages]`;
      for (let i = 0; i < 4; i++)
        await workspace.session([[wrong.replace("#", `${i}`), error], [right.replace("#", `${i}`)]]);
      const [rule, ...others] = await workspace.mine();
      expect(rule).toContain(`Use \`${remedy}\` here: `);
      expect(rule).toContain(`has no option \`${option}\` (failed 4 of 4).`);
      expect(others).toEqual([]);
      expect(await workspace.match(wrong.replace("#", "9"))).toContain(remedy);
      expect(await workspace.match(right.replace("#", "9"))).not.toContain(remedy);
    }),
  );

  it("an unknown option has its rule beside another rule of the same command, whatever its value", () =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 4; i++)
        await workspace.session([
          [`terraform plan -var-files=envs/stage${i}.tfvars`, "flag provided but not defined: -var-files"],
          [`terraform plan -out-file=p${i}`, "flag provided but not defined: -out-file"],
          ["terraform plan"],
        ]);
      const rules = await workspace.mine();
      expect(rules.join("\n")).toContain("`-var-files`");
      expect(rules.join("\n")).toContain("`-out-file`");
      expect(await workspace.match("terraform plan -var-files=envs/prod.tfvars")).toContain("`-var-files`");
    }));

  it.each([
    ["log.py: error: argument --form: invalid choice: 'xml' (choose from 'csv', 'json')"],
    ["error: invalid value 'xml' for '--form <FORM>'\n  [possible values: csv, json]"],
    ["Error: Invalid value for '--form': 'xml' is not one of 'csv', 'json'."],
    ["error: option '--form <form>' argument 'xml' is invalid. Allowed choices are csv, json."],
  ])("of the values that an error lists, none is advised, though one worked: %s", (error) =>
    inWorkspace(kind, async (workspace) => {
      for (const day of ["mon", "tue", "wed", "thu"])
        await workspace.session([
          [`tools/log.py write ${day} --form xml`, error],
          [`tools/log.py write ${day} --form csv`],
        ]);
      expect(await workspace.mine()).toEqual([
        "nudge: `log.py write` takes for `--form`: csv, json; which one is the user's decision: `log.py write` does not take `--form xml` (failed 4 of 4).",
      ]);
      expect(await workspace.match("tools/log.py write fri --form csv")).not.toContain("does not take");
    }),
  );
});

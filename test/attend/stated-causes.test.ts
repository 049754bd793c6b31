import { describe, expect, it } from "vitest";
import { stores } from "../stores.ts";
import { inWorkspace } from "./observed-workspace.ts";

const managed = "error: externally-managed-environment\n\n× This environment is externally managed";

/** Errors that state their cause, often with the remedy: a failing call, its error, what then worked, and the rule. */
const stated: readonly (readonly [failing: string, error: string, worked: string | null, rule: string])[] = [
  [
    "git push",
    "fatal: The current branch feat has no upstream branch.\nTo push the current branch and set the remote as upstream, use\n\n    git push --set-upstream origin feat",
    "git push --set-upstream origin feat",
    "Push a new branch with `git push -u origin` and its name: it has no upstream branch",
  ],
  [
    "git checkout -b feat",
    "fatal: a branch named 'feat' already exists",
    "git checkout feat",
    "Leave out `-b` for a branch that exists: git creates no branch twice",
  ],
  [
    "cargo test -p core",
    "error: package ID specification `core` did not match any packages",
    "cargo test -p tapir-core",
    "Do not use `-p core` with `cargo test` here: `cargo test` does not take `-p core`",
  ],
  [
    "./gradlew integrationTests",
    "FAILURE: Build failed with an exception.\n\n* What went wrong:\nTask 'integrationTests' not found in root project 'anvil'. Some candidates are: 'integrationTest'.",
    "./gradlew integrationTest",
    "there is no task `integrationTests`",
  ],
  [
    "./gradlew :api:build",
    "* What went wrong:\nCannot locate tasks that match ':api:build' as project 'api' not found in root project 'anvil'.",
    "./gradlew :app:build",
    "there is no task `:api:build`",
  ],
  [
    "./gradlew test --test CartTest",
    "FAILURE: Build failed with an exception.\n\n* What went wrong:\nProblem configuring task :test from command line.\n> Unknown command-line option '--test'.",
    "./gradlew test --tests CartTest",
    "has no option `--test`",
  ],
  [
    "terraform workspace select production",
    '\nWorkspace "production" doesn\'t exist.\n\nYou can create this workspace with the "new" subcommand',
    "terraform workspace select prod",
    "Do not use `production` with `terraform workspace select` here: there is no `production`",
  ],
  [
    "bin/rails db:migrat",
    'Unrecognized command "db:migrat" (Rails::Command::UnrecognizedCommandError)\nDid you mean?  db:migrate',
    "bin/rails db:migrate",
    "Use `bin/rails db:migrate` here: ",
  ],
  [
    "uv pip install rich",
    "error: No virtual environment found; run `uv venv` to create an environment, or pass `--system` to install into a non-virtual environment",
    "uv pip install --system rich",
    "Run `uv venv` before `uv pip install`: there was no virtual environment",
  ],
  [
    "pip install httpx",
    managed,
    "pip install --break-system-packages httpx",
    "Install into a virtual environment, such as `python3 -m venv .venv`: the packages of this Python belong to the system",
  ],
  [
    "pip install httpx",
    managed,
    ".venv/bin/pip install httpx",
    "Use `.venv/bin/pip install` here: the packages of this Python belong to the system",
  ],
  [
    "aws s3 list my-bucket",
    "aws: error: argument command: Invalid choice, valid choices are:\n\ncp | ls\nmb | mv",
    "aws s3 ls my-bucket",
    "`aws s3 list` is not a command",
  ],
  [
    "kubectl get ns stagin",
    'Error from server (NotFound): namespaces "stagin" not found',
    "kubectl get ns staging",
    "Use `kubectl get ns staging` here: there is no `stagin`",
  ],
  [
    "pnpm add zod",
    "ERR_PNPM_ADDING_TO_ROOT  Running this command will add the dependency to the workspace root, which might not be what you want",
    "pnpm add -w zod",
    "Name a package with `--filter`, or the root with `-w`: `pnpm add` does not guess where to add it",
  ],
  [
    'mysql shop -e "select * from ordrs"',
    "ERROR 1146 (42S02) at line 1: Table 'shop.ordrs' doesn't exist",
    null,
    "there is no `shop.ordrs`",
  ],
  [
    "npx vitest run --runInBand",
    "CACError: Unknown option `--runInBand`\n    at Command.checkUnknownOptions",
    null,
    "in place of `--runInBand`",
  ],
  [
    "npx vitest run --runInBand",
    "CACError: Unknown option `--runInBand`\n    at Command.checkUnknownOptions",
    "npx vitest run",
    "Look up what `npx vitest` has in place of `--runInBand`",
  ],
  [
    "date -d tomorrow",
    "date: illegal option -- d\nusage: date [-jnRu] [-I[date|hours|minutes|seconds|ns]] [-f input_fmt]",
    null,
    "Look up what `date` has in place of `-d`: it has no such option",
  ],
  [
    "grep -rP 'foo\\d' src",
    "grep: invalid option -- P\nusage: grep [-abcdDEFGHhIiJLlMmnOopqRSsUVvwXxZz] [-A num] [-B num] [-C[num]]",
    "grep -rE 'foo[0-9]' src",
    "`grep` has no option `-P`",
  ],
  [
    "./run.sh",
    "/bin/bash: line 1: ./run.sh: Permission denied",
    "bash run.sh",
    "Run `bash ./run.sh`: `./run.sh` is not executable",
  ],
  [
    "./deploy.sh staging",
    "/bin/bash: ./deploy.sh: Permission denied",
    "bash deploy.sh staging",
    "Run `bash ./deploy.sh`: `./deploy.sh` is not executable",
  ],
  ["poetry run lint", "Command not found: lint", "poetry run ruff", "`lint`"],
  [
    "bazel test //pkg/parser:parser_test",
    "ERROR: Skipping '//pkg/parser:parser_test': no such target '//pkg/parser:parser_test': target 'parser_test' not declared in package 'pkg/parser' defined by /w/pkg/parser/BUILD.bazel (did you mean parser_tests?)\nERROR: Build did NOT complete successfully",
    "bazel test //pkg/parser:parser_tests",
    "Use `bazel test //pkg/parser:parser_tests` here: there is no `//pkg/parser:parser_test`",
  ],
  [
    "bazel build --config=rel //pkg/...",
    "ERROR: Config value 'rel' is not defined in any .rc file\nINFO: Elapsed time: 0.1s",
    "bazel build --config=release //pkg/...",
    "does not take `--config=rel`",
  ],
  [
    "hull dock pier-nin",
    "hull: cannot moor there\nDid you mean: pier-nine?",
    "hull dock pier-nine",
    "Use `hull dock pier-nine` here: there is no `pier-nin`",
  ],
  [
    "hull dock --peer 9",
    "hull: what is that? (did you mean --pier?)",
    "hull dock --pier 9",
    "Use `hull dock --pier` here: `hull dock` has no option `--peer`",
  ],
  [
    "Rscript -e 'devtools::test()'",
    "Error in loadNamespace(x) : there is no package called ‘devtools’\nCalls: :: ... loadNamespace -> withRestarts\nExecution halted",
    "Rscript -e 'testthat::test_local()'",
    "`Rscript` has no package `devtools`",
  ],
  [
    "python manage.py migrate",
    'Traceback (most recent call last):\n  File "/w/manage.py", line 11, in main\n    from django.core.management import execute_from_command_line\nModuleNotFoundError: No module named \'django\'\n\nThe above exception was the direct cause of the following exception:\n\nTraceback (most recent call last):\n  File "/w/manage.py", line 22, in <module>\n    main()\n  File "/w/manage.py", line 13, in main\n    raise ImportError(\nImportError: Couldn\'t import Django. Are you sure it\'s installed and available on your PYTHONPATH environment variable? Did you forget to activate a virtual environment?',
    ".venv/bin/python manage.py migrate",
    "Use `.venv/bin/python",
  ],
  [
    "terraform plan -out tf.plan",
    '│ Error: No value for required variable\n│ \n│   on variables.tf line 1:\n│    1: variable "region" {}\n│ \n│ The root module input variable "region" is not set, and has no default\n│ value. Use a -var or -var-file command line argument to provide a value for\n│ this variable.',
    "terraform plan -var-file=env/staging.tfvars -out tf.plan",
    "the variable `region` has no value",
  ],
  [
    "pdflatex book.tex",
    '! Fatal Package fontspec Error: The fontspec package requires either XeTeX or\n(fontspec)                      LuaTeX.\n(fontspec)                      You must change your typesetting engine to, e.g.,\n(fontspec)                      "xelatex" or "lualatex" instead of "latex" or "pdflatex".',
    "lualatex book.tex",
    "Use `lualatex` here: ",
  ],
  [
    "python3 -m app",
    "/usr/bin/python3: No module named app",
    "PYTHONPATH=src python3 -m app",
    "Do not run `python3 -m app` here: `python3` has no module `app`",
  ],
];

describe.each(stores)("an error that states its cause is no riddle, on $name", (kind) => {
  it.each(stated)("%s: %s", (failing, error, worked, rule) =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 5; i++)
        await workspace.session([[failing, error], ...(worked === null ? [] : [[worked] as const])]);
      const rules = (await workspace.mine()).join("\n");
      expect.soft(rules).toContain(rule);
      expect.soft(rules).not.toMatch(/Find out why|Unknown cause/);
    }),
  );

  it("a page or a number that a server does not know says nothing about others", () =>
    inWorkspace(kind, async (workspace) => {
      const refused = "curl: (22) The requested URL returned error: 404";
      const unknown = '{"message":"Not Found","status":"404"}gh: Not Found (HTTP 404)';
      for (let i = 0; i < 4; i++) {
        await workspace.session([[`curl -fsS https://acme.dev/x${i}`, refused, 22], ["curl -fsS https://acme.dev/"]]);
        await workspace.session([
          [`gh api repos/acme/shop/pulls/${50 + i}`, unknown],
          ["gh api repos/acme/shop/pulls"],
        ]);
      }
      expect(await workspace.mine()).toEqual([]);
    }));

  it("all packages of Go are no path", () =>
    inWorkspace(kind, async (workspace) => {
      const error = "pattern ./...: directory prefix . does not contain main module or its selected dependencies";
      for (let i = 0; i < 3; i++) await workspace.session([["go vet ./...", error]]);
      expect(await workspace.failing("go vet ./...", error)).not.toContain("`...`");
      expect(await workspace.start()).not.toContain("`...`");
    }));

  it("a push that names its branch needs no upstream branch", () =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 5; i++)
        await workspace.session([
          ["git push", "fatal: The current branch feat has no upstream branch."],
          ["git push -u origin feat"],
        ]);
      await workspace.mine();
      expect(await workspace.match("git push")).toContain("Push a new branch with");
      expect(await workspace.match("git push origin bugfix")).not.toContain("Push a new branch with");
    }));

  it("a missing variables file is a fact, or a rule with the file that is there", () =>
    inWorkspace(kind, async (workspace) => {
      const missing =
        "│ Error: Failed to read variables file\n│ \n│ Given variables file env/prod.tfvars does not exist.";
      for (let i = 0; i < 4; i++)
        await workspace.session([
          ["terraform plan -var-file=env/prod.tfvars", missing],
          ["terraform plan -var-file=envs/prod.tfvars"],
        ]);
      const rules = (await workspace.mine()).join("\n");
      expect(rules).toContain("there is no `env/prod.tfvars`");
      expect(rules).not.toContain("Unknown cause");
    }));

  it("a branch that has diverged is left alone, and what worked instead is for the owner", () =>
    inWorkspace(kind, async (workspace) => {
      const diverged = "fatal: Not possible to fast-forward, aborting.";
      for (let i = 0; i < 5; i++) await workspace.session([["git pull --ff-only", diverged]]);
      expect(await workspace.mine()).toEqual([]);
      for (let i = 0; i < 3; i++) await workspace.session([["git pull --ff-only", diverged], ["git pull --rebase"]]);
      expect(await workspace.mine()).toEqual([
        "watch: Do not run `git pull --ff-only` here: the branch and its remote branch had diverged (failed 8 of 8).",
      ]);
      expect(await workspace.match("git pull")).not.toContain("diverged");
    }));

  it("a missing script without a remedy is a fact and no rule", () =>
    inWorkspace(kind, async (workspace) => {
      workspace.write("package.json", '{"scripts":{"lint":"x"}}');
      for (let i = 0; i < 4; i++)
        await workspace.session([
          ["pnpm run lnt", "ERR_PNPM_NO_SCRIPT  Missing script: lnt"],
          ["npm run lnt", 'npm error Missing script: "lnt"\nnpm error\nnpm error To see a list of scripts, run:'],
          ["npm run dev", 'npm error Missing script: "dev"'],
        ]);
      await workspace.session([["npm run dev", "Error: listen EADDRINUSE: address already in use :::3000"]]);
      expect((await workspace.mine()).filter((rule) => rule.includes("there is no script"))).toEqual([]);
    }));

  it("a file that is itself missing is named as missing", () =>
    inWorkspace(kind, async (workspace) => {
      const error = `node:internal/modules/cjs/loader:1228\n  throw err;\nError: Cannot find module '${workspace.folder}/dist/server.js'`;
      for (let i = 0; i < 4; i++) await workspace.session([["node dist/server.js", error]]);
      expect((await workspace.mine()).join("\n")).not.toContain("a module that");
    }));
});

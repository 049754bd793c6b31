import { describe, expect, it } from "vitest";
import { readCall } from "../cause/read-call.ts";
import { findUnresolvedFailures } from "./unresolved.ts";

let count = 0;

/** A call as a host reports it: a command, or a tool and its file, with its error or its output. */
function call(tool: string, input: object, came: { error?: string; text?: string }) {
  count++;
  const raw = { host: "claude-code", tool, input, ok: came.error === undefined, exitCode: null };
  const fields = { ...raw, error: came.error ?? null, text: came.text ?? null };
  return { ...fields, id: count, at: count, durationMs: null, ...readCall(fields) };
}

const fails = (command: string, error: string) => call("Bash", { command }, { error: `Exit code 1\n${error}` });
const works = (command: string, text = "") => call("Bash", { command }, { text });
const left = (...calls: readonly ReturnType<typeof call>[]) =>
  findUnresolvedFailures(calls).map(({ input }) => ("command" in input ? input.command : input));

describe("a failure is made good", () => {
  it.each([
    ["by the project's own runner", fails("pytest -q", "pytest: command not found"), works("./run.sh", "12 passed")],
    ["by another test command", fails("npx jest", "sh: jest: not found"), works("node --test")],
    ["by a test script", fails("pytest -q", "pytest: command not found"), works("python3 tools/run_tests.py")],
    ["by other flags", fails("bundle app --minify", "unknown option --minify"), works("bundle --compress app")],
    ["by what is no subcommand", fails("bundle app", "cannot bundle"), works("bundle --all")],
    ["by another subcommand", fails("kiln build", "unknown command build"), works("kiln bake")],
    ["by the same file elsewhere", read("src/a.ts", "File does not exist."), read("lib/a.ts")],
    ["by the file with another ending", read("src/routes.js", "File does not exist."), read("src/routes.ts")],
    ["by the name spelt right", read("src/praser.ts", "File does not exist."), read("src/parser.ts")],
    ["by letters put right", fails("npm run lnti", 'npm error Missing script: "lnti"'), works("npm run lint")],
    ["by letters swapped back", fails("make buidl", "No rule to make target 'buidl'"), works("make build")],
    ["by the program spelt right", fails("gti fetch", "gti: command not found"), works("git fetch")],
    [
      "by another program on the same file",
      fails("pdflatex -x book.tex", "fontspec Error"),
      works("lualatex -x book.tex"),
    ],
    ["by another program on the same name", fails("bibtex book", "I found no citation"), works("biber book")],
    ["by another way to remove it", fails("rmdir build", "Directory not empty"), works("rm -rf build")],
    ["by another way to fetch it", fails("wget http://x.test/a.tgz", "failed"), works("curl -O http://x.test/a.tgz")],
    ["by the same call", fails("make ship", "no space left"), works("make ship")],
    [
      "by the command that its error asks for",
      fails("terraform validate", 'Error: Missing required provider\n\nplease run "terraform init"'),
      works("terraform init -input=false"),
    ],
    [
      "by a sign-in that its error asks for",
      fails("aws sts get-caller-identity", "The SSO session has expired. To refresh, run aws sso login."),
      works("aws sso login --profile dev"),
    ],
    [
      "by a setting that its error asks for",
      fails("git log", "fatal: detected dubious ownership\n\tgit config --global --add safe.directory /w"),
      works("git config --global --add safe.directory /w"),
    ],
    [
      "by what removed the file that was in the way",
      fails("git commit -m x", "fatal: Unable to create '/w/.git/index.lock': File exists."),
      works("rm -f .git/index.lock"),
    ],
    [
      "by any call of a program that was not connected",
      fails("kubectl logs api", "The connection to the server localhost:8080 was refused"),
      works("kubectl get pods"),
    ],
    ["by the other name of the tests", fails("make test", "No rule to make target 'test'"), works("make check")],
  ])("%s", (_, failure, later) => {
    expect(left(failure)).toHaveLength(1);
    expect(left(failure, later)).toEqual([]);
    expect(left(later, failure)).toHaveLength(1);
  });
});

describe("a failure is left open", () => {
  it.each([
    ["after a look", fails("git push", "rejected"), works("git status")],
    ["after help", fails("bundle app --minify", "unknown option --minify"), works("bundle --help")],
    ["after another target", fails("make ship", "no space left"), works("make clean")],
    ["after another file", read("src/a.ts", "File does not exist."), read("src/b.ts")],
    ["after a file of a near name", read("src/users.ts", "String to replace not found"), read("src/user.ts")],
    ["after a look at tests", fails("pytest -q", "pytest: command not found"), works("cat tests/a.py", "1")],
    ["after a near name that is not the one meant", fails("make ship", "no space left"), works("make shop")],
    ["after quite another name", fails("make ship", "No rule to make target 'ship'"), works("make lint")],
    ["after another program", fails("make ship", "no space left"), works("ls")],
    [
      "after a look at the file in the way",
      fails("git commit", "Unable to create '/w/.git/index.lock'"),
      works("cat .git/index.lock"),
    ],
    ["after another call of a program", fails("kubectl logs api", 'pods "api" not found'), works("kubectl get pods")],
  ])("%s", (_, failure, later) => {
    expect(left(failure, later)).toHaveLength(1);
  });
});

it.each([
  "oldhand off",
  "oldhand rules approve r_1",
  "npx oldhand override r_1",
  "cd /w && node /opt/oldhand/dist/oldhand.js off",
])("what oldhand refused is no failure of the work: %s", (command) => {
  expect(left(fails(command, "Refused: this is the owner's to decide."))).toEqual([]);
});

it("nor what a tool of oldhand's refused, nor what a rule denied", () => {
  expect(left(call("mcp__plugin_oldhand_oldhand__forget", { id: "m_1" }, { error: "only the owner may" }))).toEqual([]);
  expect(left(call("Bash", { command: "npm publish" }, { error: "oldhand, rule r_1: Never by hand." }))).toEqual([]);
});

function read(file: string, error?: string) {
  return call("Read", { file_path: file }, error === undefined ? { text: "1" } : { error });
}

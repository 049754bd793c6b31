import { expect, it } from "vitest";
import type { Matcher } from "../rule/rule.ts";
import { findWithheldReason } from "./stored-rule.ts";

const stored = (text: string, matcher: Omit<Matcher, "tool">, error: string) =>
  findWithheldReason({
    origin: "tool",
    level: "nudge",
    text,
    signature: "failure x",
    matcher: { tool: "shell", ...matcher },
    evidence: { sessions: 2, refs: [{ host: "claude-code", session: "s", seq: 1, at: 1, excerpt: error }] },
  });

const local = "error: Your local changes would be overwritten by checkout. Please commit your changes or stash them";

it.each([
  [
    "Run `git reset` before `git checkout` here: without it, the call fails (failed 4 of 4).",
    { head: "git checkout", lacks: ["after git reset"] },
    local,
  ],
  [
    "Run `npm unpublish` before `npm publish` here: without it, the call fails (failed 4 of 4).",
    { head: "npm publish" },
    "403 You cannot publish over 1.2.0",
  ],
  [
    "Use `terraform plan -out=tf.plan` here: `terraform plan` without `-out` does not work (failed 4 of 4).",
    { head: "terraform plan", lacks: ["flag -out"] },
    'Backend initialization required, please run "terraform init"',
  ],
  [
    "Set `PGSSLMODE` for `psql` here: without it, the call fails (failed 4 of 4).",
    { head: "psql", lacks: ["sets PGSSLMODE"] },
    "SSL error: certificate verify failed",
  ],
  [
    "Use `-c` with `git commit` here: without it, the call fails (failed 4 of 4).",
    { head: "git commit", lacks: ["flag -c"] },
    "pre-commit hook failed",
  ],
  [
    "Use `semgrep ci --no-error` here: `semgrep ci` without `--no-error` does not work (failed 4 of 4).",
    { head: "semgrep ci" },
    "Found 3 blocking findings",
  ],
  [
    "Do not try `apt-get install` without `-y` here: `apt-get install` without `-y` is not permitted (failed 4 of 4).",
    { head: "apt-get install", lacks: ["flag -y"] },
    "open (13: Permission denied)",
  ],
  [
    "Use `hg revert --all && hg update tip` here: `hg update` does not work (failed 4 of 4).",
    { head: "hg update" },
    "abort: uncommitted changes",
  ],
  [
    "Run `bun test`, not `npm test`: it worked where `npm test` had failed, 3 times in 2 sessions.",
    { head: "npm test" },
    "boom",
  ],
  [
    "Use `cd services/ledger && go test` here: `go test` does not work (failed 4 of 4).",
    { head: "go test" },
    "directory prefix . does not contain modules",
  ],
  [
    "Use `helm upgrade --install` here: `helm upgrade` without `--install` does not work (failed 4 of 4).",
    { head: "helm upgrade", lacks: ["flag --install"] },
    '"web" has no deployed releases; use --install to create it',
  ],
])("an earlier version's rule is withheld: %s", (text, matcher, error) => {
  expect(stored(text, matcher, error)).toMatch(/^(?:it|the|`|without)/);
});

it.each([
  [
    "Use `cargo test --features` here: `cargo test` has no option `--feature` (failed 4 of 4).",
    { head: "cargo test", has: ["flag --feature"] },
    "error: unexpected argument '--feature' found",
  ],
  [
    "Use `bin/rails` here: `rails` was not found elsewhere (failed 4 of 4).",
    { head: "rails", lacks: ["program bin/rails"] },
    "rails: command not found",
  ],
  [
    "Run `git pull` before `git push`: the remote branch was ahead (failed 4 of 4).",
    { head: "git push" },
    "! [rejected] main -> main (fetch first)",
  ],
  [
    "Use `git checkout main` here: git has no branch, tag, commit or file `master` (failed 4 of 4).",
    { head: "git checkout", has: ["arg master"] },
    "error: pathspec 'master' did not match any file(s) known to git",
  ],
  [
    "Leave out `-A` here: `cat` has no option `-A` (failed 17 of 17).",
    { head: "cat", has: ["flag -A"] },
    "cat: illegal option -- A",
  ],
  [
    "Run `bun` without `rtk` here, such as `bun run test`: `rtk bun` is not a command (failed 65 of 65).",
    { head: "rtk bun" },
    "unknown command bun",
  ],
  ["Never reset the shop's database; ask Ada.", { head: "make reset" }, "boom"],
])("an earlier version's rule that the law would make today is shown: %s", (text, matcher, error) => {
  expect(stored(text, matcher, error)).toBeNull();
});

it("goes by the verdict that a newer rule carries", () => {
  const rule = {
    origin: "tool",
    level: "watch",
    text: "Run `bun test`, not `npm test`: it worked where `npm test` had failed, 3 times in 2 sessions.",
    signature: "failure x",
    matcher: { tool: "shell", head: "npm test" },
    evidence: {
      refs: [],
      sessions: 2,
      remedy: {
        origin: "other",
        forms: [],
        withheld: { line: "bun test", reason: "the error does not name `bun test`", sentence: "x" },
      },
    },
  } as const;
  expect(findWithheldReason(rule)).toBe("the error does not name `bun test`");
});

it.each([
  ["Mind `broken-hook`, which went wrong 3 times. Should have: Commit with git commit --no-verify", 2],
  ["Watch out for `broken-hook`: this mistake was made 3 times.", 1],
])("an agent's ledger rule is withheld: %s", (text, sessions) => {
  const rule = { origin: "agent", level: "advise", text, signature: "pattern x", matcher: null } as const;
  expect(findWithheldReason({ ...rule, evidence: { refs: [], sessions } })).toMatch(/^an agent /);
  expect(findWithheldReason({ ...rule, origin: "owner", evidence: { refs: [], sessions } })).toBeNull();
});

it("an agent's ledger rule of an earlier version is shown if its advice is plain", () => {
  const text = "Mind `not-verifying`, which went wrong 3 times. Should have: run the tests and read their last line";
  const rule = { origin: "agent", level: "advise", text, signature: "pattern x", matcher: null } as const;
  expect(findWithheldReason({ ...rule, evidence: { refs: [], sessions: 2 } })).toBeNull();
});

const withForms = (text: string, matcher: Omit<Matcher, "tool">, forms: readonly string[]) =>
  findWithheldReason({
    origin: "tool",
    level: "nudge",
    text,
    signature: "failure x",
    matcher: { tool: "shell", ...matcher },
    evidence: { sessions: 4, refs: [], remedy: { origin: "correction", forms } },
  });

it.each([
  ["Use `tools/roll.sh --prod` here: there is no `scripts/roll.sh` (failed 4 of 4).", { head: "roll.sh" }, ["--prod"]],
  ["Use `python3 render.py --help` here: it has no option `--dest` (failed 4 of 4).", { head: "render.py" }, [""]],
  [
    "Run `roll sync --all`, not `rtk roll --all`: it worked where `rtk roll --all` had failed, 4 times in 4 sessions.",
    { head: "rtk roll" },
    [],
  ],
])("an earlier version's advice is withheld if it carries what made no difference: %s", (text, matcher, forms) => {
  expect(withForms(text, matcher, forms)).toMatch(/^`--(?:prod|all)` was part of the calls|help or a version/);
});

it.each([
  ["Use `tools/roll.sh` here: there is no `scripts/roll.sh` (failed 4 of 4).", { head: "roll.sh" }, ["--prod"]],
  ["Use `roll --package` here: `roll` has no option `--pkg` (failed 4 of 4).", { head: "roll" }, ["--pkg"]],
  [
    "Use `tools/roll.sh --prod` here: there is no `scripts/roll.sh` (failed 4 of 4).",
    { head: "roll.sh", has: ["flag --prod"] },
    ["--prod"],
  ],
  ["Use `tools/roll.sh --fast` here: `roll.sh` was not found (failed 4 of 4).", { head: "roll.sh" }, ["--fast", ""]],
])("and shown if what it names is the remedy: %s", (text, matcher, forms) => {
  expect(withForms(text, matcher, forms)).toBeNull();
});

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Matcher, Scope } from "../rule/rule.ts";
import {
  cannotStartTrait,
  changedTrait,
  failedBeforeTrait,
  headFailingTrait,
  folderPathTrait,
  nothingStartedTrait,
  unreadTrait,
  untestedTrait,
} from "../rule/matching/situation.ts";
import { ruleSentence } from "../rule/wording/rule-sentence.ts";
import { NAMES_ITS_FOLDER } from "../shell/traits.ts";
import type { FailureCause } from "./cause.ts";
import { causeKinds } from "./patterns.ts";
import { causeSentence, type Alternative } from "./sentence.ts";

const here: Scope = { kind: "workspace", workspace: "/w/shop" };
const everywhere: Scope = { kind: "global" };
const counts = { failed: 4, fired: 5 };

interface Example {
  readonly matcher: Matcher;
  readonly thing?: string;
  readonly listedOptions?: string;
  readonly wrapperUsage?: string;
  readonly choices?: readonly string[];
  readonly instead?: Partial<Alternative>;
  readonly scope?: Scope;
  readonly folder?: string;
  /** For traits with masked numbers: one unmasked example each. */
  readonly examples?: Readonly<Record<string, string>>;
}

const shell = (head: string, has: readonly string[] = [], lacks: readonly string[] = []): Matcher => ({
  tool: "shell",
  head,
  ...(has.length > 0 ? { has } : {}),
  ...(lacks.length > 0 ? { lacks } : {}),
});

const replies = { "arg pulls/comments/#/replies": "arg pulls/comments/7/replies" };

/** Every kind of cause, with and without an alternative. */
const examples: Readonly<Record<FailureCause["kind"], readonly Example[]>> = {
  "unknown-option": [
    { matcher: shell("rel push", ["flag --env"]), thing: "--env" },
    { matcher: shell("rel push", ["flag --env"]), thing: "--env", instead: { command: "rel push --target" } },
    { matcher: { ...shell("rel push", ["flag --env"]), heads: ["rel pull"] }, thing: "--env" },
    { matcher: shell("cat", ["flag -A"]), thing: "A", listedOptions: "-belnstuv" },
    // An older version, whose usage does not list what the newer one has instead.
    { matcher: shell("cat", ["flag -A"]), thing: "A", listedOptions: "-bnsuv" },
    { matcher: shell("deploy.sh api", ["flag --dry-run"]), thing: "--dry-run" },
    { matcher: shell("cat", ["flag -Z"]), thing: "Z", listedOptions: "-belnstuv" },
    { matcher: shell("find", ["flag -name"]), thing: "-n", wrapperUsage: "rtk find [OPTIONS] <PATTERN> [PATH]" },
    {
      matcher: { ...shell("rel push", ["flag --env"]), heads: ["rel pull", "rel list"] },
      thing: "--env",
      instead: { option: "--target" },
    },
  ],
  "unknown-subcommand": [
    { matcher: shell("rtk bun"), thing: "bun" },
    { matcher: shell("rtk bun"), thing: "bun", instead: { command: "bun run test" } },
    { matcher: shell("rtk bun"), thing: "bun", instead: { command: "bun run test", without: "rtk" } },
  ],
  "unknown-value": [
    { matcher: shell("rel list", ["arg --form xml"]), thing: "xml" },
    { matcher: { ...shell("rel list", ["arg --form xml"]), heads: ["rel show"] }, thing: "xml" },
    { matcher: shell("rel list", ["arg --form xml"]), thing: "xml", instead: { command: "rel list --form csv" } },
    { matcher: shell("invite", ["arg --role guest"]), thing: "guest", choices: ["owner", "admin"] },
    { matcher: shell("invite", ["arg guest"]), thing: "guest", choices: ["owner"] },
  ],
  "unset-variable": [
    { matcher: shell("rel push", ["program bin/rel"], ["sets REL_HOME"]), thing: "REL_HOME" },
    { matcher: shell("rel push", [], ["sets REL_HOME"]), thing: "REL_HOME", instead: { value: "REL_HOME=eu" } },
  ],
  "unknown-script": [
    { matcher: shell("npm run tests"), thing: "tests" },
    { matcher: shell("npm run tests"), thing: "tests", instead: { command: "npm run test:unit" } },
  ],
  "unknown-skill": [
    { matcher: { tool: "Skill", has: ["skill=commit"] }, thing: "commit" },
    { matcher: { tool: "Skill", has: ["skill=commit"] }, thing: "commit", instead: { command: "git commit" } },
  ],
  "unknown-agent": [
    { matcher: { tool: "Task", has: ["subagent_type=tester"] }, thing: "tester" },
    { matcher: { tool: "Task", has: ["subagent_type=tester"] }, thing: "tester", instead: { value: "team:tester" } },
  ],
  "unknown-field": [{ matcher: shell("gh pr view", ["flag --json"]), thing: "actor" }],
  "missing-program": [
    { matcher: { ...shell("pytest"), heads: ["python -m pytest"] }, thing: "pytest", instead: { command: "bin/test" } },
    { matcher: shell("pytest"), thing: "pytest" },
    { matcher: shell("send.sh", [], ["program /opt/send.sh"]), thing: "scripts/send.sh" },
    { matcher: { tool: "Grep", has: [cannotStartTrait] }, thing: "/opt/agent/2.1" },
  ],
  "missing-module": [
    { matcher: shell("node", ["arg dist/server.js"]), thing: "/w/shop/dist/server.js" },
    { matcher: shell("python3 -m pytest"), thing: "pytest" },
    {
      matcher: shell("python3 -m pytest", ["program /usr/bin/python3"]),
      thing: "pytest",
      scope: everywhere,
      instead: { command: "pytest" },
    },
    { matcher: shell("node", ["arg build.js"]), thing: "left-pad" },
  ],
  "missing-path": [
    {
      matcher: shell("cat", ["arg logs/#-#/a.log"]),
      examples: { "arg logs/#-#/a.log": "arg logs/2024-04/a.log" },
      instead: { command: "cat logs/archive/a.log" },
    },
    { matcher: shell("pytest", ["arg tests/test_old.py"]), thing: "tests/test_old.py" },
    {
      matcher: shell("pytest", ["arg tests/v#/test_old.py"]),
      examples: { "arg tests/v#/test_old.py": "arg tests/v2/test_old.py" },
    },
  ],
  "unknown-name": [
    { matcher: shell("kubectl get", ["arg stagin"]), thing: "stagin" },
    { matcher: shell("kubectl get", ["arg stagin"]), thing: "stagin", instead: { command: "kubectl get ns staging" } },
  ],
  "no-upstream": [{ matcher: shell("git push"), thing: "feat", instead: { command: "git push -u origin feat" } }],
  "branch-exists": [{ matcher: shell("git checkout", ["flag -b"]), thing: "feat" }],
  diverged: [{ matcher: shell("git pull", ["flag --ff-only"]), instead: { command: "git pull --rebase" } }],
  "no-environment": [{ matcher: shell("uv pip install") }],
  "managed-environment": [
    { matcher: shell("pip install") },
    { matcher: shell("pip install"), instead: { command: ".venv/bin/pip install" } },
  ],
  "workspace-root": [{ matcher: shell("pnpm add") }],
  "not-executable": [
    { matcher: shell("deploy.sh", ["program deploy.sh"]), thing: "./deploy.sh" },
    { matcher: shell("gen.py"), thing: "tools/gen.py", instead: { command: "uv run tools/gen.py" } },
  ],
  "missing-ref": [{ matcher: shell("git checkout", ["arg devel"]), thing: "devel" }],
  "is-folder": [
    { matcher: { tool: "Read", has: [folderPathTrait] } },
    { matcher: { tool: "Read", has: [folderPathTrait] }, folder: "web/src" },
    { matcher: { tool: "Read", has: [folderPathTrait] }, instead: { tool: "Glob" } },
  ],
  "too-large": [
    { matcher: { tool: "Read", has: ["file_path=/w/shop/big.json"] } },
    {
      matcher: { tool: "Read", has: ["file_path=/w/shop/#-#.json"] },
      examples: { "file_path=/w/shop/#-#.json": "file_path=/w/shop/2024-06.json" },
    },
    { matcher: { tool: "Read", has: ["extension .json"] } },
  ],
  "not-unique": [{ matcher: { tool: "Edit" } }],
  "text-not-found": [{ matcher: { tool: "Edit" } }],
  "not-read": [{ matcher: { tool: "Edit", has: [unreadTrait] } }],
  "changed-since-read": [{ matcher: { tool: "Edit", has: [changedTrait] } }],
  "no-change": [{ matcher: { tool: "Edit", has: ["old_string is new_string"] } }],
  "wrong-folder": [{ matcher: shell("go test", [NAMES_ITS_FOLDER]) }],
  forbidden: [
    { matcher: shell("kubectl get", ["arg pods"]), thing: "ci-bot list pods pay" },
    { matcher: shell("aws s3"), thing: "arn:aws:iam::1:user/ci perform s3:ListBucket" },
    { matcher: shell("kubectl get") },
  ],
  locked: [{ matcher: shell("terraform apply") }, { matcher: shell("apt install") }],
  "no-permission": [
    { matcher: shell("npm publish") },
    { matcher: shell("bin/lock"), thing: "EPERM", instead: { command: "bin/lock --user" } },
  ],
  "not-signed-in": [{ matcher: shell("gh pr create") }],
  "timed-out": [
    { matcher: shell("pytest", ["arg tests/slow.py"]) },
    { matcher: shell("pytest", ["arg tests/slow.py"], ["flag -k"]) },
    {
      matcher: shell("pytest", ["arg tests/slow_#.py"]),
      examples: { "arg tests/slow_#.py": "arg tests/slow_3.py" },
    },
  ],
  "port-in-use": [
    { matcher: shell("npm start") },
    { matcher: shell("node", ["arg server.js"]), instead: { value: "PORT=4175" } },
    { matcher: shell("serve", ["program bin/serve"]) },
  ],
  "needs-value": [
    { matcher: shell("terraform plan", [], ["flag -var-file"]), thing: "region" },
    { matcher: shell("tofu plan"), thing: "region", instead: { command: "tofu plan -var-file=eu.tfvars" } },
    { matcher: shell("terraform plan") },
  ],
  "wrong-program": [
    { matcher: shell("npm test"), thing: "npm", instead: { command: "pnpm test" } },
    { matcher: shell("pdflatex", ["arg book.tex"]), thing: "pdflatex", instead: { command: "lualatex" } },
  ],
  "not-running": [
    { matcher: shell("docker compose up"), thing: "Docker" },
    { matcher: shell("rel sync") },
    { matcher: shell("curl", ["address localhost:4000"]) },
  ],
  "network-failed": [{ matcher: shell("npx tidesync"), instead: { command: "npx tidesync --offline" } }],
  "nothing-to-do": [{ matcher: shell("git commit") }],
  "behind-remote": [
    { matcher: shell("git push") },
    { matcher: shell("git push"), instead: { command: "git pull --rebase && git push" } },
  ],
  "ignored-by-git": [{ matcher: shell("git add", ["arg dist"]) }],
  "wrong-arguments": [{ matcher: shell("gh pr diff", ["arg docs"]) }],
  "wrong-quoting": [{ matcher: shell("rg", ["arg a"]) }],
  "not-on-server": [
    { matcher: shell("gh api", ["arg pulls/comments/7/replies"]) },
    { matcher: shell("gh api", ["arg pulls/comments/#/replies"]), examples: replies },
    {
      matcher: shell("gh api", ["arg pulls/comments/#/replies"]),
      examples: replies,
      instead: { command: "gh api pulls/9/comments/7/replies", isExample: true },
    },
  ],
};

const unknownCauses: readonly Parameters<typeof ruleSentence>[0][] = [
  { matcher: shell("make site"), scope: here, ...counts, remedy: null },
  { matcher: shell("make site"), scope: here, ...counts, remedy: { command: "make docs", through: null } },
  { matcher: shell("make site", ["call make site -k"]), scope: here, ...counts, remedy: null },
  {
    matcher: shell("sh tools/up.sh now", ["call tools/up.sh now 2"]),
    scope: here,
    ...counts,
    remedy: { command: "tools/up", through: null },
  },
  { matcher: { tool: "Edit" }, scope: everywhere, ...counts, remedy: { command: null, through: "Read" } },
  { matcher: { tool: "WebFetch", has: ["url=x"] }, scope: here, ...counts, remedy: null },
  ...[unreadTrait, changedTrait, failedBeforeTrait, headFailingTrait, untestedTrait, nothingStartedTrait].map(
    (trait) => ({
      matcher: shell("git push", [trait]),
      scope: here,
      ...counts,
      remedy: null,
    }),
  ),
  { matcher: shell("python3", ["block after a semicolon"]), scope: here, ...counts, remedy: null },
  { matcher: shell("git pull", ["flag -r", "arg x"], ["flag -f", "flag -p"]), scope: here, ...counts, remedy: null },
  { matcher: shell("git push", [], ["after git pull"]), scope: here, ...counts, remedy: null },
  ...["in v#", "enters v#", "below v#", "url=x/#"].map((trait) => ({
    matcher: shell("make site", [trait]),
    scope: here,
    ...counts,
    remedy: null,
    examples: new Map([[trait, trait.replace("#", "2")]]),
  })),
];

const sentences = [
  ...causeKinds.flatMap((kind) =>
    examples[kind].map(
      ({
        matcher,
        thing = null,
        listedOptions,
        wrapperUsage,
        choices,
        instead,
        scope = here,
        folder = null,
        examples: such = {},
      }) => {
        const listed = {
          ...(listedOptions === undefined ? {} : { listedOptions }),
          ...(wrapperUsage === undefined ? {} : { wrapperUsage }),
          ...(choices === undefined ? {} : { choices }),
        };
        const cause = { kind, thing: thing ?? null, hint: null, blamed: null, ...listed };
        const full = instead === undefined ? null : { command: null, tool: null, value: null, ...instead };
        return `${kind}: ${causeSentence({ cause, matcher, scope, ...counts, instead: full, folder, examples: new Map(Object.entries(such)) })}`;
      },
    ),
  ),
  ...unknownCauses.map((cause) => `unknown: ${ruleSentence(cause)}`),
];

describe("the sentence of a rule", () => {
  it("is as it stands in the golden file, for every kind of cause", () => {
    const golden = readFileSync(new URL("sentences.golden.txt", import.meta.url), "utf8");
    expect(`${sentences.join("\n")}\n`).toBe(golden);
  });

  it.each(sentences)("says what to do, why and how often: %s", (line) => {
    const said = line.slice(line.indexOf(": ") + 2);
    expect(said).toMatch(/^(?:[A-Z].*: .*|`.* (?:fails|asks for) .*|`.* takes(?: for .*)?: .*) \(failed 4 of 5\)\.$/);
    expect(said).not.toMatch(/failed failed|\b(\w+) \1\b/);
    // A masked number cannot be typed.
    expect(said).not.toMatch(/#|<n>/);
    // Inline code contains only something to type or a name.
    for (const [, quoted] of said.matchAll(/`([^`]+)`/g)) expect(quoted).not.toMatch(/\b(?:the|that|which|after a)\b/);
  });
});

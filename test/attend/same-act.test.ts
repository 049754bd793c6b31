import { describe, expect, it } from "vitest";
import { findMainCommand } from "../../src/domain/shell/command.ts";
import { stores } from "../stores.ts";
import { inWorkspace, type ObservedWorkspace } from "./observed-workspace.ts";

const noScript = (name: string) => `npm error Missing script: "${name}"`;
const noTarget = (name: string) => `make: *** No rule to make target '${name}'.  Stop.`;

/** The script that is missing, and the one that worked next. */
const otherScripts: readonly (readonly [wanted: string, worked: string])[] = [
  ["mail:test", "mail:all"],
  ["charge:test", "charge:cards"],
  ["sync:fake", "sync:real"],
  ["send:me", "send:everyone"],
  ["check:strict", "check:loose"],
  ["lint", "lint:relaxed"],
  ["test:unit", "test:nothing"],
  ["tests", "test:dummy"],
  ["start:local", "start:shared"],
  ["check-lint", "check-nolint"],
  ["verify-all", "verify-none"],
  ["billing:try", "billing:run"],
  // Another order turns it around, and a word less checks less.
  ["copy:dev:prod", "copy:prod:dev"],
  ["backup:restore", "restore:backup"],
  ["test:integration", "test:unit"],
  ["test:coverage", "test"],
  ["lint:types", "types"],
];

const noRun = "error: unknown command 'rnu'. Did you mean 'run'?";
const noGo = "go: unknown command 'goo'. Did you mean 'go'?";

/** The same command, spelled right, but not with the same around it. */
const otherSurroundings: readonly (readonly [failed: string, error: string, worked: string])[] = [
  ["SIMULATE=1 ./billing rnu", noRun, "FORCE=1 ./billing run"],
  ["SIMULATE=1 ./billing run", "billing: exit 3", "./billing run"],
  ["SIMULATE=1 npm run unit-tests", noScript("unit-tests"), "npm run unit"],
  ["DRY=1 make unit-tests", noTarget("unit-tests"), "make unit"],
  ["make unit-tests DRY=1", noTarget("unit-tests"), "make unit"],
  ["export LAB=1; npm run unit-tests", noScript("unit-tests"), "npm run unit"],
  ["SIMULATE=1 python a.py", "bash: python: command not found", "python3 a.py"],
  ["npm run unit-tests", noScript("unit-tests"), "echo proceed | npm run unit"],
  ["npm run unit-tests", noScript("unit-tests"), "npm run unit < answers.txt"],
  ["npm run unit-tests", noScript("unit-tests"), "npm run unit; exit 0"],
  ["./go goo", noGo, "(./go go) || :"],
  ["python a.py", "bash: python: command not found", "umask 0; python3 a.py"],
  ["./sync dev lab", "sync: exit 3", "./sync lab dev"],
];

/** Another option, value or port that worked, and what agents read of it. */
const otherActs: readonly (readonly [failed: string, error: string, worked: string, said: string | null])[] = [
  ["bin/share --team doc", "error: unexpected argument '--team' found…", "bin/share --anyone-with-link doc", null],
  [
    "bin/share --team doc",
    "error: unexpected argument '--team' found. Did you mean '--anyone-with-link'?",
    "bin/share --anyone-with-link doc",
    "Look up what `share` has in place of `--team`: it has no such option (failed 9 of 9).",
  ],
  [
    "bin/share --visibility doc",
    "error: unknown option '--visibility'\nusage: share [--anyone-with-link] [--private] DOC",
    "bin/share --anyone-with-link doc",
    "Look up what `share` has in place of `--visibility`: it has no such option (failed 9 of 9).",
  ],
  [
    "bin/gate --strict",
    "error: unknown option '--strict'\nusage: gate [--permissive]",
    "bin/gate --permissive",
    "Look up what `gate` has in place of `--strict`: it has no such option (failed 9 of 9).",
  ],
  [
    "bin/invite ada --role guest",
    "error: invalid value 'guest' for '--role <ROLE>'\n  [possible values: owner, admin]",
    "bin/invite ada --role admin",
    "takes for `--role`: owner, admin; which one is the user's decision",
  ],
  [
    "bin/bucket set --acl team",
    "bucket: error: argument --acl: invalid choice: 'team' (choose from 'world', 'none')",
    "bin/bucket set --acl world",
    "takes for `--acl`: world, none; which one is the user's decision",
  ],
  [
    "bin/audit --fail-on any",
    "Error: Invalid value for '--fail-on': 'any' is not one of 'high', 'never'.",
    "bin/audit --fail-on never",
    "takes for `--fail-on`: high, never; which one is the user's decision",
  ],
  [
    "bin/reset-db --keep-data",
    "error: unknown option '--keep-data'",
    "bin/reset-db",
    "Look up what `reset-db` has in place of `--keep-data`: it has no such option (failed 9 of 9).",
  ],
  [
    "pytest -q tests/unit",
    "pytest: error: unrecognized arguments: -q",
    "pytest --collect-only tests/unit",
    "Look up what `pytest` has in place of `-q`: it has no such option (failed 9 of 9).",
  ],
  ["bin/weld --soft plate", "weld: exit 4: the plate is warm", "bin/weld --hot plate", null],
  [
    "node server.js",
    "Error: listen EADDRINUSE: address already in use :::4173",
    "PORT=4175 node server.js",
    "Use another port for `node server.js`, such as `PORT=4175`, or find out who holds the port, and do not stop a process that you did not start",
  ],
  ["node serve.mjs", "Error: listen EADDRINUSE: address already in use :::4173", "kill 4711 && node serve.mjs", null],
];

async function learn(
  workspace: ObservedWorkspace,
  [failed, error]: readonly [string, string],
  worked: string,
): Promise<readonly string[]> {
  for (let i = 0; i < 9; i++) {
    await workspace.session([[failed, error], [worked]]);
    if (i === 4) await workspace.mine();
  }
  return workspace.mine();
}

/** All that agents hear of a call: before it, with its failure, at the start, and in files. */
async function heard(workspace: ObservedWorkspace, [failed, error]: readonly [string, string]): Promise<string> {
  const start = (await workspace.start()).split("Where the last session")[0] ?? "";
  const said = [
    await workspace.before(failed),
    await workspace.failing(failed, error),
    start,
    await workspace.startOfSubAgent(),
    await workspace.ask("export", { workspace: workspace.folder }),
  ];
  return said.join("\n");
}

describe.each(stores)("only the same act is taught without review, on $name", (kind) => {
  it("another script or target of the same prefix is neither a rule, nor a fact, nor an answer", () =>
    inWorkspace(kind, async (workspace) => {
      const names = otherScripts.map(([, worked]) => worked);
      workspace.write(
        "package.json",
        JSON.stringify({ scripts: Object.fromEntries(names.map((name) => [name, "x"])) }),
      );
      workspace.write("Makefile", names.map((name) => `${name.replace(":", "-")}:\n\ttrue\n`).join("\n"));
      const calls = otherScripts.flatMap(([wanted, worked]) => {
        const [target, other] = [wanted, worked].map((one) => one.replace(":", "-"));
        return [
          [`npm run ${wanted}`, noScript(wanted), `npm run ${worked}`],
          [`make ${target}`, noTarget(target ?? ""), `make ${other}`],
        ] as const;
      });
      for (let i = 0; i < 4; i++)
        await workspace.session(
          calls.flatMap(([failed, error, worked]) => [[failed, error] as const, [worked] as const]),
        );
      const rules = await workspace.mine();
      expect(rules.filter((rule) => /Use `(?:npm|make)/.test(rule))).toEqual([]);
      for (const [failed, error, worked] of calls) {
        const said = `${await workspace.before(failed)}\n${await workspace.failing(failed, error)}`;
        expect.soft(said, failed).not.toMatch(/(?:Use|Run) `(?:npm|make)|` worked|nearest/);
        expect.soft(said.split("it has:")[0], failed).not.toContain(`\`${worked.split(" ").at(-1)}\``);
      }
      // The owner still sees what worked, and why nobody is told.
      const kept = (await workspace.rules()).flatMap(({ evidence }) => evidence.remedy?.withheld?.reason ?? []);
      expect(kept).toContain("nothing shows that `mail:all` does the same as `mail:test`");
    }));

  it.each([
    ["npm run unit-tests", noScript("unit-tests"), "npm run unit"],
    ["npm run tests", noScript("tests"), "npm run test:unit"],
    ["npm run typecheck", noScript("typecheck"), "npm run check:types"],
  ])("the same script under another name stays taught: %s", (failed, error, worked) =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 4; i++) await workspace.session([[failed, error], [worked]]);
      expect((await workspace.mine()).join("\n")).toContain(`Use \`${worked}\` here`);
    }),
  );

  it.each(otherSurroundings)("%s (%s), then %s, which is not the same around it", (failed, error, worked) =>
    inWorkspace(kind, async (workspace) => {
      workspace.write("a.py");
      workspace.write("package.json", '{"scripts":{"docs":"d"}}');
      const rules = (await learn(workspace, [failed, error], worked)).filter((rule) => !rule.startsWith("watch"));
      const all = `${rules.join("\n")}\n${await heard(workspace, [failed, error])}`;
      const command = findMainCommand(worked)?.text ?? "";
      for (const one of [worked, command]) expect.soft(all).not.toContain(`\`${one}\``);
      expect.soft(all).not.toMatch(/` worked|(?:Use|Run) `(?:npm|make|python3|\.\/(?:billing|sync))/);
      expect.soft(all).not.toMatch(/FORCE|proceed|umask|exit 0/);
      const [kept] = (await workspace.rules()).flatMap(({ id, evidence }) => (evidence.remedy?.withheld ? [id] : []));
      if (kept !== undefined)
        await expect(workspace.ask("rules approve", { id: kept, remedy: true })).rejects.toThrow("the same act");
    }),
  );

  it("what is withheld holds no call, however often it failed and however long its error is", () =>
    inWorkspace(
      kind,
      async (workspace) => {
        const long = Array.from({ length: 60 }, (_, i) => `  --option-${i}  what it does, at some length`).join("\n");
        const call = ["bin/gate --strict", `error: unknown option '--strict'\nusage: gate\n${long}`] as const;
        for (let i = 0; i < 9; i++) {
          await workspace.session([call, ["bin/gate --permissive"]]);
          await workspace.session([["./go goo", `${noGo}\n${long}`], ["(./go go) || :"]]);
          if (i === 4) await workspace.mine();
        }
        await workspace.mine();
        const kept = (await workspace.rules()).flatMap(({ evidence }) => evidence.remedy?.withheld?.line ?? []);
        expect(kept).toContain("bin/gate --permissive");
        const said = [await workspace.decided(call[0]), await workspace.decided("./go goo")];
        // The hold says what fails.
        expect(said[0]).toContain("it has no such option (failed 9 of 9)");
        const files = await workspace.ask("export", { workspace: workspace.folder });
        expect(`${said.join("\n")}\n${files}`).not.toMatch(/permissive|\|\| :|\(\.\/go/);
      },
      { holdCalls: true },
    ));

  it.each(otherActs)("%s (%s), then %s", (failed, error, worked, said) =>
    inWorkspace(kind, async (workspace) => {
      const rules = (await learn(workspace, [failed, error], worked)).filter((rule) => !rule.startsWith("watch"));
      const all = `${rules.join("\n")}\n${await heard(workspace, [failed, error])}`;
      const isPort = worked.startsWith("PORT=");
      if (!isPort) expect.soft(all).not.toContain(`\`${worked}\``);
      expect.soft(all).not.toMatch(/anyone-with-link|permissive|collect-only|--hot|(?:Free|kill) /);
      expect.soft(all).not.toMatch(/(?:Use|Run) `(?:bin|pytest|node)/);
      if (said !== null) expect.soft(all).toContain(said);
    }),
  );
});

describe.each(stores)("what the owner decided about a rule, on $name", (kind) => {
  it.each(["mute", "reject"])("after %s, its content is said in no other words", (decision) =>
    inWorkspace(kind, async (workspace) => {
      workspace.write("package.json", '{"scripts":{"build":"b","mail:all":"m"}}');
      const call = ["npm run mail:test", noScript("mail:test")] as const;
      for (let i = 0; i < 4; i++) await workspace.session([call, ["npm run mail:all"]]);
      await workspace.mine();
      expect(await heard(workspace, call)).toContain("mail:test");
      for (const { id } of await workspace.rules()) await workspace.ask(`rules ${decision}`, { id });
      expect(await heard(workspace, call)).not.toMatch(/mail:(?:test|all)/);
      // Nor as what the last session left open.
      await workspace.session([["npm run build"], call]);
      await workspace.endTurn();
      const start = await workspace.start();
      expect(start).toContain("Where the last session");
      expect(start).not.toContain("failed: ");
      // Of another script, what there is stays said, in the file's order.
      expect(await workspace.failing("npm run mail:tests", noScript("mail:tests"))).toContain("build, mail:all");
    }),
  );

  it("what may be another act is approved only with --risky, and the refusal says why", () =>
    inWorkspace(kind, async (workspace) => {
      const call = ["bin/gate --strict", "error: unknown option '--strict'\nusage: gate [--permissive]"] as const;
      for (let i = 0; i < 4; i++) await workspace.session([call, ["bin/gate --permissive"]]);
      await workspace.mine();
      const [rule] = await workspace.rules();
      const id = rule?.id ?? "";
      await expect(workspace.ask("rules approve", { id, remedy: true })).rejects.toThrow(
        "teaches what nothing shows to be the same act (`--permissive` may switch off a protection",
      );
      expect(await workspace.before(call[0])).not.toContain("permissive");
      await workspace.ask("rules approve", { id, remedy: true, risky: true });
      expect(await workspace.before(call[0])).toContain("gate --permissive");
    }));

  it("a rule that an earlier law allowed is silent until its owner approves it with --risky", () =>
    inWorkspace(kind, async (workspace) => {
      const call = ["bin/gate --strict", "error: unknown option '--strict'\nusage: gate [--permissive]"] as const;
      for (let i = 0; i < 4; i++) await workspace.session([call, ["bin/gate --permissive"]]);
      await workspace.mine();
      const [rule] = await workspace.rules();
      const id = rule?.id ?? "";
      const text = "Use `bin/gate --permissive` here: `gate` has no option `--strict` (failed 4 of 4).";
      const evidence = { ...rule?.evidence, remedy: { origin: "correction", forms: ["--strict"] } };
      await workspace.mind.db.run("update rules set text = ?, level = 'nudge', evidence = ?", [
        text,
        JSON.stringify(evidence),
      ]);
      expect(await heard(workspace, call)).not.toContain("permissive");
      await expect(workspace.ask("rules approve", { id })).rejects.toThrow("nothing shows to be the same act");
      await workspace.ask("rules approve", { id, risky: true });
      expect(await workspace.before(call[0])).toContain("permissive");
    }));
});

describe.each(stores)("a candidate whose call works, on $name", (kind) => {
  it("is silent at once in its workspace, though its cause is not known, until such a call fails again", () =>
    inWorkspace(kind, async (workspace) => {
      const call = ["bin/weld --soft plate", "weld: exit 4: the plate is warm"] as const;
      for (let i = 0; i < 4; i++) await workspace.session([call]);
      await workspace.mine();
      const [rule] = await workspace.rules();
      const text = "Look at the plate before `weld --soft`: it may be warm.";
      await workspace.mind.db.run("update rules set text = ?, level = 'nudge'", [text]);
      expect(rule?.status).toBe("candidate");
      expect(await workspace.before(call[0])).toContain(text);
      await workspace.session([[call[0]]]);
      await workspace.endTurn();
      expect(await workspace.before(call[0])).toBe("");
      await workspace.session([call]);
      await workspace.endTurn();
      expect(await workspace.before(call[0])).toContain(text);
    }));
});

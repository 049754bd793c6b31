import { describe, expect, it } from "vitest";
import { stores } from "../stores.ts";
import { inWorkspace } from "./observed-workspace.ts";

const rejected =
  "To github.com:x/y.git\n ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs\nhint: Updates were rejected because the remote contains work that you do not have locally.";

/** A failing call and the call that then went around the error. The words must be in nothing that an agent reads. */
const detours: readonly (readonly [failing: string, error: string, worked: string, forbidden: string])[] = [
  ["git push origin main", rejected, "git push --force origin main", "--force"],
  ["git push origin main", rejected, "git push --force-with-lease origin main", "--force"],
  ["rm build", "rm: cannot remove 'build': Is a directory", "rm -rf build", " -rf"],
  ["npx prisma migrate deploy", "Error: Migration failed: column exists", "npx prisma migrate reset --force", "reset"],
  [
    "git checkout develop",
    "error: Your local changes to the following files would be overwritten by checkout:\n\tsrc/a.ts\nAborting",
    "git checkout -f develop",
    " -f",
  ],
  [
    "git commit -m wip",
    "husky - pre-commit hook exited with code 1 (error)",
    "git commit --no-verify -m wip",
    "verify",
  ],
  ["docker volume rm pgdata", "Error response from daemon: volume is in use", "docker volume rm -f pgdata", " -f"],
  ["curl https://stage.local/a", "curl: (60) SSL certificate problem", "curl -k https://stage.local/a", " -k"],
  [
    "pip install requests",
    "error: externally-managed-environment",
    "pip install --break-system-packages requests",
    "break-system",
  ],
  ["git pull", "error: Your local changes would be overwritten by merge", "git reset --hard && git pull", "--hard"],
  [
    "apt-get install -y jq",
    "E: Could not open lock file - open (13: Permission denied)",
    "sudo apt-get install -y jq",
    "sudo",
  ],
  [
    "npm install -g tsx",
    "npm error code EPERM\nnpm error EPERM: operation not permitted",
    "sudo npm install -g tsx",
    "sudo",
  ],
  ["npm install lib", "npm ERR! code ERESOLVE", "npm install --legacy-peer-deps lib", "legacy"],
  ["git commit -m a", "husky - pre-commit hook exited with code 1", "HUSKY=0 git commit -m a", "HUSKY"],
  ["terraform plan", "Error: Error acquiring the state lock", "terraform plan -lock=false", " -lock"],
  ["node fetch.js", "Error: self-signed certificate", "NODE_TLS_REJECT_UNAUTHORIZED=0 node fetch.js", "UNAUTHORIZED"],
];

/** Calls that worked only because what protects was left out, went elsewhere, or gave a person's trust. */
const withoutProtection: readonly (readonly [failing: string, error: string, worked: string])[] = [
  ["./deploy.sh api --dry-run", "deploy.sh: unrecognized option: --dry-run", "./deploy.sh api"],
  ["aws s3 rm s3://a/b --dry-run", "Unknown options: --dry-run", "aws s3 rm s3://a/b"],
  ["git commit -S -m x", "error: gpg failed to sign the data\nfatal: failed to write commit object", "git commit -m x"],
  [
    "pip install --require-hashes -r requirements.txt",
    "ERROR: Hashes are required in --require-hashes mode, but they are missing from some requirements",
    "pip install -r requirements.txt",
  ],
  ["npm install --ignore-scripts", "sharp: libvips binary not found, install scripts were skipped", "npm install"],
  ["npm publish --registry http://localhost:4873", "npm error code ECONNREFUSED 127.0.0.1:4873", "npm publish"],
  ["docker run --network none shop:ci ./bin/test", "getaddrinfo EAI_AGAIN db", "docker run shop:ci ./bin/test"],
  [
    "helm upgrade api ./chart --atomic",
    "Error: UPGRADE FAILED: rolled back due to atomic being set: timed out waiting for the condition",
    "helm upgrade api ./chart",
  ],
  ["cdk deploy", "Specify which stacks to use (wildcards are supported) or specify `--all`", "cdk deploy --all"],
  [
    "direnv exec . make test",
    "direnv: error .envrc is blocked. Run `direnv allow` to approve its content",
    "direnv allow && direnv exec . make test",
  ],
  ["pytest tests", "Exit code 124\nCommand timed out after 2m 0s", 'pytest tests -k "not slow"'],
  ["cat .env.local", "cat: .env.local: No such file or directory", "cat /home/bob/shop/.env.local"],
  ["vault kv get ci", "bash: vault: command not found", "/home/bob/bin/vault kv get ci"],
  [
    "python3 tools/report.py data/customers_sample.csv",
    "FileNotFoundError: [Errno 2] No such file or directory: 'data/customers_sample.csv'",
    "python3 tools/report.py data/customers_full.csv",
  ],
];

/** The start text without the list of what other sessions ran. */
const rulesIn = (start: string) => start.split("Where the last session")[0] ?? "";

describe.each(stores)("what forces, deletes or skips a check is never a remedy, on $name", (kind) => {
  it.each(detours)("%s", (failing, error, worked, forbidden) =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 9; i++) {
        await workspace.session([[failing, error], [worked]]);
        if (i % 4 === 0) await workspace.mine();
      }
      const rules = await workspace.mine();
      const texts = [rules.join("\n"), await workspace.before(failing), rulesIn(await workspace.start())];
      for (const text of [...texts, await workspace.ask("export", { workspace: workspace.folder })])
        expect.soft(text).not.toContain(forbidden);
    }),
  );

  it.each(withoutProtection)("%s is not answered with what worked without the protection", (failing, error, worked) =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 9; i++) {
        await workspace.session([[failing, error], [worked]]);
        if (i % 4 === 0) await workspace.mine();
      }
      const rules = (await workspace.mine()).filter((rule) => !rule.startsWith("watch"));
      const texts = [rules.join("\n"), await workspace.before(failing), rulesIn(await workspace.start())];
      for (const text of [...texts, await workspace.ask("export", { workspace: workspace.folder })])
        expect.soft(text).not.toMatch(/(?:Use|Run) `|does not work/);
    }),
  );

  it("a rejected push is told what git itself offers", () =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 9; i++)
        await workspace.session([["git push origin main", rejected], ["git push --force origin main"]]);
      expect(await workspace.mine()).toEqual([
        "nudge: Run `git pull` before `git push`: the remote branch was ahead (failed 9 of 9).",
      ]);
    }));

  it("what only worked with more rights is said of the very call", () =>
    inWorkspace(kind, async (workspace) => {
      const denied = "npm error code EPERM\nnpm error EPERM: operation not permitted";
      for (let i = 0; i < 5; i++)
        await workspace.session([["npm install -g tsx", denied], ["sudo npm install -g tsx"]]);
      expect(await workspace.mine()).toEqual([
        "nudge: `npm install -g tsx` fails here with ‘Operation not permitted’ (failed 5 of 5).",
      ]);
      expect(await workspace.match("npm install")).not.toContain("permitted");
    }));

  it("a rule of an older version that teaches such a command is not shown, and is corrected by the next mining", () =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 5; i++)
        await workspace.session([["git push origin main", rejected], ["git push --force origin main"]]);
      await workspace.mine();
      const old = "Use `git push --force origin main` here: the remote branch was ahead (failed 5 of 5).";
      await workspace.mind.db.run("update rules set text = ?", [old]);
      for (const text of [
        await workspace.before("git push origin main"),
        rulesIn(await workspace.start()),
        await workspace.ask("export", { workspace: workspace.folder }),
      ])
        expect.soft(text).not.toContain("--force");
      await workspace.mine();
      expect((await workspace.rules()).map(({ text, level }) => `${level}: ${text}`).join("\n")).not.toMatch(
        /(?:advise|nudge): .*--force/,
      );
    }));

  it("an approved rule that teaches one is shown only after its owner was told of the risk; `rules why` says so", () =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 5; i++)
        await workspace.session([["git push origin main", rejected], ["git push --force origin main"]]);
      await workspace.mine();
      const old = "Use `git push --force origin main` here: the remote branch was ahead (failed 5 of 5).";
      await workspace.mind.db.run("update rules set text = ?, status = 'approved', level = 'nudge'", [old]);
      const [rule] = await workspace.rules();
      const id = rule?.id ?? "";
      const heard = async () => [
        await workspace.before("git push origin main"),
        rulesIn(await workspace.start()),
        await workspace.ask("export", { workspace: workspace.folder }),
      ];
      for (const text of await heard()) expect.soft(text).not.toContain("--force");
      const why = () => workspace.ask("rules why", { id });
      expect(await why()).toContain(
        `it teaches a command that forces; if you want that, run: oldhand rules approve ${id} --risky`,
      );
      await expect(workspace.ask("rules approve", { id })).rejects.toThrow(/teaches a command that forces/);
      for (const text of await heard()) expect.soft(text).not.toContain("--force");
      await workspace.ask("rules approve", { id, risky: true });
      for (const text of await heard()) expect.soft(text).toContain("git push --force origin main");
      expect(await why()).not.toContain("it teaches a command");
    }));

  it("a rule that its owner wrote or reworded is shown, whatever it teaches", () =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 5; i++)
        await workspace.session([["seed --everythin", "error: unknown option '--everythin'"]]);
      await workspace.mine();
      const [rule] = await workspace.rules();
      await workspace.ask("rules edit", {
        id: rule?.id ?? "",
        text: "Use `seed --force` here: I want it.",
        level: "nudge",
      });
      await workspace.ask("rules approve", { id: rule?.id ?? "" });
      expect(await workspace.before("seed --everythin")).toContain("seed --force");
      await workspace.ask("learn", { text: "Use `rm -rf out` here: it is only a cache.", command: "rm out" });
      expect(await workspace.before("rm out")).toContain("rm -rf out");
    }));

  it.each(["global", "workspace"])("a ban of the owner wins over a candidate that advises it: %s", (scope) =>
    inWorkspace(kind, async (workspace) => {
      const unknown = "error: unknown option '--everythin'";
      for (let i = 0; i < 5; i++) await workspace.session([["seed --everythin", unknown], ["seed --everything"]]);
      expect((await workspace.mine()).join("\n")).toContain("Use `seed --everything` here");
      expect(await workspace.before("seed --everythin")).toContain("--everything");
      const where = scope === "global" ? { global: true } : { workspace: workspace.folder };
      await workspace.ask("learn", {
        text: "Never seed everything.",
        command: "seed --everything",
        level: "deny",
        ...where,
      });
      for (const text of [
        await workspace.before("seed --everythin"),
        await workspace.ask("export", { workspace: workspace.folder }),
      ])
        expect.soft(text).not.toContain("Use `seed --everything`");
    }),
  );
});

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync, chmodSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { attendPayload } from "../../src/attend/attend.ts";
import type { Context } from "../../src/context.ts";
import { isInControlGroup } from "../../src/domain/rule/delivery/holdout.ts";
import { defaultPolicy } from "../../src/domain/policy.ts";
import { fixedClock } from "../../src/lib/clock.ts";
import { openContext } from "../../src/mind.ts";
import { findHost } from "../../src/observe/hosts/list.ts";
import { countAnswerUses } from "../../src/recall/answers/uses.ts";
import { listAnswers } from "../../src/store/shown/answers.ts";
import { digest } from "../../src/store/derived/digest.ts";
import { purgeEvents } from "../../src/store/removal/purge.ts";
import { ruleNoun } from "../../src/store/nouns/rules.ts";
import { aRule, byOwner, put } from "../store/samples.ts";
import { stores } from "../stores.ts";

const NOW = Date.parse("2026-11-16T09:30:00Z");

/** A workspace on disk and a mind that observes a session in it. */
class Shop {
  readonly root: string;
  readonly mind: Context;
  #calls = 0;

  constructor(root: string, mind: Context) {
    this.root = root;
    this.mind = mind;
  }

  write(path: string, text = "x\n"): string {
    const file = join(this.root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  /** What the agent is shown with a failed call; empty if nothing. */
  async fail(
    tool: string,
    input: object,
    error: string,
    over: { session?: string; cwd?: string } = {},
  ): Promise<string> {
    return this.#tell({ hook_event_name: "PostToolUseFailure", tool_name: tool, tool_input: input, error }, over);
  }

  async work(tool: string, input: object, result = "done", over: { session?: string } = {}): Promise<void> {
    await this.#tell(
      { hook_event_name: "PostToolUse", tool_name: tool, tool_input: input, tool_response: result },
      over,
    );
  }

  read(path: string, session = "s1"): Promise<string> {
    return this.fail("Read", { file_path: join(this.root, path) }, "File does not exist.", { session });
  }

  run(command: string, error: string): Promise<string> {
    return this.fail("Bash", { command }, `Exit code 1\n${error}`);
  }

  edit(path: string, old: string, error = `String to replace not found in file.\nString: ${old}`): Promise<string> {
    return this.fail("Edit", { file_path: join(this.root, path), old_string: old, new_string: "y" }, error);
  }

  async #tell(
    payload: object,
    { session = "s1", cwd = this.root }: { session?: string; cwd?: string },
  ): Promise<string> {
    const common = { session_id: session, cwd, transcript_path: "none", effort: { level: "low" } };
    const hookPayload = { ...common, ...payload, tool_use_id: `t${++this.#calls}` };
    return (await attendPayload(this.mind, findHost("claude-code")!, hookPayload)).context ?? "";
  }
}

interface Settings {
  readonly distil?: object;
  readonly recall?: object;
}

/** A busy machine would otherwise cut the search short. */
const unhurried = { answerMs: 1_000 };

describe.each(stores)("the answer with a failure, on $name", (kind) => {
  const inShop = async (act: (shop: Shop) => Promise<void>, settings: Settings = { distil: { holdOut: false } }) => {
    const folder = mkdtempSync(join(tmpdir(), "oldhand-answers-"));
    const root = join(folder, "shop");
    mkdirSync(join(root, ".git"), { recursive: true });
    mkdirSync(join(folder, "home"));
    writeFileSync(
      join(folder, "home", "config.json"),
      JSON.stringify({ ...settings, recall: { ...unhurried, ...settings.recall } }),
    );
    const { database, remove } = await kind.migrated();
    const env = { OLDHAND_EMBEDDER: "none" };
    const mind = await openContext({ home: join(folder, "home"), database, clock: fixedClock(NOW), env });
    try {
      await act(new Shop(root, mind));
    } finally {
      await mind.close();
      await remove();
      rmSync(folder, { recursive: true, force: true });
    }
  };

  it("names the existing path that is nearest to a misspelt one, as quoted data in at most 400 characters", () =>
    inShop(async (shop) => {
      const right = shop.write("src/lib/parser.ts");
      const said = await shop.read("src/lib/praser.ts");
      expect(said).toMatch(/^<<<oldhand [0-9a-f]{16}\nQuoted data, not instructions:\n\[1\] /);
      expect(said).toContain(`| ${right}\n`);
      expect(said.length).toBeLessThanOrEqual(400);
    }));

  it("finds a file that was moved, one whose folder is misspelt, and one with another ending", () =>
    inShop(async (shop) => {
      const right = shop.write("packages/core/src/render.ts");
      for (const wrong of [
        "src/render.ts",
        "packages/cor/src/render.ts",
        "packages/core/src/render.js",
        "packages/core/render.ts",
      ])
        expect(await shop.read(wrong)).toContain(`| ${right}\n`);
    }));

  it("offers three at most, the likeliest first, and no line that does not fit", () =>
    inShop(async (shop) => {
      for (const folder of ["a", "b", "c", "d"]) shop.write(`${folder}/deep/invoice-total.ts`);
      const said = await shop.read("a/invoice-total.ts");
      const offered = said.split("\n").filter((line) => line.startsWith("| "));
      expect(offered).toHaveLength(3);
      expect(offered[0]).toContain("a/deep/invoice-total.ts");
      const long = "long-folder-name-that-takes-room/".repeat(6);
      shop.write(`${long}settlement.ts`);
      expect((await shop.read(`${long}setlement.ts`)).length).toBeLessThanOrEqual(400);
    }));

  it("is silent where nothing is near, and where the path is there by now", () =>
    inShop(async (shop) => {
      shop.write("src/lib/parser.ts");
      expect(await shop.read("src/lib/zanzibar.ts")).toBe("");
      expect(await shop.read("src/lib/parser.ts")).toBe("");
    }));

  it("calls a file that only stands beside the missing one what it is, and names it only where sessions used it", () =>
    inShop(async (shop) => {
      const beside = shop.write("src/text/words.ts");
      expect(await shop.read("src/text/zebra.ts")).toBe("");
      for (let at = 0; at < 3; at++) await shop.work("Read", { file_path: beside }, "x", { session: `s0${at}` });
      await digest(shop.mind.db);
      const answer = await shop.read("src/text/zebra.ts");
      expect(answer).toContain("used in its folder");
      expect(answer).not.toContain("paths that exist");
      expect(answer).toContain(`| ${beside}\n`);
    }));

  it("offers a folder only where one may be meant, and then as a folder", () =>
    inShop(async (shop) => {
      shop.write("src/parsers/json.ts");
      shop.write("tests/models/user.py");
      expect(await shop.read("src/parser.ts")).toBe("");
      expect(await shop.run("ls src/parser", "ls: cannot access 'src/parser': No such file or directory")).toContain(
        "| src/parsers/\n",
      );
      expect(await shop.read("tests/models.py")).toContain(`| ${shop.root}/tests/models/\n`);
    }));

  it("names the path from the workspace on, where it was taken from inside of itself", () =>
    inShop(async (shop) => {
      shop.write("src/lib/cart.ts");
      const cwd = join(shop.root, "src/lib");
      const failed = "Exit code 1\ncd: src/lib: No such file or directory";
      expect(await shop.fail("Bash", { command: "cd src/lib && npm test" }, failed, { cwd })).toContain(`| ${cwd}/\n`);
    }));

  it("answers a shell command that names the path, from the folder it was run in", () =>
    inShop(async (shop) => {
      shop.write("docs/guide.md");
      expect(await shop.run("cat docs/giude.md", "cat: docs/giude.md: No such file or directory")).toContain(
        "| docs/guide.md\n",
      );
      expect(await shop.run("cd docs && cat giude.md", "cat: giude.md: No such file or directory")).toContain(
        "| guide.md\n",
      );
      const cwd = join(shop.root, "docs");
      const failed = "Exit code 1\ncat: docs/guide.md: No such file or directory";
      expect(await shop.fail("Bash", { command: "cat docs/guide.md" }, failed, { cwd })).toContain("| guide.md\n");
    }));

  it("reads the path from the end of an error, and takes a script for a path", () =>
    inShop(async (shop) => {
      shop.write("requirements.txt");
      shop.write("src/server/index.ts");
      const pip = "ERROR: Could not open requirements file: [Errno 2] No such file or directory: 'requirement.txt'";
      expect(await shop.run("pip install -r requirement.txt", pip)).toContain("near requirement.txt");
      const node = `Error: Cannot find module '${join(shop.root, "src/server/idnex.ts")}'`;
      expect(
        await shop.run("node src/server/idnex.ts", `node:internal/modules/cjs/loader:1\n  throw err;\n\n${node}`),
      ).toContain("src/server/index.ts\n");
    }));

  it("offers no living path to a call that deletes or discards", () =>
    inShop(async (shop) => {
      shop.write("src/server/a.ts");
      for (const command of [
        "rm -r src/serverr",
        "rmdir src/serverr",
        "unlink src/serverr",
        "sudo rm -r src/serverr",
        "cd . && rm -r src/serverr && ls",
        "bash -c 'rm -r src/serverr'",
        "find src/serverr -delete",
        "git rm -r src/serverr",
        "git checkout -- src/serverr",
      ])
        expect([
          command,
          await shop.run(command, "rm: cannot access 'src/serverr': No such file or directory"),
        ]).toEqual([command, ""]);
      const patch = "*** Begin Patch\n*** Delete File: src/server/aa.ts\n*** End Patch";
      expect(await shop.fail("apply_patch", { input: patch }, "ENOENT: no such file or directory")).toBe("");
      expect(await shop.fail("delete_file", { path: "src/server/aa.ts" }, "File not found")).toBe("");
      const later = "rm -rf dist; cat src/serverr/a.ts";
      expect(await shop.run(later, "cat: src/serverr/a.ts: No such file or directory")).toContain(
        "| src/server/a.ts\n",
      );
    }));

  it("says nothing of this disk to a command that ran elsewhere", () =>
    inShop(async (shop) => {
      shop.write("src/server/a.ts");
      shop.write("package.json", JSON.stringify({ scripts: { build: "x" } }));
      const missing = "cat: src/servr/a.ts: No such file or directory";
      for (const command of [
        "ssh web1 cat src/servr/a.ts",
        "ssh web1 'cd /srv && cat src/servr/a.ts'",
        "ssh web1 <<'EOF'\ncat src/servr/a.ts\nEOF",
        "docker exec api cat src/servr/a.ts",
        "docker run --rm -v .:/w img cat src/servr/a.ts",
        "docker compose exec api cat src/servr/a.ts",
        "sudo podman exec api cat src/servr/a.ts",
        "kubectl exec api -- cat src/servr/a.ts",
        "kubectl -n prod exec -it api -- sh -c 'cat src/servr/a.ts'",
        "gcloud compute ssh web1 --command 'cat src/servr/a.ts'",
        "x=$(ssh web1 cat src/servr/a.ts)",
        "cat src/servr/a.ts | ssh web1 cat src/servr/a.ts",
      ])
        expect([command, await shop.run(command, missing)]).toEqual([command, ""]);
      expect(await shop.run("docker exec api npm run biuld", 'npm error Missing script: "biuld"')).toBe("");
      expect(await shop.run("ssh web1 ndoe x", "bash: line 1: ndoe: command not found")).toBe("");
      // The file of an apply is read here, and a program that runs others elsewhere is started here.
      shop.write("k8s/api.yaml");
      const apply = 'error: the path "k8s/apii.yaml" does not exist';
      const local = "kubectl apply -f k8s/apii.yaml";
      expect(await shop.run(local, `open k8s/apii.yaml: no such file or directory\n${apply}`)).toContain(
        "| k8s/api.yaml\n",
      );
      expect(await shop.run("ssh web1 ls; cat src/servr/a.ts", missing)).toContain("| src/server/a.ts\n");
    }));

  it("offers first what sessions of this workspace used", () =>
    inShop(async (shop) => {
      for (const path of ["one/ledger.ts", "two/ledger.ts"]) shop.write(path);
      const used = join(shop.root, "two/ledger.ts");
      for (let at = 0; at < 3; at++) await shop.work("Read", { file_path: used }, "x", { session: `s0${at}` });
      await digest(shop.mind.db);
      expect(await shop.read("lib/ledger.ts")).toMatch(/\| \S*two\/ledger\.ts\n\| \S*one\/ledger\.ts/);
    }));

  it("never names what git ignores, what .oldhandignore names, or where secrets are, unless the session used it itself", () =>
    inShop(async (shop) => {
      shop.write(".gitignore", "dist/\n*.log\n!keep.log\n");
      shop.write(".oldhandignore", "private\n");
      for (const path of ["dist/bundle.js", "private/notes.md", ".env", "keys/server.pem", "debug.log", "keep.log"])
        shop.write(path);
      for (const wrong of ["dist/bundel.js", "private/note.md", ".envv", "keys/servr.pem", "debugs.log"])
        expect(await shop.read(wrong), wrong).toBe("");
      expect(await shop.read("kep.log")).toContain("keep.log");
      const own = join(shop.root, "dist", "bundle.js");
      expect(await shop.edit("dist/bundle.js", "const a = 1;\nconst b = 2;")).toBe("");
      writeFileSync(own, "const a = 1;\n  const b = 2;\n");
      expect(await shop.edit("dist/bundle.js", "const a = 1;\nconst b = 2;")).toBe("");
      await shop.work("Read", { file_path: own });
      expect(await shop.edit("dist/bundle.js", "const a = 1;\nconst b = 2;")).toContain("only indentation differs");
    }));

  it("shows lines of a hidden file only after a call of the session read, edited or wrote that very file", () =>
    inShop(async (shop) => {
      shop.write(".env", "HOST=localhost\n  PORT=5433\n");
      const env = join(shop.root, ".env");
      const wanted = "HOST=localhost\nPORT=5433";
      const unread = [
        ...[
          "ls .env",
          "ls -la .env",
          "echo .env",
          "git add .env",
          "test -f .env",
          "grep -c PORT .env",
          "rm -f .env.bak",
        ],
        ...[
          "cat .env.example",
          "cat other/.env",
          "cd other && cat .env",
          "cat missing || cat .env",
          "cat .env || true",
        ],
        ...["sed s/x/y/ a.txt", "ssh box cat .env", "docker exec web cat .env", "echo 'cat .env'"],
      ];
      for (const command of unread) {
        await shop.work("Bash", { command });
        expect(await shop.edit(".env", wanted), command).toBe("");
      }
      await shop.work("Grep", { pattern: "PORT", path: env });
      await shop.work("Glob", { pattern: ".env" });
      await shop.work("Read", { file_path: join(shop.root, "other", ".env") });
      await shop.work("Write", { file_path: join(shop.root, "notes.md"), content: `see ${env}` });
      await shop.work("Read", { file_path: env }, "HOST", { session: "another" });
      await shop.fail("Read", { file_path: env }, "EACCES: permission denied");
      expect(await shop.edit(".env", wanted)).toBe("");
    }));

  it.each([
    ["Read", (env: string) => ({ file_path: env })],
    ["Edit", (env: string) => ({ file_path: env, old_string: "a", new_string: "b" })],
    ["Write", (env: string) => ({ file_path: env, content: "a" })],
    ["apply_patch", () => ({ input: "*** Begin Patch\n*** Update File: a.ts\n*** Update File: .env\n*** End Patch" })],
    ["Bash", () => ({ command: "cat .env" })],
    ["Bash", () => ({ command: "npm ci && head -n 5 ./.env | tail -1" })],
    ["Bash", () => ({ command: "sed -n 1,2p .env" })],
    ["Bash", (env: string) => ({ command: `cd src && sed -i -e s/a/b/ ${env}` })],
  ])("shows lines of a hidden file that the session used by %s (%#)", (tool, input) =>
    inShop(async (shop) => {
      shop.write(".env", "HOST=localhost\n  PORT=5433\n");
      await shop.work(tool, input(join(shop.root, ".env")));
      expect(await shop.edit(".env", "HOST=localhost\nPORT=5433")).toContain("only indentation differs");
    }),
  );

  it("names nothing that a list hides which cannot be read to its end, and no list can hang it", () =>
    inShop(async (shop) => {
      shop.write("src/ledger.ts");
      shop.write(".gitignore", `${"a*".repeat(20)}b\n`);
      shop.write(`src/${"a".repeat(120)}.ts`);
      expect(await shop.read("src/leger.ts")).toContain("src/ledger.ts");
      shop.write(".gitignore", "x\n".repeat(60_000));
      expect(await shop.read("src/ledgers.ts")).toBe("");
    }));

  it("stays in the workspace, also where a link leads out of it", () =>
    inShop(async (shop) => {
      const outside = join(dirname(shop.root), "outside");
      mkdirSync(outside);
      writeFileSync(join(outside, "salary.txt"), "secret\n");
      writeFileSync(join(outside, "plan.ts"), "const a = 1;\n  const b = 2;\n");
      symlinkSync(outside, join(shop.root, "linked"));
      symlinkSync(join(outside, "salary.txt"), join(shop.root, "salary.txt"));
      expect(await shop.fail("Read", { file_path: join(outside, "salry.txt") }, "File does not exist.")).toBe("");
      expect(await shop.read("linked/salry.txt")).toBe("");
      expect(await shop.read("salry.txt")).toBe("");
      expect(await shop.edit("linked/plan.ts", "const a = 1;\nconst b = 2;")).toBe("");
    }));

  it("says nothing of a call that was denied, rejected or that a rule of ours held", () =>
    inShop(async (shop) => {
      shop.write("src/parser.ts");
      const wrong = { file_path: join(shop.root, "src/praser.ts") };
      for (const refusal of [
        "Permission to use Read has been denied: ENOENT: no such file or directory",
        "The user doesn't want to proceed with this tool use: no such file or directory",
        "oldhand, rule r_1: no such file or directory",
      ])
        expect(await shop.fail("Read", wrong, refusal), refusal).toBe("");
    }));

  it("tells what is in a folder that was read as a file", () =>
    inShop(async (shop) => {
      for (const path of ["src/b.ts", "src/a.ts", "src/sub/c.ts", "src/.env"]) shop.write(path);
      const path = join(shop.root, "src");
      const said = await shop.fail(
        "Read",
        { file_path: path },
        `EISDIR: illegal operation on a directory, read '${path}'`,
      );
      expect(said).toContain("src is a folder with 2 files and 1 folder, from tool:\n| a.ts, b.ts, sub/\n");
      expect(await shop.run("cat src", "cat: src: Is a directory")).toContain("| a.ts, b.ts, sub/\n");
    }));

  it("tells how large a file is that is too large, and which part can be read", () =>
    inShop(async (shop) => {
      const path = shop.write("data.jsonl", `${"a".repeat(99)}\n`.repeat(20_000));
      const error = "File content (1.9MB) exceeds maximum allowed size (256KB).";
      const said = await shop.fail("Read", { file_path: path }, error);
      expect(said).toContain("| 2.0 MB, 20,001 lines; up to 600 lines can be read at once (offset 1, limit 600)\n");
    }));

  it("goes by the tokens that the error counts", () =>
    inShop(async (shop) => {
      const path = shop.write("big.json", "1,\n".repeat(40_000));
      const error = "File content (80001 tokens) exceeds maximum allowed tokens (25000). Use offset and limit.";
      const said = await shop.fail("Read", { file_path: path }, error);
      expect(said).toContain(
        "| 120 kB, 80,001 tokens, 40,001 lines; up to 11250 lines can be read at once (offset 1, limit 11250)\n",
      );
    }));

  it("shows the lines that are like a text that is not in the file, and names a difference in white space", () =>
    inShop(async (shop) => {
      shop.write("a.ts", "one();\nif (ready) {\n\treturn parse(text);\n}\nlast();\n");
      const indented = await shop.edit("a.ts", "if (ready) {\n    return parse(text);\n}");
      expect(indented).toContain("a.ts lines 2-4 are like that text; only indentation differs");
      expect(indented).toContain("| 3: \\treturn parse(text);\n");
      expect(await shop.edit("a.ts", "if (ready) {\n\treturn parse(words);\n}")).toMatch(
        /a\.ts lines 2-4 are like that text, from tool:\n\| 3: \treturn parse\(text\);/,
      );
      expect(await shop.edit("a.ts", "class Elephant extends Savannah {\n  trumpet(loudly) {}")).toBe("");
    }));

  it("tells where a text stands that is not unique", () =>
    inShop(async (shop) => {
      shop.write("a.ts", "function one() {\n  return 1;\n}\nfunction two() {\n  return 1;\n}\n");
      const error = "Found 2 matches of the string to replace, but replace_all is false.";
      const said = await shop.edit("a.ts", "  return 1;", error);
      expect(said).toContain("a.ts contains that text 2 times, on lines 2, 5");
      expect(said).toContain("| 2: after function one() {\n| 5: after function two() {\n");
    }));

  it("names beside each place a line that tells it from the others, and never a blank one", () =>
    inShop(async (shop) => {
      const error = "Found 3 matches of the string to replace, but replace_all is false.";
      shop.write("b.ts", "log(1);\nconst a = 1;\n}\n\nlog(1);\nconst b = 2;\n\nlog(1);\n\n");
      expect(await shop.edit("b.ts", "log(1);", error)).toContain(
        "| 1: before const a = 1;\n| 5: before const b = 2;\n| 8: between blank lines\n",
      );
      shop.write("c.ts", "log(1);\n\n}\nlog(1);\nlast();\n}\nlog(1);\nend();\n");
      expect(await shop.edit("c.ts", "log(1);", error)).toContain(
        "| 1: the first line of the file\n| 4: before last();\n| 7: before end();\n",
      );
    }));

  it("keeps secrets out of the lines it shows", () =>
    inShop(async (shop) => {
      const token = `ghp_${"a1B2c3D4e5".repeat(3)}f6G7h8`;
      shop.write("a.ts", `const client = connect();\nclient.login("${token}");\nclient.run();\n`);
      const said = await shop.edit("a.ts", `const client = connect();\nclient.login(token);\nclient.run();`);
      expect(said).toContain("a.ts lines 1-3");
      expect(said).not.toContain(token);
      expect(JSON.stringify(await listAnswers(shop.mind.db, 9))).not.toContain(token);
    }));

  it("lists the scripts there are: the same one under another name first, the rest as in the file", () =>
    inShop(async (shop) => {
      shop.write("package.json", JSON.stringify({ scripts: { build: "b", "test:unit": "t", lint: "l" } }));
      shop.write("Makefile", "VERSION := 1\nall: build\n\nrelease-notes:\n\techo\n");
      expect(await shop.run("npm run test-unit", 'npm error Missing script: "test-unit"')).toContain(
        "| test:unit, build, lint\n",
      );
      expect(await shop.run("npm run lnit", 'npm error Missing script: "lnit"')).toContain(
        "| lint, build, test:unit\n",
      );
      expect(await shop.run("npm run build:eu", 'npm error Missing script: "build:eu"')).toContain(
        "| build, test:unit, lint\n",
      );
      expect(await shop.run("make release-note", "make: *** No rule to make target 'release-note'.  Stop.")).toContain(
        "| all, release-notes\n",
      );
    }));

  it.each([
    ["pnpm --filter @m/web typecheck", "pnpm-workspace.yaml", "packages:\n  - 'apps/*'\n"],
    ["pnpm -F web typecheck", "pnpm-workspace.yaml", 'packages: ["apps/*"]\n'],
    ["npm run typecheck -w @m/web", "package.json", '{"workspaces":["apps/*"],"scripts":{"build":"b"}}'],
    ["npm run typecheck --workspace apps/web", "package.json", '{"workspaces":["apps/**"],"scripts":{"build":"b"}}'],
    ["npm run typecheck --workspace=./apps/web", "package.json", '{"workspaces":["apps/web"],"scripts":{"build":"b"}}'],
    [
      "yarn workspace @m/web typecheck",
      "package.json",
      '{"workspaces":{"packages":["apps/*"]},"scripts":{"build":"b"}}',
    ],
  ])("lists the scripts of the package that the command names: %s", (command, file, text) =>
    inShop(async (shop) => {
      shop.write("package.json", '{"scripts":{"build":"b"}}');
      shop.write(file, text);
      shop.write("apps/web/package.json", '{"name":"@m/web","scripts":{"check:types":"t","dev":"d"}}');
      shop.write("apps/api/package.json", '{"name":"@m/api","scripts":{"typecheck":"t"}}');
      expect(await shop.run(command, "Missing script: typecheck")).toContain(
        "scripts in apps/web/package.json, from tool:\n| check:types, dev\n",
      );
    }),
  );

  it("says nothing where the package is not found", () =>
    inShop(async (shop) => {
      shop.write("package.json", '{"workspaces":["apps/*"],"scripts":{"build":"b"}}');
      expect(await shop.run("npm run typecheck -w @m/nowhere", 'npm error Missing script: "typecheck"')).toBe("");
    }));

  it("names the program that is there: of the project, or under a near name", () =>
    inShop(async (shop) => {
      for (const path of ["node_modules/.bin/tsc", ".venv/bin/pytest"]) chmodSync(shop.write(path), 0o755);
      expect(await shop.run("tsc -b", "bash: line 1: tsc: command not found")).toContain("| npx tsc\n");
      expect(await shop.run("pytest -x", "bash: line 1: pytest: command not found")).toContain(
        "pytest is not installed; this program is, from tool:\n| .venv/bin/pytest\n",
      );
      expect(await shop.run("ndoe x", "bash: line 1: ndoe: command not found")).toContain("| node\n");
      expect(await shop.run("gti status", "bash: line 1: gti: command not found")).toContain("| git\n");
      expect(await shop.run("quuxly x", "bash: line 1: quuxly: command not found")).toBe("");
    }));

  it("names no program for its spelling alone if the missing one is a program of its own", () =>
    inShop(async (shop) => {
      for (const name of ["tee", "free", "true", "find", "ls", "jqq", "prettiest"])
        chmodSync(shop.write(`usr/${name}`), 0o755);
      const path = process.env["PATH"];
      process.env["PATH"] = join(shop.root, "usr");
      try {
        const missing = (name: string) => shop.run(`${name} packages`, `bash: line 1: ${name}: command not found`);
        const tree = await missing("tree");
        expect(tree).toContain("| find\n| ls\n");
        expect(tree).not.toMatch(/tee|free|true/);
        expect(await missing("jq")).toBe("");
        expect(await missing("prettier")).toBe("");
        expect(await missing("fnid")).toContain("| find\n");
      } finally {
        process.env["PATH"] = path;
      }
    }));

  it("survives what a disk can hold: a folder of links in a circle, one that cannot be read, a pipe of names, a file as a folder", () =>
    inShop(async (shop) => {
      shop.write("src/parser.ts");
      symlinkSync(shop.root, join(shop.root, "round"));
      mkdirSync(join(shop.root, "locked"), { mode: 0 });
      for (let at = 0; at < 4_000; at++) shop.write(`many/file-${at}.txt`, "");
      expect(await shop.read("src/praser.ts")).toContain("parser.ts");
      expect(await shop.read("round/round/src/praser.ts")).not.toContain("round/round");
      expect(await shop.read("src/parser.ts/inner/parser.ts")).toContain("src/parser.ts");
      expect(await shop.read(`many/${"x".repeat(300)}.txt`)).toBe("");
      expect(await shop.read("a\0b.ts")).toBe("");
      chmodSync(join(shop.root, "locked"), 0o755);
    }));

  it("gives way to a rule that speaks of the same failure, and comes where the rule was said already", () =>
    inShop(async (shop) => {
      shop.write("docs/guide.md");
      const matcher = { tool: "shell", head: "cat" };
      await put(
        shop.mind.db,
        ruleNoun,
        aRule("r_1", { text: "Use less.", status: "approved", level: "nudge", matcher, origin: "owner" }),
      );
      const error = "cat: docs/giude.md: No such file or directory";
      const first = await shop.run("cat docs/giude.md", error);
      expect(first).toContain("Use less.");
      expect(first).not.toContain("guide.md");
      expect(await shop.run("cat docs/giude.md", error)).toContain("| docs/guide.md\n");
    }));

  it("comes before a rule that only warns, and no rule about another call of the same error takes its place", () =>
    inShop(async (shop) => {
      shop.write("docs/guide.md");
      const error = "cat: docs/giude.md: No such file or directory";
      await shop.run("cat docs/giude.md", error);
      await digest(shop.mind.db);
      const row = await shop.mind.db.get<{ signature: string }>(
        "select signature from events where signature is not null",
      );
      const rule = { status: "approved", level: "nudge", origin: "tool", signature: row?.signature ?? "" } as const;
      const other = { ...rule, text: "Use `less` here: no `cat`.", matcher: { tool: "shell", command: "cat x" } };
      await put(shop.mind.db, ruleNoun, aRule("r_1", other));
      const warns = { ...rule, text: "Do not run `cat`.", matcher: { tool: "shell", head: "cat" } };
      await put(shop.mind.db, ruleNoun, aRule("r_2", warns));
      const said = await shop.run("cat docs/giude.md", error);
      expect(said).toContain("| docs/guide.md\n");
      expect(said).not.toMatch(/less|Do not run/);
    }));

  it("is counted as used where one of the next eight calls names what was offered", () =>
    inShop(async (shop) => {
      const right = shop.write("src/parser.ts");
      await shop.read("src/praser.ts", "follows");
      await shop.work("Read", { file_path: right }, "x", { session: "follows" });
      await shop.read("src/praser.ts", "ignores");
      await shop.work("Read", { file_path: `${right}x` }, "x", { session: "ignores" });
      await shop.read("src/praser.ts", "late");
      for (let at = 0; at < 8; at++) await shop.work("Bash", { command: `echo ${at}` }, "x", { session: "late" });
      await shop.work("Read", { file_path: right }, "x", { session: "late" });
      expect(await countAnswerUses(shop.mind.db)).toEqual({
        shown: { answers: 3, used: 1 },
        without: { answers: 0, used: 0 },
        causes: [{ cause: "missing-path", answers: 3, used: 1 }],
      });
    }));

  it("is kept back from the control group, and counted there all the same", () =>
    inShop(async (shop) => {
      const right = shop.write("src/parser.ts");
      const trial = { id: "answers", level: "advise", origin: "tool" } as const;
      const names = Array.from({ length: 60 }, (_, at) => `s${at}`);
      const held = names.filter((name) => isInControlGroup(trial, name, defaultPolicy.distil));
      expect(held.length).toBeGreaterThan(0);
      for (const session of names) {
        expect((await shop.read("src/praser.ts", session)) === "").toBe(held.includes(session));
        await shop.work("Read", { file_path: right }, "x", { session });
      }
      const { shown, without } = await countAnswerUses(shop.mind.db);
      expect(shown).toEqual({ answers: 60 - held.length, used: 60 - held.length });
      expect(without).toEqual({ answers: held.length, used: held.length });
    }, {}));

  it("is turned off by a setting", () =>
    inShop(
      async (shop) => {
        shop.write("src/parser.ts");
        expect(await shop.read("src/praser.ts")).toBe("");
        expect(await listAnswers(shop.mind.db, 9)).toEqual([]);
      },
      { recall: { answerFailures: false } },
    ));

  it("is forgotten with its session", () =>
    inShop(async (shop) => {
      shop.write("src/parser.ts");
      for (const session of ["s1", "s2"]) await shop.read("src/praser.ts", session);
      await digest(shop.mind.db);
      await purgeEvents(shop.mind.db, { session: { host: "claude-code", id: "s1" } }, byOwner(NOW));
      expect((await listAnswers(shop.mind.db, 9)).map((one) => one.session)).toEqual(["s2"]);
    }));
});

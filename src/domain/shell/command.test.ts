import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseCommands, isShellTool, findMainCommand, findScriptCommand } from "./command.ts";
import { findShellText } from "./shell-text.ts";

const head = (shell: string): string | undefined => findMainCommand(shell)?.head;

describe("the head of a command", () => {
  it.each([
    ["git push --force origin main", "git push"],
    ["git -C sub -c a.b=c push", "git push"],
    ["git stash pop", "git stash pop"],
    ["npm test", "npm test"],
    ["npm run build -- --watch", "npm run build"],
    ["pnpm --filter web run test:unit", "pnpm --filter web run test:unit"],
    ["pnpm -F web test:unit --watch", "pnpm --filter web test:unit"],
    ["pnpm -C app --filter=@a/web test", "pnpm --filter @a/web test"],
    ["pnpm test --filter x", "pnpm test"],
    ["pnpm --filter web add left-pad", "pnpm add"],
    ["npm run lint -w @a/web", "npm run lint -w @a/web"],
    ["npm --workspace=apps/web run lint -- --fix", "npm run lint -w apps/web"],
    ["npm test --workspaces", "npm test --workspaces"],
    ["npm install -w web left-pad", "npm install"],
    ["yarn workspace @a/web typecheck", "yarn workspace @a/web typecheck"],
    ["yarn workspace web run typecheck", "yarn workspace web run typecheck"],
    ["bun --filter web dev", "bun --filter web dev"],
    ["pnpm exec tsc -p .", "pnpm exec tsc"],
    ["npx vitest run", "npx vitest"],
    ["npx -y @scope/tool init", "npx @scope/tool"],
    ["bun scripts/publish.ts", "bun"],
    ["python3 -m pytest -q tests", "python3 -m pytest"],
    ["python manage.py migrate app", "python manage.py migrate"],
    ["/usr/bin/python3 script.py", "python3"],
    ["go test ./... -run X", "go test"],
    ["cargo +nightly clippy -- -D warnings", "cargo clippy"],
    ["docker compose -f x.yml up -d", "docker compose up"],
    ["gh pr view 3 --json title", "gh pr view"],
    ["gh api repos/a/b/pulls", "gh api"],
    ["make -C sub test", "make test"],
    ["uv run pytest -x", "uv run pytest"],
    ["rg -n foo src", "rg"],
    ["command -v yq", "command -v"],
    ["unheardof deploy prod", "unheardof deploy"],
    ["bundle --out x", "bundle"],
    ["bundle --verbose install", "bundle install"],
    ["bundle --jobs=4 install", "bundle install"],
    ["./scripts/run.sh setup", "run.sh setup"],
    ["tools/stock.py count --site x", "stock.py count"],
    ["tools/stock.py --site x count", "stock.py"],
    ["./scripts/run.sh 3", "run.sh"],
    ["./scripts/run.sh data/in.csv", "run.sh"],
    ["./scripts/run.sh Main", "run.sh"],
    ["bin/test sympy/core", "bin/test"],
  ])("of `%s` is `%s`", (shell, expected) => {
    expect(head(shell)).toBe(expected);
  });
});

describe("wrappers", () => {
  it.each([
    ["cd x && FOO=1 npm test", "npm test"],
    ["env A=b -u C node x.js", "node"],
    ["sudo -u me timeout 30 nice -n 5 python3 x.py", "python3"],
    ["nohup time make build &", "make build"],
    ['bash -lc "cd x && npm run build"', "npm run build"],
    [`sh -c 'exec cargo run'`, "cargo run"],
    ["set -e; source venv/bin/activate && pytest -q", "pytest"],
    ["export X=1; command git status", "git status"],
    ["bash <<'EOF'\ngo vet ./...\nEOF", "go vet"],
    ["find . -name '*.ts' | xargs -n 1 grep foo", "find"],
  ])("are seen through in `%s`", (shell, expected) => {
    expect(head(shell)).toBe(expected);
  });

  it("are remembered, so that a deliberate timeout can be told", () => {
    expect(findMainCommand("sudo timeout 5 npm run dev")?.wrappers).toEqual(["sudo", "timeout"]);
  });

  it("that run nothing are commands themselves", () => {
    expect(head("env")).toBe("env");
    expect(head("time")).toBe("time");
  });
});

describe("mainCommand", () => {
  it.each([
    ["npm ci && npm test", "npm test"],
    ["go test ./... 2>&1 | tail -20", "go test"],
    ["echo start; npm test || echo failed", "npm test"],
    ["echo '{}' | jq .", "jq"],
    ["git add . && git commit -m x && git status", "git commit"],
    ["cat > x.py <<'EOF'\nprint(1)\nEOF\npython x.py", "python"],
    ["npm test; sleep 2; true", "npm test"],
    ["cd x && ls", "ls"],
    ["cd x", "cd"],
    ["echo hi", "echo"],
  ])("of `%s` is `%s`", (shell, expected) => {
    expect(head(shell)).toBe(expected);
  });

  it("is null where there is no command", () => {
    expect(findMainCommand("")).toBeNull();
    expect(findMainCommand("# nothing")).toBeNull();
  });
});

describe("commandsOf", () => {
  it("gives flags without values, sorted and once, and the operands", () => {
    const [command] = parseCommands("git commit --amend -m 'a b' --author=me --amend -- -x");
    expect(command).toMatchObject({
      head: "git commit",
      flags: ["--amend", "--author", "-m"],
      args: ["a b", "-x"],
    });
  });

  it("follows cd", () => {
    expect(parseCommands("cd /a && cd b && make; cd ../c; ls").map((command) => command.cwd)).toEqual([
      null,
      "/a",
      "/a/b",
      "/a/b",
      "/a/b/../c",
    ]);
    expect(findMainCommand("cd /a && git -C sub push")?.cwd).toBe("/a/sub");
  });

  it("gives the text with white space normalised and without here-documents", () => {
    expect(parseCommands("cat   <<EOF  >  f\nbody\nEOF")[0]?.text).toBe("cat <<EOF >f");
  });

  it("never throws and never loses the program, whatever the text", () => {
    fc.assert(
      fc.property(fc.string(), (text) =>
        parseCommands(text).every((command) => command.head.startsWith(command.program)),
      ),
    );
  });
});

describe("the shell text of a call", () => {
  it("is found under the names hosts give it", () => {
    expect(findShellText({ command: "ls" })).toBe("ls");
    expect(findShellText({ cmd: "ls" })).toBe("ls");
    expect(findShellText({ commands: ["ls", "pwd"] })).toBe("ls\npwd");
    expect(findMainCommand(findShellText({ command: ["bash", "-lc", "cd a && npm test 'it''s'"] }) ?? "")?.head).toBe(
      "npm test",
    );
    expect(findShellText({ file_path: "x" })).toBeNull();
  });

  it("belongs to the shell tools of all hosts", () => {
    for (const tool of ["Bash", "bash", "shell", "exec_command", "run_shell_command", "Execute", "run_commands"])
      expect(isShellTool(tool)).toBe(true);
    for (const tool of ["Edit", "Read", "apply_patch", "mcp__x__shell_info"]) expect(isShellTool(tool)).toBe(false);
  });
});

describe("a script that an interpreter is handed", () => {
  const script = (shell: string) => {
    const command = findMainCommand(shell);
    return command === null ? null : findScriptCommand(command);
  };

  it.each([
    "python3 tools/migrate.py up --target 4",
    "python3.12 -u -W ignore ./tools/migrate.py up --target 4",
    "env X=1 python tools/migrate.py up --target 4",
    "uv run python tools/migrate.py up --target 4",
    "uv run tools/migrate.py up --target 4",
    "pypy3 -- tools/migrate.py up --target 4",
  ])("is told with what it is given in `%s`", (shell) => {
    expect(script(shell)).toMatchObject({
      head: "migrate.py up",
      flags: ["--target"],
      args: ["4"],
    });
    expect(findMainCommand(shell)?.flags).not.toContain("--target");
  });

  it.each([
    ["node --no-warnings scripts/seed.mjs --wipe", "seed.mjs"],
    ["bun run scripts/seed.ts --wipe", "seed.ts"],
    ["deno run -A scripts/seed.ts --wipe", "seed.ts"],
    ["npx tsx scripts/seed.ts --wipe", "seed.ts"],
    ["bash -euo pipefail bin/deploy prod --live", "deploy prod"],
    ["ruby -I lib bin/run.rb x", "run.rb"],
  ])("has in `%s` the head `%s`", (shell, expected) => {
    expect(script(shell)?.head).toBe(expected);
  });

  it.each([
    "python3 -m pytest -x",
    "python3 -c 'print(1)' x",
    "python3 - x <<EOF\nEOF",
    "python manage.py migrate --fake",
    "python3 reproduce.py",
    "node -e 'x' y",
    "bun run test --watch",
    "php artisan migrate --seed",
    "./tools/migrate.py up",
    "git push --force",
  ])("is not there in `%s`", (shell) => {
    expect(script(shell)).toBeNull();
  });
});

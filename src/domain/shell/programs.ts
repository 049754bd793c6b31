/** Data about programs by name, read by command.ts. */

/** Programs whose first word is a subcommand, with the subcommands that are followed by another one. */
export const subcommands: ReadonlyMap<string, ReadonlySet<string> | "all" | "none"> = new Map<
  string,
  ReadonlySet<string> | "all" | "none"
>([
  [
    "git",
    new Set([
      "stash",
      "worktree",
      "remote",
      "submodule",
      "bisect",
      "notes",
      "lfs",
      "reflog",
      "sparse-checkout",
      "bundle",
    ]),
  ],
  ["gh", "all"],
  ["glab", "all"],
  ["npm", new Set(["run", "run-script", "exec", "config", "cache", "pkg"])],
  ["pnpm", new Set(["run", "exec", "dlx", "store", "config"])],
  ["yarn", new Set(["run", "exec", "dlx", "workspace", "workspaces"])],
  ["bun", new Set(["run", "x", "pm"])],
  ["deno", new Set(["task"])],
  ["npx", "none"],
  ["bunx", "none"],
  ["uvx", "none"],
  ["pipx", new Set(["run"])],
  ["uv", new Set(["run", "pip", "tool", "python", "cache"])],
  ["poetry", new Set(["run", "env", "config", "self"])],
  ["pdm", new Set(["run"])],
  ["hatch", new Set(["run", "env"])],
  ["rye", new Set(["run"])],
  ["pipenv", new Set(["run"])],
  ["conda", new Set(["run", "env", "config"])],
  ["mamba", new Set(["run", "env"])],
  ["bundle", new Set(["exec"])],
  ["mise", new Set(["run", "exec", "tasks"])],
  ["asdf", new Set(["plugin"])],
  ["go", new Set(["mod", "work", "tool"])],
  ["docker", new Set(["compose", "container", "image", "volume", "network", "buildx", "system", "context", "builder"])],
  ["podman", new Set(["compose", "container", "image", "volume", "network", "machine"])],
  ["docker-compose", "none"],
  ["kubectl", new Set(["rollout", "config", "create"])],
  ["helm", new Set(["repo", "dependency"])],
  ["aws", "all"],
  ["gcloud", "all"],
  ["az", "all"],
  ["terraform", new Set(["state", "workspace"])],
  ["tofu", new Set(["state", "workspace"])],
  ["cargo", new Set(["nextest"])],
  ["rustup", new Set(["toolchain", "component", "target"])],
  ["dotnet", new Set(["tool", "ef", "nuget"])],
  ["php", "none"],
  ["turbo", new Set(["run"])],
  ["nx", new Set(["run"])],
  ["prisma", new Set(["migrate", "db"])],
  ["supabase", new Set(["db", "functions", "migration", "gen"])],
  ["wrangler", new Set(["d1", "kv", "r2", "pages", "secret"])],
  ["firebase", "none"],
  ["xcrun", new Set(["simctl"])],
  ["ip", "none"],
  ["make", "none"],
  ["just", "none"],
  ["task", "none"],
  ["rake", "none"],
  ["gradle", "none"],
  ["gradlew", "none"],
  ["mvn", "none"],
  ["mvnw", "none"],
  ["nox", "none"],
]);

/** Programs that never have a subcommand. For a program in neither table, the form of its first word decides. */
export const plainPrograms: ReadonlySet<string> = new Set(
  (
    "ls cat head tail less more tac nl wc sort uniq cut paste tr tee rev fold column comm join split shuf seq yes " +
    "cp mv rm mkdir rmdir ln touch chmod chown chgrp stat file du df dd install readlink realpath basename dirname mktemp tree " +
    "find fd fdfind locate grep egrep fgrep zgrep rg ag ack diff cmp patch sdiff colordiff delta test [ [[ (( expr true false : " +
    "echo printf read cd pushd popd pwd export unset set shopt source . eval exec exit return trap wait sleep alias unalias type which whereis " +
    "command hash declare local readonly typeset let ulimit umask jobs fg bg disown kill pkill pgrep killall ps top htop lsof fuser " +
    "sed awk gawk mawk perl ruby node nodejs python python2 python3 pypy pypy3 ipython lua tclsh Rscript julia ghci irb deno-run java javac kotlinc scala " +
    "gcc g++ cc c++ clang clang++ ld ar nm objdump strip cmake ninja meson rustc swiftc tsc tsx ts-node esbuild swc babel rollup webpack " +
    "pytest py.test tox unittest jest vitest mocha ava tap rspec phpunit ctest bats karma cypress eslint oxlint prettier biome-lint stylelint tslint " +
    "ruff-check flake8 pylint mypy pyright black isort autopep8 bandit shellcheck hadolint golangci-run gofmt goimports gofumpt staticcheck clang-format clang-tidy rubocop " +
    "tar gzip gunzip zip unzip bzip2 xz zcat zstd curl wget http httpie ssh scp sftp rsync nc ncat telnet ping dig nslookup host traceroute openssl ssh-keygen base64 md5 md5sum shasum sha1sum sha256sum xxd od hexdump strings " +
    "jq yq xq xmllint sqlite3 psql mysql mongosh mongo redis-cli pg_dump pg_restore createdb dropdb " +
    "date cal whoami id groups hostname uname uptime free env printenv man info help clear history bc dc factor " +
    "bash sh zsh dash fish ksh su login xargs parallel watch timeout nice nohup time script open xdg-open pbcopy pbpaste say osascript defaults code vim vi nano emacs " +
    "convert magick identify ffmpeg ffprobe pandoc pdftotext dot getconf ldd nproc lscpu dmesg mount umount sync " +
    "crontab at batch logger tput stty reset sphinx-build django-admin"
  ).split(" "),
);

/** Flags with a value that come before the subcommand: `git -C dir push`. */
export const valueFlags: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["git", new Set(["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"])],
  ["npm", new Set(["--prefix", "-w", "--workspace", "-C"])],
  ["pnpm", new Set(["--filter", "-F", "-C", "--dir", "--filter-prod"])],
  ["yarn", new Set(["--cwd"])],
  ["bun", new Set(["--cwd", "--filter", "-F", "--env-file"])],
  ["npx", new Set(["-p", "--package", "-w", "--workspace"])],
  ["bunx", new Set(["-p", "--package"])],
  [
    "docker",
    new Set([
      "-H",
      "--host",
      "--context",
      "-c",
      "--config",
      "-l",
      "--log-level",
      "-f",
      "--file",
      "-p",
      "--project-name",
      "--profile",
      "--env-file",
      "--project-directory",
    ]),
  ],
  ["kubectl", new Set(["-n", "--namespace", "--context", "--kubeconfig"])],
  ["helm", new Set(["-n", "--namespace", "--kube-context"])],
  ["gh", new Set(["-R", "--repo"])],
  ["aws", new Set(["--profile", "--region", "--output", "--endpoint-url"])],
  ["make", new Set(["-C", "-f", "--directory", "--file", "-I"])],
  [
    "uv",
    new Set([
      "--with",
      "--python",
      "-p",
      "--extra",
      "--group",
      "--directory",
      "--project",
      "--env-file",
      "--index-url",
      "--with-requirements",
    ]),
  ],
  ["uvx", new Set(["--from", "--with", "--python", "-p"])],
  ["poetry", new Set(["-C", "--directory", "-P", "--project"])],
  ["conda", new Set(["-n", "--name", "-p", "--prefix"])],
  ["mvn", new Set(["-f", "--file", "-pl", "--projects", "-P"])],
  ["gradle", new Set(["-p", "--project-dir", "-b"])],
  ["cargo", new Set(["--manifest-path", "--config", "-Z", "-C"])],
  ["go", new Set(["-C"])],
  ["terraform", new Set([])],
  ["systemctl", new Set(["-H", "-M"])],
  ["tmux", new Set(["-L", "-S", "-f"])],
]);

/** Programs that run another program: their flags that take a value, and how many operands come first. */
export const wrappers: ReadonlyMap<string, { readonly values: ReadonlySet<string>; readonly operands: number }> =
  new Map([
    ["sudo", { values: new Set(["-u", "-g", "-h", "-p", "-C", "-D", "--user", "--group"]), operands: 0 }],
    ["doas", { values: new Set(["-u", "-C"]), operands: 0 }],
    ["env", { values: new Set(["-u", "--unset", "-C", "--chdir"]), operands: 0 }],
    ["timeout", { values: new Set(["-k", "--kill-after", "-s", "--signal"]), operands: 1 }],
    ["gtimeout", { values: new Set(["-k", "--kill-after", "-s", "--signal"]), operands: 1 }],
    ["nice", { values: new Set(["-n", "--adjustment"]), operands: 0 }],
    ["ionice", { values: new Set(["-c", "-n", "-p"]), operands: 0 }],
    ["nohup", { values: new Set<string>(), operands: 0 }],
    ["setsid", { values: new Set<string>(), operands: 0 }],
    ["time", { values: new Set(["-f", "-o"]), operands: 0 }],
    ["stdbuf", { values: new Set(["-i", "-o", "-e"]), operands: 0 }],
    ["unbuffer", { values: new Set<string>(), operands: 0 }],
    ["caffeinate", { values: new Set(["-t", "-w"]), operands: 0 }],
    ["command", { values: new Set<string>(), operands: 0 }],
    ["builtin", { values: new Set<string>(), operands: 0 }],
    ["exec", { values: new Set(["-a"]), operands: 0 }],
    [
      "xargs",
      {
        values: new Set([
          "-I",
          "-n",
          "-P",
          "-L",
          "-d",
          "-a",
          "-s",
          "-E",
          "--max-args",
          "--max-procs",
          "--replace",
          "--delimiter",
          "--arg-file",
        ]),
        operands: 0,
      },
    ],
    ["xvfb-run", { values: new Set(["-s", "-n", "--server-args"]), operands: 0 }],
    ["watch", { values: new Set(["-n", "--interval"]), operands: 0 }],
    ["arch", { values: new Set<string>(), operands: 0 }],
  ]);

export const shells: ReadonlySet<string> = new Set(["bash", "sh", "zsh", "dash", "ksh", "fish"]);

/** A program that runs the script it is given. */
export interface Interpreter {
  /** Its own flags that take a value. */
  readonly values: ReadonlySet<string>;
  /** A flag that contains the code itself or runs nothing: the next word is not a script. */
  readonly code: RegExp;
  /** The subcommand that must come before the script. */
  readonly verb?: string;
}

export function interpreterOf(program: string): Interpreter | null {
  return interpreters.get(program) ?? interpreters.get(program.replace(/(?<=[a-z])[\d.]+$/, "")) ?? null;
}

const interpreters: ReadonlyMap<string, Interpreter> = new Map<string, Interpreter>([
  ...[...shells].map((shell) => [shell, interpreter("-o -O +o +O --rcfile --init-file", /^-[A-Za-z]*[cs]/)] as const),
  ["python", interpreter("-W -X", /^-[bBdEhiIOPqRsSuvVx?]*[cm]/)],
  ["pypy", interpreter("-W -X", /^-[bBdEhiIOPqRsSuvVx?]*[cm]/)],
  ...["node", "nodejs", "tsx", "ts-node"].map(
    (name) =>
      [
        name,
        interpreter(
          "-r --require --import --loader --experimental-loader -C --conditions --env-file --tsconfig -P --project -O",
          /^(?:-e|-p|-pe|-c|-i|--eval|--print|--check|--interactive|--test|--run)(?:=|$)/,
        ),
      ] as const,
  ),
  ["bun", interpreter("--cwd --env-file -r --preload --config -c", /^(?:-e|-p|--eval|--print)(?:=|$)/, "run")],
  ["deno", interpreter("--config -c --import-map --lock --cert --env-file", /^(?:-e|--eval)$/, "run")],
  ["ruby", interpreter("-I -r -C -E", /^-[a-z]*e/)],
  ["perl", interpreter("-I", /^-(?![IMm])[a-zA-Z0-9]*[eE]|^-c$/)],
  ["php", interpreter("-d -c -z", /^(?:-[rBRlSa]|--run|--syntax-check|--server)/)],
  ["lua", interpreter("-l", /^-e/)],
  ["julia", interpreter("-p -t -L -J -C", /^-[eE]|^--(?:eval|print)/)],
  ["Rscript", interpreter("", /^-e$/)],
]);

function interpreter(values: string, code: RegExp, verb?: string): Interpreter {
  return { values: new Set(values.split(" ")), code, ...(verb === undefined ? {} : { verb }) };
}

/** Commands that prepare, print or wait: a call is rarely about them. */
export const trivialPrograms: ReadonlySet<string> = new Set(
  "echo printf true : cd pushd popd pwd export unset set shopt source . sleep wait exit alias umask trap read local declare readonly clear date".split(
    " ",
  ),
);

/** True if a word is a script file, by its extension. */
export function isScript(word: string): boolean {
  return /\.(?:sh|bash|py|js|mjs|cjs|ts|rb|pl|php)$/.test(word);
}

/** Commands that inspect a result: a call is about them only if it does nothing else. */
export const inspectionHeads: ReadonlySet<string> = new Set([
  "git status",
  "git log",
  "ls",
  "pwd",
  "wc",
  "git branch",
  "tree",
  "du",
]);

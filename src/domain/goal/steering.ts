import { basename } from "node:path/posix";
import { parseEveryCommand } from "../shell/every-command.ts";
import { isScript } from "../shell/programs.ts";
import { findScriptIndex } from "../shell/started-commands.ts";

/** Folders of programs that a project uses. A check sees those of the goal's folder, unless they are part of the repository. */
export const dependencyFolders: ReadonlySet<string> = new Set(["node_modules", ".venv", "venv", "vendor"]);

/** True for a test, and for what tests read. */
export function isTestPath(path: string): boolean {
  const [name, folders] = [basename(path), path.split("/").slice(0, -1)];
  return folders.some((one) => testFolders.has(one.toLowerCase())) || testNames.test(name);
}

const testFolders: ReadonlySet<string> = new Set(
  "test tests __tests__ spec specs e2e testdata fixtures __fixtures__ __snapshots__ __mocks__".split(" "),
);

const testNames =
  /(?:^|[._-])(?:test|spec)s?\.[^/]+$|^(?:test|spec)s?$|^test_.*\.py$|_test\.(?:py|go|rb|exs)$|_spec\.rb$|(?:Test|Tests|Spec)\.(?:java|kt|cs|php|scala)$|\.snap$/;

/**
 * True for what decides which tests run, how, and with which programs: settings of test runners, build tools and package
 * managers, what a language loads by itself, and compiled files that run in place of their source.
 */
export function isToolPath(path: string): boolean {
  const name = basename(path);
  const folders = path.split("/").slice(0, -1);
  return (
    folders.some((one) => dependencyFolders.has(one) || toolFolders.has(one)) ||
    toolNames.has(name.toLowerCase()) ||
    pythonModules.test(path) ||
    toolPatterns.test(name)
  );
}

const toolFolders: ReadonlySet<string> = new Set(["__pycache__", ".cargo", ".mvn", ".bundle", ".yarn", ".husky"]);

const toolNames: ReadonlySet<string> = new Set(
  (
    "package.json .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs pnpm-workspace.yaml nx.json lerna.json turbo.json bunfig.toml " +
    "pytest.ini .pytest.ini tox.ini setup.cfg setup.py pyproject.toml conftest.py noxfile.py .coveragerc pytest.py unittest.py " +
    "sitecustomize.py usercustomize.py manage.py makefile gnumakefile justfile .justfile rakefile .rspec gemfile cmakelists.txt " +
    "meson.build pom.xml go.mod go.work cargo.toml build.rs mix.exs composer.json .tool-versions .nvmrc .node-version " +
    ".python-version .ruby-version .envrc .profile .bashrc .bash_profile .zshrc .zshenv .gitattributes .gitmodules .gitconfig"
  ).split(" "),
);

/** At the top of a project, Python takes these in place of its own. */
const pythonModules =
  /^(?:_?pytest|pluggy|unittest|doctest|nose|abc|argparse|ast|asyncio|builtins|collections|contextlib|copy|dataclasses|difflib|enum|errno|fnmatch|functools|importlib|inspect|io|itertools|json|linecache|logging|math|operator|os|pathlib|platform|pprint|random|re|shutil|signal|site|stat|string|subprocess|sys|tempfile|textwrap|threading|time|tokenize|traceback|types|typing|warnings|weakref)(?:\.py|\/.*\.py)$/;

const toolPatterns =
  /^\.env(?:\..*)?$|\.mk$|\.py[co]$|^\.?(?:mocha|jest|vitest|vite|karma|playwright|cypress|ava|tap|babel|nyc|c8|swc|tsup|esbuild|webpack|rollup|eslint|jasmine|phpunit|taskfile|deno|ts-?node)(?:rc(?:\.|$)|\.(?:config|workspace|setup|projects?)\.|[^/]*\.(?:jsonc?|ya?ml|toml|xml|dist)$|-setup)|^tsconfig.*\.json$|^(?:build|settings)\.gradle(?:\.kts)?$|^gradle\.properties$|^rust-toolchain/i;

/** The files that a command runs: programs by path, and scripts that an interpreter is given. Relative to where it runs. */
export function listRunFiles(command: string): readonly string[] {
  return listRunFilesFrom("", command);
}

/** The same for a command that runs in this folder: relative to what the folder is relative to. */
export function listRunFilesFrom(folder: string, command: string): readonly string[] {
  const found = parseEveryCommand(command).flatMap(({ program, words, redirects, cwd }) => {
    const [first = ""] = words;
    const at = findScriptIndex(program, words);
    const module = /^python[\d.]*$/.test(program) && words[1] === "-m" ? (words[2] ?? "").replaceAll(".", "/") : "";
    const script = [
      ...(first.includes("/") || isScript(first) ? [first] : []),
      ...(at > 0 ? [words[at] ?? ""] : []),
      ...(testRunners.has(program) || words.includes("--test")
        ? words.slice(1).filter((one) => isScript(one) && !one.startsWith("-"))
        : []),
      ...(program === "." || program === "source" ? words.slice(1, 2) : []),
      ...(program === "make" ? words.filter((_word, index) => words[index - 1] === "-f") : []),
      ...(module === "" ? [] : [`${module}.py`, `${module}/__main__.py`]),
      ...words.flatMap((word, index) => listLoaded(word, words[index + 1] ?? "")),
      ...redirects.filter(({ kind }) => kind === "<").map(({ target }) => target),
    ];
    const start = cwd?.startsWith("/") === true ? [cwd] : [folder, cwd ?? ""];
    return script.map((one) => (one.startsWith("/") ? one : [...start, one].filter((part) => part !== "").join("/")));
  });
  return [...new Set(found.map(normalise).filter((one) => one !== null))];
}

const testRunners: ReadonlySet<string> = new Set(
  "pytest py.test vitest jest mocha ava tap jasmine rspec phpunit".split(" "),
);

/** `--require ./setup.js`, `--config=tools/jest.js`, `-r ./setup.js`: what a runner loads before the tests, and its settings. */
function listLoaded(word: string, next: string): readonly string[] {
  const [, name = "", value = null] = /^--?([\w-]+)(?:=(.*))?$/.exec(word) ?? [];
  if (!loading.has(name)) return [];
  const loaded = value ?? next;
  return loaded.includes("/") || isScript(loaded) ? [loaded] : [];
}

const loading: ReadonlySet<string> = new Set(
  "r require import loader experimental-loader preload c config setup-files setupFiles setupFilesAfterEnv globalSetup rcfile test-reporter reporter".split(
    " ",
  ),
);

/** The files of a project that its settings let a test runner load: `setupFiles: ["./src/setup.ts"]`. */
export function listSetups(text: string): readonly string[] {
  const found = [...text.matchAll(setupKeys)].flatMap(([, values = ""]) => [
    ...values.matchAll(/["'`]([^"'`]+)["'`]/g),
  ]);
  return found.flatMap(([, name = ""]) => normalise(name.replace(/^<rootDir>\//, "")) ?? []);
}

const setupKeys =
  /(?:setupFiles|setupFilesAfterEnv|globalSetup|globalTeardown|require|import|preload|testEnvironment|environment|runner|reporters?|resolver|transform)["']?\s*[:=]\s*(\[[^\]]*\]|\{[^}]*\}|["'`][^"'`\n]*["'`])/g;

/** As git writes it; null if it leads out of the folder. */
function normalise(path: string): string | null {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") {
      if (parts.pop() === undefined) return null;
    } else if (part !== "." && part !== "") parts.push(part);
  }
  return path.startsWith("/") || /[$`*]/.test(path) || parts.length === 0 ? null : parts.join("/");
}

/** True for a link to what is not in the repository, or to git's own files. */
export function leadsOut(link: string, target: string): boolean {
  if (/^(?:[/\\]|[a-z]:)/i.test(target)) return true;
  const parts = link.split("/").slice(0, -1);
  for (const part of target.split("/")) {
    if (part === ".." && parts.pop() === undefined) return true;
    if (part !== ".." && part !== "." && part !== "") parts.push(part);
  }
  return parts[0] === ".git";
}

/** The commands in a file of a project: scripts of package.json, recipes of a Makefile, a shell script. */
export function listCommandsIn(path: string, text: string): readonly string[] {
  if (basename(path) === "package.json")
    return [...text.matchAll(/"[\w:.-]+"\s*:\s*"((?:[^"\\]|\\.)*)"/g)].map(readScript);
  if (/^(?:gnu)?makefile$|\.mk$/i.test(basename(path)))
    return text
      .split("\n")
      .filter((line) => line.startsWith("\t"))
      .map((line) => line.replace(/^\t[@+-]*/, ""));
  return /\.(?:ba|z)?sh$/.test(path) || /^#!.*\b(?:ba|z|da|k)?sh\b/.test(text) ? text.split("\n") : [];
}

function readScript([, text = ""]: RegExpMatchArray): string {
  return text.replaceAll(String.raw`\"`, '"').replaceAll(String.raw`\\`, "\\");
}

/**
 * Lines that a change adds and that end a program as if all were well, or print what looks like the summary of a test run. A check
 * that only sees the end and the output of a program cannot tell these from success.
 */
export function findPretence(added: readonly string[]): string | null {
  return added.find((line) => pretences.some((one) => one.test(line)))?.trim() ?? null;
}

const pretences: readonly RegExp[] = [
  /\bprocess\s*(?:\?\.|\.|\[\s*["'`])\s*(?:reallyExit|exit)\b(?!\s*\(\s*[1-9])|\bexitCode\s*=\s*0\b|\bprocess\.(?:abort|kill)\b/,
  /\bos\._exit\b|\bsys\.exit\s*\(\s*(?:0|None)?\s*\)|\b(?:raise\s+)?SystemExit\b|(?<![\w.])(?:exit|quit)\s*\(\s*0?\s*\)|\bpytest\.(?:exit|skip)\b|\bunittest\.skip|\bos\.kill\b/,
  /\bos\.Exit\(\s*0\s*\)|\bprocess::exit\(\s*0\s*\)|\bSystem\.exit\(\s*0\s*\)|\bRuntime\.getRuntime\(\)\.halt/,
  /^\s*exit\s+0\s*;?\s*$|\bexec\s+true\b/,
  /\d+\s+(?:passed|passing)\b|["'`#]\s*#\s+(?:tests|pass)\b|["'`]ok\s+\d|\btest result: ok|["'`]Ran \d+ tests?|--- PASS/,
];

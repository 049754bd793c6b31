import { parseCommands, isShellTool, pickMainCommand } from "../shell/command.ts";
import { splitPackageHead } from "../shell/package-scope.ts";
import { findShellText } from "../shell/shell-text.ts";
import type { ShellCommand } from "../shell/command.ts";
import { unknownOptionTexts } from "./unknown-option-texts.ts";
import { unsetVariableTexts } from "./unset-variable-texts.ts";
import { reportsByExitCode } from "./result-codes.ts";

export interface FailedCallOutput {
  readonly tool: string;
  readonly input: unknown;
  readonly exitCode: number | null;
  /** The tool's output without the host's wrapping. */
  readonly error: string;
}

/**
 * True if a failed call is ordinary work, not a mistake: a search without a match, a failing test, a finding of a
 * linter, type checker or compiler in the code being written. A check that could not start is a mistake.
 */
export function isBenign({ tool, input, exitCode, error: whole }: FailedCallOutput): boolean {
  if (!isShellTool(tool)) return false;
  // Runners print their name first and the summary last; the middle of a long log is not needed.
  const error = whole.length > maxRead ? `${whole.slice(0, maxRead / 2)}\n${whole.slice(-maxRead / 2)}` : whole;
  const commands = parseCommands(findShellText(input) ?? "");
  const last = commands.at(-1) ?? null;
  const byCode = readExitCode(commands, exitCode, error);
  if (byCode !== null) return byCode;
  if (ownTrouble.test(error)) return false;
  if (testsRan.test(error)) return true;
  if (wrongInput.test(error)) return false;
  if (findings.test(error) && !printingPrograms.has(pickMainCommand(commands)?.program ?? "")) return true;
  if (mergeConflict.test(error)) return true;
  if (neverStarted.test(error) || wrongCall.test(error)) return false;
  if (last && reportsByExitCode(last, exitCode)) return !complained.test(error);
  if (last && silencedProbe(last, exitCode)) return !complained.test(error);
  if (commands.some(isTrial) && isTrialResult(error)) return true;
  return (commands.some(isCheck) || echoesCheck(error)) && !complained.test(error);
}

const maxRead = 40_000;

/**
 * The check could not do its work, whatever the code is like: its options changed, its runtime has another version, or
 * its dependencies are missing or do not fit their lock file.
 */
const ownTrouble = anyOf([
  /\b[Oo]ption ["'`]?[\w-]+["'`]? (?:was|has been) (?:replaced by|removed|renamed)/,
  // A compiler numbers these like its findings.
  /\berror TS50(?:23|25): Unknown compiler option\b/,
  /\bUnsupported class file major version \d|\bUnsupportedClassVersionError\b|\binvalid (?:source|target) release: /,
  /^go: (?:updates to go\.(?:mod|work) needed|inconsistent vendoring|\S+ requires go >= )|\bmissing go\.sum entry\b/,
  /\bcannot load such file -- (?![./])|^Could not find (?:gem ["']|\S+ in (?:locally installed gems|any of the sources))|\bBundler::GemNotFound\b/,
  /\block ?file \S* ?needs to be updated but\b|\bcan only install packages when your package\.json and\b/,
  /\berror: no such module ["']XCTest["']|^xcode-select: error: |\bJAVA_HOME is (?:not set|set to an invalid)|\bSDK location not found\b/,
  /\bExecutable doesn't exist at \S|\bJavaScript heap out of memory\b|\bjava\.lang\.OutOfMemoryError: Java heap space\b/,
]);

/** What the call should have given, although the error points to a line of the code. */
const wrongInput = /^[│\s]*Error: No value for required variable/m;

/** The verdict if the exit code alone decides it; null if the text must be read. */
function readExitCode(commands: readonly ShellCommand[], exitCode: number | null, error: string): boolean | null {
  if (/^Command timed out\b/m.test(error.slice(0, 400))) return false;
  switch (exitCode) {
    case 124:
      // A command wrapped in `timeout 5` is expected to time out.
      return commands.some((command) => command.wrappers.some((name) => name.endsWith("timeout")));
    case 126:
    case 127:
    case 137:
    case 143:
      return false;
    case 141:
      // SIGPIPE: `… | head` has read enough.
      return true;
    case 4:
    case 5:
      // pytest: wrong usage, or no test collected.
      return commands.some((command) => /(?:^|[ -])pytest$/.test(command.head)) ? false : null;
    default:
      return null;
  }
}

/** Programs that print existing text: findings in their output are not their own. */
const printingPrograms = new Set(
  "cat head tail less sed awk grep rg ls find curl wget jq gh docker kubectl ssh".split(" "),
);

/** `ls x 2>/dev/null`: silenced stderr means that the failure is expected. */
function silencedProbe(last: ShellCommand, exitCode: number | null): boolean {
  const silenced = last.redirects.some(
    (redirect) => redirect.target === "/dev/null" && (redirect.descriptor === 2 || redirect.kind.startsWith("&")),
  );
  return silenced && exitCode !== null && exitCode <= 2 && probes.has(last.program);
}

const probes = new Set(
  "ls cat stat head tail find git grep rg test file readlink realpath wc jq curl npm pip pip3 python python3 node gh docker sed awk du".split(
    " ",
  ),
);

const testsRan = anyOf([
  /^\s*--- FAIL: /,
  /^FAIL\s+\S+(?:\s+\[build failed\]|\s+[\d.]+s)/,
  /^(?:FAIL|FAILED|ERROR):? \S*test\S*/,
  /^\(fail\) /,
  /^\s*[1-9]\d* fail(?:ed|ing|ures?)?\b/,
  /\b(?:Tests?|Test Suites|Test Files|Suites):?\s+[1-9]\d* (?:failed|failing)/,
  /^=+ [^\n]*?\b[1-9]\d* (?:failed|errors?)\b/,
  /\bFAILED \((?:failures|errors|unexpected|skipped|expected)/,
  /^FAILED \S+::/,
  /\btest result: FAILED/,
  /^not ok \d+ /,
  /\bDO \*NOT\* COMMIT!/,
  /tests finished: [^\n]*\b[1-9]\d* (?:failed|exceptions?)/,
  /^(?:E {3,}|>?\s*)(?:AssertionError|assert )\b/,
  /^\S*AssertionError(?::|\s*\[|$)/,
  /^panic: test timed out/,
  /^# (?:fail|cancelled) [1-9]/,
  /^(?:\w*Error|error): expect\(/,
  // Gradle, Bazel
  /\b\d+ tests? completed, [1-9]\d* failed\b|\bThere were failing tests\b/,
  /^\/\/\S+\s+(?:FAILED|TIMEOUT)\b|\b[1-9]\d* fails? (?:locally|remotely)\b/,
]);

const findings = anyOf([
  /^[^\s:]+\.\w{1,5}:\d+(?::\d+)?:? (?:error|warning|note|fatal error|[A-Z]\d{2,5}\b|[a-z]\S* )/,
  /^(?:\.\/)?\S+\.go:\d+:\d+: /,
  /\berror TS\d+:/,
  // C#, Visual Basic, F#; Kotlin; Bazel; Terraform
  /\berror (?:CS|BC|FS|CA|IDE|SA)\d{3,5}:/,
  /^e: \S+\.kts?:\(?\d+/,
  /^ERROR: \S+:\d+:\d+: (?:Compiling|Linking|Building|Executing) /,
  /^[│\s]*on \S+\.tf(?:\.json)? line \d+/,
  /^error\[E\d+\]/,
  /\bcould not compile /,
  /\blint\/[a-z]\w+\/\w+/,
  /Formatter would have printed|Code style issues? (?:found|fixed)|would reformat|^\[warn\] \S+\.\w+$|Import statements could be sorted|imports are incorrectly sorted/i,
  /✖ \d+ problems?/,
  /^\s+\d+:\d+\s+(?:error|warning)\s/,
  /^\d+ issues?:/,
  /\bFound [1-9]\d* (?:errors?|issues?|warnings?|problems?)\b/,
  /\bTS\d{4}\b/,
  /^\* (?:typecheck|\w+): \d+$/,
  /\bFailed to compile\b|\bBUILD FAILURE\b|\bCompilation failed\b/i,
  /^Some errors were emitted while running checks/,
  /^\S+\.py:\d+:\d+: [A-Z]\d+ /,
  /^(?:\S+ )?clone\(s\) found|^Found \d+ clones/,
  /\bYour code has been rated at\b/,
  /\b[1-9]\d* vulnerabilit(?:y|ies) found\b|\bFound [1-9]\d* known vulnerabilit|\bleaks found: [1-9]/,
]);

/** A check that could not start: wrong name, folder, flag or environment. */
const neverStarted = anyOf([
  /command not found|: not found$/,
  /^(?:[^\s:]+: )*(?:unknown|unrecognized|unrecognised|illegal|invalid|unexpected|ambiguous) (?:shorthand )?(?:flag|option|argument|command|subcommand|long option|JSON field)s?\b/i,
  /^\s*error: (?:unknown|unrecognized|unexpected|invalid|the following required) /i,
  /flag provided but not defined/,
  /^(?:> )?(?:Unknown command-line option '|Cannot locate tasks that match ')|^CACError: Unknown option|^Command not found: /,
  /^ERROR: (?:usage|not found|file or directory not found|file not found)/i,
  /^usage: /im,
  /Missing script|None of the selected packages has|Script not found|No script|script "[^"]*" not found|No rule to make target|no tasks? named|Couldn't find a script|task [^\n]* not found/i,
  /No module named|ModuleNotFoundError|Cannot find (?:module|package)|ERR_MODULE_NOT_FOUND|ImportError while loading conftest/,
  /not a git repository|cannot find main module|go\.mod file not found|no Go files in|: directory not found$|outside main module|paths are ignored by one of your|directory prefix \S+ does not contain|matched no packages|cannot find package|is not in std|no required module provides/,
  /\berror MSB1\d{3}:/,
  /can't open file|can't cd to|cd: [^\n]*(?:No such|no such|not a directory)|(?:No such file or directory)$/,
  /no tests? (?:found|ran|to run|files? found)|No test files? found|did not match any test files|collected 0 items/i,
  /syntax error near unexpected token|unexpected EOF while looking for|parse error near|no matches found:|bad substitution|unmatched ["'`]/,
  /[Pp]ermission denied|EACCES|Operation not permitted/,
  /could not determine executable to run|ERR_PNPM|npm (?:ERR!|error) code E(?!LIFECYCLE)/,
  /No configuration file found|ESLint couldn't find|Could not find config|No files matching the pattern/,
  /\b(?:[Ss]tart|[Rr]un|[Cc]all|[Ll]aunch|[Ii]nvoke) (?:me|this) (?:through|via|from|inside)\b/,
  /\tFATAL\t/,
  /connection refused|ECONNREFUSED|EADDRINUSE|Cannot connect to the Docker daemon/i,
]);

/** What the call lacked or named wrongly, in the words of any program. */
const wrongCall = anyOf([...unsetVariableTexts, ...unknownOptionTexts]);

/** An error of the program itself, such as `grep: foo: No such file or directory`. */
const complained =
  /^(?:\S+: )*(?:fatal|error|panic|Traceback|usage)\b|: No such file or directory|not found$|[Pp]ermission denied|^(?:ba|z|da)?sh:|^\/bin\/(?:ba|z|da)?sh:|^\(eval\):/im;

const mergeConflict =
  /^CONFLICT \(|Automatic merge failed; fix conflicts|^error: could not apply [0-9a-f]{7}|Resolve all conflicts manually/m;

const checkWords =
  /(?:^|[-:._ ])(?:test|tests|spec|specs|check|checks|lint|linter|typecheck|type-check|tsc|types|vet|clippy|build|compile|verify|validate|ci|e2e|unit|integration|format|fmt|prettier|eslint|biome|cov|coverage|dup|audit)(?:$|[-:._ ])/i;

const checkPrograms = new Set(
  "pytest py.test tox nox jest vitest mocha ava rspec phpunit ctest bats cypress playwright tsc eslint oxlint prettier biome stylelint ruff flake8 pylint mypy pyright black isort bandit shellcheck hadolint golangci-lint gofmt goimports staticcheck rubocop javac gcc g++ clang clang++ rustc runtests.py trunk pre-commit lefthook husky tap knip dprint sphinx-build vale markdownlint yamllint actionlint cspell codespell trivy gitleaks semgrep snyk grype checkov tfsec tflint osv-scanner trufflehog pip-audit bundle-audit brakeman govulncheck kics conftest kubeconform kube-linter kube-score dockle detect-secrets ansible-lint".split(
    " ",
  ),
);

const checkHeads = new Set(
  "go test|go vet|go build|go run|cargo test|cargo check|cargo build|cargo clippy|cargo run|cargo nextest run|bun test|deno test|deno lint|deno check|npm test|npm t|pnpm test|yarn test|pnpm lint|yarn lint|yarn build|pnpm build|swift test|swift build|dotnet test|dotnet build|bazel test|bazel build|bazelisk test|bazelisk build|terraform validate|tofu validate|mvn test|mvn verify|mvn compile|mvn package|gradle test|gradlew test|gradle build|gradlew build|git commit|git push|mix test|rails test|make test|make check|make lint|make build|python -m unittest|python3 -m unittest|python manage.py test|next build|vite build".split(
    "|",
  ),
);

/** Lines that match any of the patterns. One expression for all of them is faster in a long text. */
function anyOf(patterns: readonly RegExp[]): { test(text: string): boolean } {
  const joined = (some: readonly RegExp[], flags: string) =>
    some.length === 0 ? [] : [new RegExp(some.map((one) => withoutNames(one.source)).join("|"), flags)];
  const inAnyCase = patterns.filter((one) => one.ignoreCase);
  const asWritten = patterns.filter((one) => !one.ignoreCase);
  const all = [...joined(asWritten, "m"), ...joined(inAnyCase, "im")];
  return { test: (text) => all.some((one) => one.test(text)) };
}

/** A name may be given to one group of an expression only. */
function withoutNames(source: string): string {
  return source.replaceAll(/\(\?<[A-Za-z]\w*>/g, "(");
}

/** True if the command checks the code being written: tests, linters, type checkers, compilers. */
export function isCheck(command: ShellCommand): boolean {
  const head = splitPackageHead(command.head).plain;
  if (checkPrograms.has(command.program) || checkHeads.has(head)) return command.program !== "git";
  if (
    /^(?:npm|pnpm|yarn|bun|deno|mise|make|just|task|turbo|nx|npx|bunx|uv|uvx|poetry|pdm|hatch|pipenv|bundle|python[\d.]*|rake|gradlew?|mvnw?|cargo|composer|pipx|rye|tox|nox)$/.test(
      command.program,
    )
  ) {
    // `:app:test` is no subcommand, but a task of Gradle.
    const tasks = /^gradlew?$/.test(command.program) ? command.args.filter((word) => word.startsWith(":")) : [];
    const named = [head.slice(command.program.length + 1), ...tasks.map(splitCapitals)].join(" ");
    if (checkWords.test(` ${named} `)) return true;
    return named.split(" ").some((word) => checkPrograms.has(word));
  }
  return command.program === "test"
    ? false
    : /^(?:bin\/|\.\/|scripts\/)?\S*(?:test|lint|check)\S*(?:\.sh|\.py|\.ts|\.js)?$/.test(
        command.text.split(" ", 1)[0] ?? "",
      );
}

/** `:app:connected Debug Android Test`. */
function splitCapitals(word: string): string {
  return word.replace(/(?<=[a-z])(?=[A-Z])/g, " ");
}

/**
 * True if the output echoes a check that a runner or commit hook started: `$ bun test src/`, `> vitest run`,
 * `[lint] $ golangci-lint run`.
 */
function echoesCheck(error: string): boolean {
  for (const match of error.slice(0, 4000).matchAll(/^(?:\[[^\]\s]+\] )?[$>] (\S[^\n]{0,200})$/gm)) {
    if (parseCommands(match[1] ?? "").some(isCheck)) return true;
  }
  return /\.{5,}Failed$/m.test(error);
}

/** True for a script that tries out the code: `python reproduce_issue.py`, `node check.mjs`, `python -c …`. */
function isTrial(command: ShellCommand): boolean {
  if (!/^(?:python[\d.]*|node|bun|tsx|deno|ruby|php|perl|bash|sh)$/.test(command.program)) return false;
  if (command.flags.includes("-c") || command.flags.includes("-e")) return true;
  return /(?:repro|test|verify|check|debug|demo|try|case|attempt|issue|example|experiment|poc)/i.test(
    (command.args[0] ?? "").replace(/^.*\//, ""),
  );
}

/** True if the trial ran and gave a negative result: it exited by itself, or the code under test raised the error. */
function isTrialResult(error: string): boolean {
  if (setupError.test(error)) return false;
  const frames = [...error.matchAll(/^ *File "([^"]+)", line \d+/gm)];
  if (frames.length === 0) return !complained.test(error) && error !== "";
  return frames.at(-1)?.[1] !== frames[0]?.[1];
}

/** Exceptions caused by the script or its environment, not by the code under test. */
const setupError =
  /^(?:\S+\.)?(?:ModuleNotFoundError|ImportError|SyntaxError|IndentationError|TabError|NameError|FileNotFoundError|PermissionError|ImproperlyConfigured|AppRegistryNotReady|ConnectionRefusedError|UnboundLocalError)\b|no such table|doesn't declare an explicit app_label|No installed app with label|Conflicting '\S+' models|Settings already configured|codec can't (?:en|de)code|has no filesystem location/m;

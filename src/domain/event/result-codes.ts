import type { ShellCommand } from "../shell/command.ts";

/** The highest exit code that is a result of these commands, by head or program. */
const questions: ReadonlyMap<string, number> = new Map([
  ...[
    "grep",
    "egrep",
    "fgrep",
    "zgrep",
    "rg",
    "ag",
    "ack",
    "diff",
    "sdiff",
    "cmp",
    "colordiff",
    "pgrep",
    "which",
    "type",
    "expr",
    "[[",
    "((",
    "git grep",
    "fuser",
    "lsof",
    "pidof",
  ].map((name) => [name, 1] as const),
  ...["test", "["].map((name) => [name, 1] as const),
  ["command -v", 127],
  ["git diff", 1],
  ["git merge-base", 1],
  ["git check-ignore", 1],
  ["git show-ref", 1],
  ["git ls-remote", 2],
  ["git config", 1],
  ["git diff-index", 1],
  ["kubectl diff", 1],
  ["npm outdated", 1],
  ["npm audit", 1],
  ["npm ls", 1],
  ["pnpm outdated", 1],
  ["pnpm audit", 1],
  ["gh pr checks", 8],
  ["gh run watch", 1],
  ["systemctl is-active", 4],
  ["systemctl is-enabled", 1],
  ["systemctl status", 4],
  ["pg_isready", 2],
  ["kill", 1],
  ["pkill", 1],
  ["killall", 1],
  ["false", 1],
]);

/**
 * True if the exit code is a result that the program documents, not an error: `grep` without a match, `diff` with a
 * difference, `test` that is false, a plan with changes, a code that the call itself chose for findings.
 */
export function reportsByExitCode(command: ShellCommand, exitCode: number | null): boolean {
  if (exitCode === null || exitCode <= 0) return false;
  if (asksForPort(command)) return exitCode === 1;
  if (exitCode === chosenCode(command)) return true;
  if (command.flags.some((flag) => detailed.test(flag))) return exitCode === 2;
  if (/^(?:terraform|tofu) fmt$/.test(command.head) && command.flags.some((flag) => /^--?check$/.test(flag)))
    return exitCode === 3;
  const most = questions.get(command.head) ?? questions.get(command.program);
  return most !== undefined && exitCode <= most;
}

/** Terraform, Helm: 2 means that there are changes. */
const detailed = /^--?detailed-?exit-?code$/;

/** `trivy --exit-code 3`: what the call wants to be told by. */
function chosenCode({ words }: ShellCommand): number | null {
  const at = words.findIndex((word) => /^--?(?:\w+-)*exit-?code(?:=\d+)?$/.test(word));
  const value = at === -1 ? undefined : (words[at]?.split("=")[1] ?? words[at + 1]);
  return value !== undefined && /^\d{1,3}$/.test(value) ? Number(value) : null;
}

/** `nc -z localhost 80` asks whether something listens there. */
function asksForPort({ program, flags }: ShellCommand): boolean {
  return /^(?:nc|ncat|netcat)$/.test(program) && flags.some((flag) => /^-\w*z/.test(flag));
}

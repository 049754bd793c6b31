import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { devNull } from "node:os";

export interface GitRequest {
  readonly folder: string;
  readonly args: readonly string[];
  /** Where programs are looked for. */
  readonly path: string | undefined;
  /** What git is told besides: `GIT_DIR` and the like. */
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly timeoutMs?: number;
}

export interface GitResult {
  readonly ok: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs git with no settings of the user or the machine, no hooks, and nothing that is fetched. The settings of the repository
 * itself still count: in a repository that somebody else can write, only ask for names (`rev-parse`).
 */
export function runGit({ folder, args, path = "", env = {}, input = "", timeoutMs = 120_000 }: GitRequest) {
  // Without this, the system would say that git is not there.
  if (!existsSync(folder))
    return Promise.resolve({ ok: false, stdout: "", stderr: `the folder ${folder} is not there` });
  return new Promise<GitResult>((resolve) => {
    const child = spawn("git", [...quietly, ...args], {
      cwd: folder,
      env: { PATH: path, ...alone, ...env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    // The one of `spawn` stays after a program that could not be started, and keeps this process alive.
    const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
    const [out, err]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
    // Git may end before it has read everything.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    child.once("error", (error) => {
      clearTimeout(timer);
      resolve({ ok: false, stdout: "", stderr: error.message });
    });
    child.once("close", (code) => {
      clearTimeout(timer);
      const [stdout, stderr] = [Buffer.concat(out).toString("utf8"), Buffer.concat(err).toString("utf8").trim()];
      resolve({ ok: code === 0, stdout, stderr: code === null ? `git took too long. ${stderr}` : stderr });
    });
  });
}

const settings = {
  "core.hooksPath": devNull,
  "core.attributesFile": devNull,
  "core.excludesFile": devNull,
  "core.fsmonitor": "false",
  "core.symlinks": "true",
  // A file that could say what is an ancestor of what.
  "core.commitGraph": "false",
  "core.quotePath": "false",
  "submodule.recurse": "false",
  "protocol.allow": "never",
  // The settings that would say so are not read.
  "safe.directory": "*",
} as const;

const quietly = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);

const alone = {
  HOME: devNull,
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: devNull,
  GIT_ATTR_NOSYSTEM: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  // Settings of a repository may allow protocols that run programs; this comes before them.
  GIT_ALLOW_PROTOCOL: "none",
  GIT_NO_LAZY_FETCH: "1",
  GIT_LITERAL_PATHSPECS: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
} as const;

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type Client =
  | { readonly kind: "ready"; readonly version: string; readonly command: readonly string[]; readonly drive: Drive }
  | { readonly kind: "absent"; readonly version: string; readonly why: string };

/** How to run a client. `{model}` in its arguments and environment is replaced by the address of the scripted model. */
export interface Drive {
  /** Its name on the PATH. */
  readonly program: string;
  readonly model: "anthropic" | "gemini" | "openai";
  /** The arguments; with a null prompt, for a session in the client's own screen. */
  words(prompt: string | null): readonly string[];
  env(temporary: string): Readonly<Record<string, string>>;
}

/** The real Claude Code of a version, from npm, in a cache outside the repository. */
export function claudeCode(version: string): Client {
  const name = "@anthropic-ai/claude-code";
  const folders = [join(cache(), "claude"), join(cache(), `claude-${version}`)];
  const there = folders.find((folder) => versionIn(folder, name) === version);
  const folder = there ?? join(cache(), `claude-${version}`);
  if (there === undefined) fetch(folder, `${name}@${version}`);
  const command = commandIn(folder);
  return command === null
    ? { kind: "absent", version, why: `npm could not bring @anthropic-ai/claude-code@${version}` }
    : { kind: "ready", version, command, drive: claudeDrive };
}

const claudeDrive: Drive = {
  program: "claude",
  model: "anthropic",
  words: (prompt) => (prompt === null ? [] : ["-p", "--output-format", "stream-json", "--verbose", prompt]),
  env: (temporary) => ({
    CLAUDE_CODE_TMPDIR: temporary,
    ANTHROPIC_BASE_URL: "{model}",
    ANTHROPIC_API_KEY: "fake-key-not-real",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_BUG_COMMAND: "1",
    DISABLE_COST_WARNINGS: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_MAX_RETRIES: "0",
  }),
};

/** A client whose package has one program, from npm, in the same cache under the name `folder`. */
export function npmClient(
  what: { readonly folder: string; readonly package: string; readonly version: string },
  drive: Drive,
): Client {
  const { version } = what;
  const program = join(npmPackage(what) ?? "", "node_modules", ".bin", drive.program);
  return existsSync(program)
    ? { kind: "ready", version, command: [program], drive }
    : { kind: "absent", version, why: `npm could not bring ${what.package}@${version}` };
}

/** For clients that need a newer Node than oldhand: runs them with Node from npm if this one is older than `least`. */
export function onNewerNode(client: Client, least: number): Client {
  if (client.kind === "absent" || Number(process.versions.node.split(".")[0]) >= least) return client;
  const name = `node-${process.platform}-${process.arch}`;
  const drive = { ...client.drive, program: "node" };
  const node = npmClient({ folder: "node24", package: name, version: "24.21.0" }, drive);
  return node.kind === "absent" ? node : { ...client, command: [...node.command, ...client.command] };
}

/** The cache folder whose `node_modules` has the package; null if npm could not install it. */
export function npmPackage(what: {
  readonly folder: string;
  readonly package: string;
  readonly version: string;
}): string | null {
  const folders = [what.folder, `${what.folder}-${what.version}`].map((folder) => join(cache(), folder));
  const isThere = (folder: string) => versionIn(folder, what.package) === what.version;
  const there = folders.find(isThere);
  if (there !== undefined) return there;
  const folder = join(cache(), `${what.folder}-${what.version}`);
  fetch(folder, `${what.package}@${what.version}`);
  return isThere(folder) ? folder : null;
}

function cache(): string {
  return process.env["OLDHAND_CLIENTS"] || join(tmpdir(), "agent-lab", "pkgs");
}

function fetch(folder: string, name: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"private":true}\n');
  const flags = ["--no-audit", "--no-fund", "--ignore-scripts"];
  spawnSync("npm", ["install", ...flags, name], { cwd: folder, stdio: "ignore" });
}

/** Since 2.1.136 the package is a binary per platform; before, a script. */
function commandIn(folder: string): readonly string[] | null {
  const scope = join(folder, "node_modules", "@anthropic-ai");
  const binary = join(scope, `claude-code-${process.platform}-${process.arch}`, "claude");
  if (existsSync(binary)) return [binary];
  const script = join(scope, "claude-code", "cli.js");
  return existsSync(script) ? [process.execPath, script] : null;
}

function versionIn(folder: string, name: string): string | null {
  const file = join(folder, "node_modules", name, "package.json");
  if (!existsSync(file)) return null;
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}

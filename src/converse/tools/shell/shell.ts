import { renameSync, rmSync } from "node:fs";
import { dirname, relative, sep } from "node:path";
import { z } from "zod";
import { thisMachine } from "../../../config.ts";
import { describeCommandAction } from "../../../domain/approval/command-cover.ts";
import { readCommandTraits } from "../../../domain/approval/command-traits.ts";
import type { CommandTraits } from "../../../domain/approval/decide-action.ts";
import { SANDBOX_HINT } from "../../../domain/approval/decide-action.ts";
import { isPromptPath, listGuardedPaths } from "../../../domain/approval/protected-paths.ts";
import { lstatOrNull } from "../../../lib/lstat-or-null.ts";
import { oneLine } from "../../../lib/text.ts";
import { findUserHome, listOwnPaths } from "../own-paths.ts";
import type { Sandbox, SandboxProfile } from "../sandbox.ts";
import type { AgentTool, ToolContext, ToolResult } from "../tool.ts";
import { readNamedFiles } from "./named-files.ts";
import { recordMountPoints, removeLeftMountPoints } from "./mount-points.ts";
import { type ProgramResult, runProgram } from "./run-program.ts";
import { composeSandboxProfile } from "./sandbox-profile.ts";
import { findProgram, findSandbox } from "./find-sandbox.ts";
import { composeShellEnvironment } from "./shell-environment.ts";
import { keepShellFolder, readShellFolder } from "./shell-folder.ts";

const input = z.object({
  command: z.string().min(1).max(50_000).describe("a shell command"),
  timeout: z.number().int().min(1).max(600).optional().describe("seconds (120)"),
  network: z.boolean().optional().describe("true if it needs the network"),
});
type ShellInput = z.output<typeof input>;

/** Named as in other hosts, so that facts, rules and miners read its calls as theirs. */
export const shellTool: AgentTool<typeof input> = {
  name: "shell",
  description:
    "Runs a shell command and returns its output and exit code. No input; ended after the timeout. `cd` holds for later calls. For files, prefer read, grep and edit.",
  input,
  effect: "execute",
  isCheap: false,
  isPoller: ({ command }) => /^\s*(?:sleep|wait)\s/.test(command),
  describeAction: ({ command }) => describeCommandAction(command),
  summarise: ({ command }) => `run ${oneLine(command, 200)}`,
  examine: async (ctx, given) => ({
    place: "inside",
    target: oneLine(given.command),
    command: await readTraits(ctx, given),
  }),
  preview: async (ctx, { command }) => `${command}\n(in ${await readShellFolder(ctx)})`,
  run: runShell,
};

async function readTraits(ctx: ToolContext, { command, network }: ShellInput): Promise<CommandTraits> {
  const place = {
    workspace: ctx.workspace,
    cwd: await readShellFolder(ctx),
    userHome: thisMachine().userHome,
    own: listOwnPaths(ctx.mind.config),
  };
  const traits = readCommandTraits(command, place, { needsNetwork: network ?? false });
  const { secret = traits.secret, linked } = readNamedFiles(command, place);
  if (secret === undefined && linked === undefined) return traits;
  return { ...traits, isReading: false, secret, linked };
}

async function runShell(ctx: ToolContext, given: ShellInput): Promise<ToolResult> {
  const sandbox = ctx.sandbox === undefined ? await findSandbox() : ctx.sandbox;
  const kind = chooseProfile(ctx, { hasSandbox: sandbox !== null, traits: await readTraits(ctx, given) });
  if (kind === "refused")
    return {
      ok: false,
      text: `Not run: no approval was given, and there is no sandbox. ${SANDBOX_HINT}`,
      exitCode: null,
    };
  const cwd = await readShellFolder(ctx);
  const { home } = ctx.mind.config;
  removeLeftMountPoints(home);
  const profile = sandbox === null || kind === "none" ? null : profileOf(ctx, kind, cwd);
  const seconds = given.timeout ?? ctx.mind.config.policy.chat.shellSeconds;
  const before = profile === null ? [] : findAbsentFiles(ctx.workspace, profile);
  const mountPoints = sandbox?.name === "bubblewrap" ? (profile?.absent ?? []) : [];
  const removeMountPoints = recordMountPoints(home, {
    workspace: ctx.workspace,
    folders: mountPoints.flatMap(withMissingParents),
  });
  const ran = await runProgram({
    ...composeProgram(given.command, profile === null ? null : sandbox, profile),
    cwd,
    env: composeShellEnvironment({
      ...{ env: thisMachine().env, providers: ctx.mind.config.providers },
      ...{ session: ctx.session, isClosed: kind === "closed" },
    }),
    timeoutMs: seconds * 1000,
    mostCharacters: MOST_CHARACTERS,
    signal: ctx.signal,
    report: ctx.report,
    mountPoints,
  });
  removeMountPoints();
  if (profile !== null && ran.note === "" && ran.output.startsWith("bwrap: "))
    return {
      ok: false,
      text: `The sandbox could not start, so nothing ran: ${ran.output.trim()}`,
      exitCode: null,
      origin: "tool",
    };
  const notes = [
    ...takeAway(ctx, before),
    ...(await noteFolder(ctx, ran.note)),
    ...(kind === "closed" && ran.exitCode !== 0 ? [describeClosed(ctx, profile)] : []),
  ];
  return toResult(ran, seconds, notes);
}

const MOST_CHARACTERS = 30_000;

/**
 * `none`: a person said yes to this very command. A yes that covers more than one call is one to a name, and what runs under
 * that name may change: it holds in the closed sandbox. If it is for calls outside, the command does what the user can, with
 * oldhand's own files hidden. Without a yes, it runs in the closed sandbox, or only reads.
 */
function chooseProfile(
  { approval, leavesSandbox, mode }: ToolContext,
  { hasSandbox, traits }: { readonly hasSandbox: boolean; readonly traits: CommandTraits },
): SandboxProfile["kind"] | "none" | "refused" {
  if (approval === "once") return "none";
  if (approval === "session" || approval === "always")
    return hasSandbox ? (leavesSandbox === true ? "open" : "closed") : "none";
  const isFree = mode === "edit" || mode === "unattended";
  if (isFree && hasSandbox) return "closed";
  return mode === "edit" && traits.isReading ? "none" : "refused";
}

/** The sandbox makes them too. The folder itself comes first, as it is removed first. */
function withMissingParents(folder: string): readonly string[] {
  const parent = dirname(folder);
  return exists(parent) ? [folder] : [folder, ...withMissingParents(parent)];
}

function profileOf(ctx: ToolContext, kind: SandboxProfile["kind"], cwd: string): SandboxProfile {
  return composeSandboxProfile({
    ...{ workspace: ctx.workspace, cwd, kind },
    hasNetwork: kind === "open" || ctx.mind.config.policy.chat.sandboxNetwork,
    userHome: findUserHome(),
    own: listOwnPaths(ctx.mind.config),
  });
}

function composeProgram(
  command: string,
  sandbox: Sandbox | null,
  profile: SandboxProfile | null,
): { readonly program: string; readonly args: readonly string[] } {
  const shell = composeShell(command);
  if (sandbox === null || profile === null) return shell;
  const { program, args } = sandbox.plan(profile);
  return { program, args: [...args, shell.program, ...shell.args] };
}

/** At its end, the shell reports the folder it is in. */
function composeShell(command: string): { readonly program: string; readonly args: readonly string[] } {
  if (thisMachine().platform === "win32")
    return { program: "powershell", args: ["-NoProfile", "-NonInteractive", "-Command", command] };
  const program = findProgram("bash") ?? findProgram("sh") ?? "sh";
  return { program, args: ["-c", `trap 'pwd -P >&3' EXIT; ${command}`] };
}

/** Names that a sandboxed command must not create, and that cannot be kept free in advance. */
function findAbsentFiles(workspace: string, { kind }: SandboxProfile): readonly string[] {
  if (kind === "open") return [];
  const { files } = listGuardedPaths({ workspace, userHome: findUserHome() });
  return files.filter((path) => !exists(path));
}

/** Files that the command must not create. Nobody misses one of git's; others stay under another name. */
function takeAway({ workspace, notify }: ToolContext, absentFiles: readonly string[]): readonly string[] {
  return absentFiles.filter(exists).map((path) => {
    const name = relative(workspace, path);
    const why = isPromptPath(name) ? "is in the prompt of later sessions" : "may run programs";
    const isOfGit = name.split(sep)[0] === ".git";
    if (isOfGit) rmSync(path, { recursive: true });
    else renameSync(path, `${path}.not-allowed`);
    const where = isOfGit ? "It was taken away again." : `It is now ${name}.not-allowed.`;
    const text = `A command made ${name}, which ${why}. ${where}`;
    notify?.(text);
    return text;
  });
}

function exists(path: string): boolean {
  return lstatOrNull(path) !== null;
}

async function noteFolder(ctx: ToolContext, note: string): Promise<readonly string[]> {
  const folder = note.trimEnd().split("\n").at(-1) ?? "";
  if (folder === "" || (await keepShellFolder(ctx, folder))) return [];
  return [`The next command starts in ${await readShellFolder(ctx)} again: ${folder} is outside the workspace.`];
}

function describeClosed({ mode }: ToolContext, profile: SandboxProfile | null): string {
  const network = profile?.hasNetwork === true ? "" : ", without network";
  const more = mode === "unattended" ? "" : " With network: true, a person is asked whether it may run outside.";
  return `It ran in a sandbox: writes only in the workspace${network}.${more}`;
}

function toResult(ran: ProgramResult, seconds: number, notes: readonly string[]): ToolResult {
  const { ended, exitCode, output } = ran;
  const ok = ended === "itself" && exitCode === 0;
  const head =
    ended === "timeout"
      ? [`Command timed out after ${seconds} s and was ended.`]
      : ended === "stopped"
        ? ["Stopped."]
        : ended === "itself" && exitCode !== 0
          ? [`Exit code ${exitCode ?? "unknown"}`]
          : [];
  const body = output.trimEnd();
  const lines = [...head, ...(body === "" && ok ? ["(no output)"] : [body]), ...notes.map((note) => `(${note})`)];
  return { ok, text: lines.filter((line) => line !== "").join("\n"), exitCode, origin: "tool" };
}

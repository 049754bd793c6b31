import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A home of its own with the settings of a shared mind, and a clone of a repository. */
export interface Machine {
  readonly dir: string;
  readonly home: string;
  readonly workspace: string;
  remove(): void;
}

export interface MachineOptions {
  readonly name: string;
  readonly database: string;
  /** The folder of the clone, below the machine's own folder or absolute. */
  readonly folder: string;
  /** The address of the repository; null: it has no remote. */
  readonly remote: string | null;
}

export function newMachine({ name, database, folder, remote }: MachineOptions): Machine {
  const dir = mkdtempSync(join(tmpdir(), "oldhand-machine-"));
  const home = join(dir, "mind");
  mkdirSync(home);
  writeFileSync(join(home, "config.json"), JSON.stringify({ database, embedder: "none", team: { machine: name } }));
  const workspace = folder.startsWith("/") ? folder : join(dir, folder);
  cloneInto(workspace, remote);
  return { dir, home, workspace, remove: () => rmSync(dir, { recursive: true, force: true }) };
}

/** What git writes when it clones, as far as oldhand reads it. */
export function cloneInto(workspace: string, remote: string | null): void {
  mkdirSync(join(workspace, ".git"), { recursive: true });
  const config = remote === null ? "[core]\n" : `[core]\n[remote "origin"]\n\turl = ${remote}\n`;
  writeFileSync(join(workspace, ".git", "config"), config);
}

/** A mistake that is about no file: nothing on a disk can disprove a rule about it. */
export const mistaken = {
  command: "deployctl push --fast",
  error: "Exit code 2\nerror: unknown option '--fast'",
};

type Payload = Readonly<Record<string, unknown>>;

/** The payloads of Claude Code's hooks for a session in which each of the commands fails. */
export function failingSession(
  cwd: string,
  session: string,
  { commands, error }: { readonly commands: readonly string[]; readonly error: string },
): readonly Payload[] {
  const of = { session_id: session, cwd };
  return [
    { ...of, hook_event_name: "SessionStart", source: "startup" },
    ...commands.flatMap((command, at) => {
      const call = { ...of, tool_name: "Bash", tool_input: { command }, tool_use_id: `${session}-${at}` };
      return [
        { ...call, hook_event_name: "PreToolUse" },
        { ...call, hook_event_name: "PostToolUseFailure", error },
      ];
    }),
    { ...of, hook_event_name: "Stop", stop_hook_active: false },
  ];
}

export function attemptedCall(cwd: string, session: string, command: string): Payload {
  const call = { session_id: session, cwd, tool_name: "Bash", tool_input: { command }, tool_use_id: `${session}-x` };
  return { ...call, hook_event_name: "PreToolUse" };
}

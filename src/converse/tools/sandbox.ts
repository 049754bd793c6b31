/** What a command may reach. */
export interface SandboxProfile {
  readonly workspace: string;
  /** The folder that it sees as its workspace; absent: the workspace itself. Bubblewrap only. */
  readonly contents?: string | undefined;
  /** What it sees at another place than where it is, and cannot change. Bubblewrap only. */
  readonly mounted?: readonly { readonly from: string; readonly to: string }[] | undefined;
  readonly cwd: string;
  /**
   * `closed`: it writes in the workspace only, and secrets of the user are hidden. `open`: it does what the user can, but
   * oldhand's own files are hidden.
   */
  readonly kind: "closed" | "open";
  readonly hasNetwork: boolean;
  /** Existing files and folders that it must not see. */
  readonly hidden: readonly HiddenPath[];
  /** Existing folders inside the workspace that it must not move or replace, though it may change what is in them. */
  readonly pinned: readonly string[];
  /** Existing files and folders inside the workspace that it must not change. */
  readonly readOnly: readonly string[];
  /** Folders inside the workspace that do not exist and that it must not create. */
  readonly absent: readonly string[];
}

export interface HiddenPath {
  readonly path: string;
  readonly isFolder: boolean;
}

/** Runs a command with limits that the command cannot lift. */
export interface Sandbox {
  readonly name: "bubblewrap" | "sandbox-exec";
  /** The program and the arguments before the command. */
  plan(profile: SandboxProfile): { readonly program: string; readonly args: readonly string[] };
}

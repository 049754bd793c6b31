import { isCredentialFile } from "../text/credential-file.ts";
import { isStartedPath, startedInHome, startedInProject } from "./started-files.ts";

/**
 * True if a file usually holds secrets. Judged by the name alone, because the file must not be opened to find out.
 * Program text about secrets and public keys are none.
 */
export function isCredentialPath(path: string): boolean {
  const folded = foldPath(path);
  return (isCredentialFile(folded) && !harmless.test(folded)) || signIns.test(folded);
}

const harmless = /[^/]\.(?:pub|[cm]?[jt]sx?|py|go|rs|rb|java|kt|c|h|cc|cpp|cs|php|swift|sh|md|html|css|vue|svelte)$/;
const signIns =
  /(?:^|\/)(?:\.my\.cnf|auth\.json|oauth_creds\.json|\.s3cfg|\.boto|\.password-store|\.docker\/config\.json|\.claude\.json|\.(?:bash|zsh|node_repl|python)_history|\.mozilla|\.config\/(?:google-chrome|chromium|gcloud|gh|op)|keyrings)(?:\/|$)/;

/** Where programs keep keys, sign-ins and what a person typed, below the user's home. The sandbox hides it. */
export const homeSecrets: readonly string[] = (
  ".ssh .gnupg .aws .azure .kube .docker .netrc .npmrc .pypirc .git-credentials .password-store .vault-token .pgpass .my.cnf " +
  ".claude .claude.json .codex .gemini .qwen .cursor .config/gcloud .config/gh .config/op .config/opencode .config/google-chrome " +
  ".config/chromium .config/BraveSoftware .config/microsoft-edge .mozilla .local/share/keyrings .local/share/opencode .bash_history " +
  ".zsh_history .node_repl_history .python_history"
).split(" ");

/** For the tools that read files: the same list, of full paths. */
export function isHomeSecret(path: string, { workspace, userHome }: WorkspaceAndHome): boolean {
  return homeSecrets.some((name) => {
    const folder = `${userHome}/${name}`;
    // A workspace in one of them, such as a work tree, is not protected from its own agent.
    return isSamePlaceOrBelow(folder, path) && !isSamePlaceOrBelow(folder, workspace);
  });
}

interface WorkspaceAndHome {
  readonly workspace: string;
  readonly userHome: string;
  /** The folders of PATH: whoever writes there decides what a command's name stands for. */
  readonly programs?: readonly string[] | undefined;
}

/**
 * Settings of agents and of git inside a workspace, and files that other programs run by themselves: hooks, servers and commands
 * named there are run outside of every sandbox of ours.
 */
export function isHostSettingPath(
  pathInWorkspace: string,
  { workspace, userHome, programs = [] }: WorkspaceAndHome,
): boolean {
  const foldFolder = (folder: string) => foldPath(folder).replace(/\/+$/, "");
  const root = foldFolder(workspace);
  const inside = foldPath(pathInWorkspace);
  return (
    isPromptPath(pathInWorkspace) ||
    inside.split("/").some((part) => hostSettingNames.has(part)) ||
    isInHostFolder(root) ||
    isStartedPath(`${root}/${inside}`, {
      workspace: root,
      userHome: foldFolder(userHome),
      programs: programs.filter((folder) => /^(?:\/|[a-z]:)/i.test(folder)).map(foldFolder),
    })
  );
}

/** A workspace can be such a folder itself. Agents keep work trees of projects there, too. */
function isInHostFolder(root: string): boolean {
  const parts = root.split("/");
  return parts.some((part) => hostSettingNames.has(part)) && !parts.includes("worktrees");
}

/** Texts that agents are given with every prompt. The rules files of all hosts are among them. */
export function isPromptPath(path: string): boolean {
  const folded = foldPath(path);
  const name = folded.split("/").at(-1) ?? "";
  return (
    promptFiles.some((one) => one.toLowerCase() === name) ||
    /(?:^|\/)\.github\/(?:copilot-instructions\.md|(?:instructions|prompts|chatmodes|agents)\/)/.test(folded)
  );
}

const promptFiles = (
  "AGENTS.md AGENTS.override.md AGENT.md CLAUDE.md CLAUDE.local.md GEMINI.md QWEN.md WARP.md .hermes.md HERMES.md " +
  ".cursorrules .windsurfrules .clinerules .roorules .goosehints .rules CONVENTIONS.md SKILL.md"
).split(" ");

const hostSettingFolders =
  ".git .claude .codex .cursor .gemini .qwen .opencode .vscode .windsurf .factory .kiro .cline .clinerules .continue .pi .openclaw .hermes .devin .amp .agents .roo .junie .zed .idea".split(
    " ",
  );
const hostSettingFiles = ".mcp.json opencode.json opencode.jsonc .aider.conf.yml .envrc .gitmodules".split(" ");
const hostSettingNames: ReadonlySet<string> = new Set([...hostSettingFolders, ...hostSettingFiles]);

/** What a sandboxed command must neither create nor change in a workspace: full paths. */
export function listGuardedPaths({ workspace, userHome, programs = [] }: WorkspaceAndHome): {
  readonly folders: readonly string[];
  readonly files: readonly string[];
} {
  const home = isSamePlaceOrBelow(workspace, userHome) ? startedInHome : { folders: [], files: [] };
  const at = (folder: string) => (name: string) => `${folder.replace(/\/+$/, "")}/${name}`;
  return {
    folders: [
      ...guardedFolders.map(at(workspace)),
      ...home.folders.map(at(userHome)),
      ...programs.filter((one) => isSamePlaceOrBelow(workspace, one) && !isSamePlaceOrBelow(one, workspace)),
    ],
    files: [...new Set([...guardedFiles.map(at(workspace)), ...home.files.map(at(userHome))])],
  };
}

// Git itself must be able to write the rest of `.git`.
const guardedFolders = [
  ...hostSettingFolders.filter((name) => name !== ".git" && name !== ".clinerules"),
  ".husky",
  ".oldhand",
  ".git/hooks",
  ...startedInProject.folders,
];
const guardedFiles = [
  ...promptFiles,
  ".github/copilot-instructions.md",
  ...hostSettingFiles.filter((name) => name !== ".gitmodules"),
  ...startedInProject.files,
  ".git/config",
  ".git/config.worktree",
  ".git/commondir",
];

/** A workspace that holds more than a project: what it is, for a sentence. Null for any other. */
export function describeWideWorkspace({ workspace, userHome }: WorkspaceAndHome): string | null {
  if (workspace === "/") return "the whole machine (/)";
  const isHome = isSamePlaceOrBelow(workspace, userHome) && isSamePlaceOrBelow(userHome, workspace);
  return isHome ? "your home folder" : null;
}

/** A workspace's own folder of oldhand: team rules and the registry of skills. */
export function isOwnPathInWorkspace(pathInWorkspace: string): boolean {
  return foldPath(pathInWorkspace).split("/").includes(".oldhand");
}

/**
 * Files that are no files: what is read there depends on the reading process, or on a device. A workspace in a folder
 * of `/dev` that has ordinary files, such as `/dev/shm`, is not virtual.
 */
export function isVirtualPath(path: string, workspace: string): boolean {
  const folded = foldPath(path);
  if (/^\/(?:proc|sys)(?:\/|$)/.test(folded) || /^\/\/[.?]\//.test(folded)) return true;
  if (!/^\/dev(?:\/|$)/.test(folded)) return false;
  return !/^\/dev\/[^/]/.test(foldPath(workspace)) || !isSamePlaceOrBelow(workspace, path);
}

/** True if both name the same place on some file system: case, Unicode form and separators are ignored. */
export function isSamePlaceOrBelow(folder: string, path: string): boolean {
  const [above, below] = [foldPath(folder).replace(/\/+$/, ""), foldPath(path)];
  return below === above || below.startsWith(`${above}/`);
}

/**
 * The form in which paths are compared with protected names. Some file systems ignore case, Unicode form, or blanks and
 * dots at the end of a name.
 */
function foldPath(path: string): string {
  return path
    .normalize("NFKC")
    .replaceAll(/\p{Cf}/gu, "")
    .toLowerCase()
    .replaceAll("\\", "/")
    .replaceAll(/(?<=[^./])[. ]+(?=\/|$)/g, "");
}

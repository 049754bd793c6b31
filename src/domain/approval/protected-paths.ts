import { isCredentialFile } from "../text/credential-file.ts";

/**
 * True if a file usually holds secrets. Judged by the name alone, because the file must not be opened to find out.
 * Program text about secrets and public keys are none.
 */
export function isCredentialPath(path: string): boolean {
  const folded = foldPath(path);
  return (isCredentialFile(folded) && !harmless.test(folded)) || signIns.test(folded);
}

const harmless = /[^/]\.(?:pub|[cm]?[jt]sx?|py|go|rs|rb|java|kt|c|h|cc|cpp|cs|php|swift|sh|md|html|css|vue|svelte)$/;
const signIns = /(?:^|\/)(?:\.my\.cnf|auth\.json|oauth_creds\.json|\.s3cfg|\.boto|\.password-store)(?:\/|$)/;

/**
 * Settings of agents and of git inside a workspace: hooks, servers and commands named there are run by other programs,
 * outside of every sandbox of ours.
 */
export function isHostSettingPath(pathInWorkspace: string): boolean {
  return (
    isPromptPath(pathInWorkspace) ||
    foldPath(pathInWorkspace)
      .split("/")
      .some((part) => hostSettingNames.has(part))
  );
}

/** Texts that agents are given with every prompt. */
export function isPromptPath(path: string): boolean {
  return promptFiles.some((name) => foldPath(path).split("/").at(-1) === name.toLowerCase());
}

const promptFiles = ["AGENTS.md", "CLAUDE.md", ".cursorrules"];

const hostSettingFolders =
  ".git .claude .codex .cursor .gemini .qwen .opencode .vscode .windsurf .factory .kiro .cline .clinerules .continue .pi .openclaw .hermes .devin .amp .agents".split(
    " ",
  );
const hostSettingFiles = ".mcp.json opencode.json opencode.jsonc .aider.conf.yml .envrc .gitmodules".split(" ");
const hostSettingNames: ReadonlySet<string> = new Set([...hostSettingFolders, ...hostSettingFiles]);

/** What a sandboxed command must neither create nor change at the top of a workspace. */
export const guardedPaths: { readonly folders: readonly string[]; readonly files: readonly string[] } = {
  // Git itself must be able to write the rest of `.git`.
  folders: [...hostSettingFolders.filter((name) => name !== ".git"), ".oldhand", ".git/hooks"],
  files: [
    ...promptFiles,
    ...hostSettingFiles.filter((name) => name !== ".gitmodules"),
    ".git/config",
    ".git/config.worktree",
    ".git/commondir",
  ],
};

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

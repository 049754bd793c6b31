import { dirname, isAbsolute, join, resolve } from "node:path";
import { readPlainText } from "../../lib/plain-file.ts";
import { parseRemoteName } from "../../domain/remote-name.ts";

/**
 * What a repository is called on every machine: the address of its remote `origin`, or of its only remote. Null if it has
 * none, or only one on this machine's disk. Reads files, and runs no program.
 */
export function findRemoteName(workspace: string): string | null {
  const config = readPlainText(join(findGitFolder(workspace), "config"));
  return config === null ? null : parseRemoteName(config);
}

/** A work tree has a file `.git` that names its folder, and that one names the folder that all work trees share. */
function findGitFolder(workspace: string): string {
  const git = join(workspace, ".git");
  const named = /^gitdir:\s*(.+)$/m.exec(readPlainText(git) ?? "")?.[1]?.trim();
  if (named === undefined) return git;
  const own = isAbsolute(named) ? named : resolve(dirname(git), named);
  const common = readPlainText(join(own, "commondir"))?.trim();
  return common === undefined ? own : resolve(own, common);
}

/**
 * True if `path` is the folder or is below it. Paths are compared as recorded, and both separators are accepted,
 * because a mind also holds events from other machines.
 */
export function folderCovers(folder: string, path: string): boolean {
  return path === folder || pathPrefixesBelow(folder).some((beginning) => path.startsWith(beginning));
}

/** The two prefixes that a path below the folder can have, one per separator. */
export function pathPrefixesBelow(folder: string): readonly [string, string] {
  return [`${folder}/`, `${folder}\\`];
}

/** Returns all folders that cover a path, starting with the path itself. */
export function listCoveringFolders(path: string): readonly string[] {
  const folders: string[] = [];
  for (let at = path; at !== ""; at = at.slice(0, Math.max(0, at.lastIndexOf("/"), at.lastIndexOf("\\"))))
    folders.push(at);
  return folders;
}

/** The path relative to the folder, with slashes. Empty for the folder itself, null if the folder does not cover it. */
export function relativePathWithin(folder: string, path: string): string | null {
  if (!folderCovers(folder, path)) return null;
  const rest = path.slice(folder.length + 1);
  return path[folder.length] === "\\" ? rest.replaceAll("\\", "/") : rest;
}

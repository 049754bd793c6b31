/**
 * A folder covers itself and what is below it. Paths are compared as they were recorded, and both separators count
 * everywhere: a mind holds what happened on other machines too.
 */
export function folderCovers(folder: string, path: string): boolean {
  return path === folder || pathPrefixesBelow(folder).some((beginning) => path.startsWith(beginning));
}

/** How the path of everything below a folder begins. */
export function pathPrefixesBelow(folder: string): readonly [string, string] {
  return [`${folder}/`, `${folder}\\`];
}

/** All folders that cover a path, itself first. */
export function listCoveringFolders(path: string): readonly string[] {
  const folders: string[] = [];
  for (let at = path; at !== ""; at = at.slice(0, Math.max(0, at.lastIndexOf("/"), at.lastIndexOf("\\"))))
    folders.push(at);
  return folders;
}

/** The way from a folder to what it covers, with slashes; empty for the folder itself, null where it does not cover it. */
export function relativePathWithin(folder: string, path: string): string | null {
  if (!folderCovers(folder, path)) return null;
  const rest = path.slice(folder.length + 1);
  return path[folder.length] === "\\" ? rest.replaceAll("\\", "/") : rest;
}

/** The names in a path, with either separator. */
export function splitPath(path: string): readonly string[] {
  return path.split(/[\\/]/).filter((name) => name !== "" && name !== ".");
}

export function lastPathName(path: string): string {
  return splitPath(path).at(-1) ?? "";
}

/** The folder of a path relative to a workspace; empty if it is the workspace itself. */
export function parentFolder(path: string): string {
  return splitPath(path).slice(0, -1).join("/");
}

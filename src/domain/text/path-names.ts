/** The names in a path, whichever system wrote it. */
export function splitPath(path: string): readonly string[] {
  return path.split(/[\\/]/).filter((name) => name !== "" && name !== ".");
}

export function lastPathName(path: string): string {
  return splitPath(path).at(-1) ?? "";
}

/** The folder of a path below a workspace; empty where it lies in the workspace itself. */
export function parentFolder(path: string): string {
  return splitPath(path).slice(0, -1).join("/");
}

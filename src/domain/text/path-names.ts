/** The names in a path, whichever system wrote it. */
export function namesOf(path: string): readonly string[] {
  return path.split(/[\\/]/).filter((name) => name !== "" && name !== ".");
}

export function lastNameOf(path: string): string {
  return namesOf(path).at(-1) ?? "";
}

/** The folder of a path below a workspace; empty where it lies in the workspace itself. */
export function folderOfPath(path: string): string {
  return namesOf(path).slice(0, -1).join("/");
}

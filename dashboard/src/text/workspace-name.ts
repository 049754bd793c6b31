/** The last folder of a path tells workspaces apart; the whole path stays in the title. */
export function workspaceName(path: string): string {
  return (
    path
      .split(/[\\/]/)
      .filter((part) => part !== "")
      .at(-1) ?? path
  );
}

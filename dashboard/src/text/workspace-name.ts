/** The last folder of the path; callers show the whole path in the title. */
export function workspaceName(path: string): string {
  return (
    path
      .split(/[\\/]/)
      .filter((part) => part !== "")
      .at(-1) ?? path
  );
}

/** Returns a module that recreates the tables. */
export function codeOf(tables: Readonly<Record<string, readonly object[]>>): string;

/** Returns the files that were built. */
export function bundleHook(
  root: string,
  folder: string,
): Promise<readonly { readonly type: string; readonly fileName: string; readonly moduleIds: readonly string[] }[]>;

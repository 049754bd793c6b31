/** A module that makes the same tables. */
export function codeOf(tables: Readonly<Record<string, readonly object[]>>): string;

/** What was made, file by file. */
export function bundleHook(
  root: string,
  folder: string,
): Promise<readonly { readonly type: string; readonly fileName: string; readonly moduleIds: readonly string[] }[]>;

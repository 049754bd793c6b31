import type { Plugin } from "rolldown";

/** Returns a module that recreates the tables. */
export function codeOf(tables: Readonly<Record<string, readonly object[]>>): string;

/** Returns the files that were built. */
export function bundleHook(
  root: string,
  folder: string,
): Promise<readonly { readonly type: string; readonly fileName: string; readonly moduleIds: readonly string[] }[]>;
export const toolModules: readonly string[];
/** Leaves out the parts of pg-boss that are not used. */
export function leanBoss(): Plugin;

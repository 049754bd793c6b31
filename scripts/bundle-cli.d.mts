import type { Plugin } from "rolldown";

/** Returns the chunks in the scripts. */
export function bundleCli(
  root: string,
  folder: string,
): Promise<readonly { readonly fileName: string; readonly moduleIds: readonly string[] }[]>;
export const toolModules: readonly string[];
/** Leaves out the parts of pg-boss that are not used. */
export function leanBoss(): Plugin;

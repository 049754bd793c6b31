import { existsSync, realpathSync } from "node:fs";
import { isAbsolute } from "node:path";
import { type Config, thisMachine } from "../../config.ts";

/** Files and folders of oldhand itself, as configured and with links resolved. */
export function listOwnPaths({ home, database }: Pick<Config, "home" | "database">): readonly string[] {
  const files = isAbsolute(database) ? [database, `${database}-wal`, `${database}-shm`] : [];
  return [...new Set([home, ...files].flatMap((path) => [path, resolveReal(path)]))];
}

function resolveReal(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

/** With links resolved, as workspaces are. */
export function findUserHome(): string {
  return resolveReal(thisMachine().userHome);
}

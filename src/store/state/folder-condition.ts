import { pathPrefixesBelow } from "../../domain/workspace.ts";
import type { SqlValue } from "../engine/db.ts";

export interface SqlCondition {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** A condition on the column `workspace`: true if the folder covers it (`folderCovers`). */
export function buildFolderCondition(folder: string): SqlCondition {
  return {
    sql: "(workspace = ? or substr(workspace, 1, ?) in (?, ?))",
    values: [folder, folder.length + 1, ...pathPrefixesBelow(folder)],
  };
}

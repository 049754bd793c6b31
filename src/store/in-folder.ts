import { beginningsBelow } from "../domain/workspace.ts";
import type { Value } from "./engine/db.ts";

export interface Condition {
  readonly sql: string;
  readonly values: readonly Value[];
}

/** Of a column `workspace`: that the folder covers it (`folderCovers`). */
export function inFolder(folder: string): Condition {
  return {
    sql: "(workspace = ? or substr(workspace, 1, ?) in (?, ?))",
    values: [folder, folder.length + 1, ...beginningsBelow(folder)],
  };
}

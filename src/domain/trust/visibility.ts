import type { MemoryScope } from "../memory/memory.ts";
import type { Scope } from "../rule/rule.ts";
import { folderCovers } from "../workspace.ts";

/** The workspaces that the caller may see, besides what applies everywhere; all if undefined. */
export interface Visibility {
  readonly within?: readonly string[] | undefined;
}

/** True if an event, such as a call, happened in a visible workspace or in a folder of one. */
export function isEventVisible({ within }: Visibility, workspace: string | null): boolean {
  return within === undefined || (workspace !== null && within.some((one) => folderCovers(one, workspace)));
}

/** True if a rule or memory applies in a visible workspace. Global ones always do. */
export function isScopeVisible(ctx: Visibility, scope: Scope | MemoryScope): boolean {
  if (ctx.within === undefined || scope.kind !== "workspace") return true;
  const workspace = "workspace" in scope ? scope.workspace : scope.name;
  return isEventVisible(ctx, workspace) || ctx.within.some((one) => folderCovers(workspace, one));
}

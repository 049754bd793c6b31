import type { MemoryScope } from "../memory/memory.ts";
import type { Scope } from "../rule/rule.ts";
import { folderCovers } from "../workspace.ts";

/** Which workspaces whoever asks is shown, beside what holds everywhere; all of them where nothing is said. */
export interface Sight {
  readonly within?: readonly string[] | undefined;
}

/** Of something that happened, such as a call: whether it was in a workspace in sight, or in a folder of one. */
export function happenedInSight({ within }: Sight, workspace: string | null): boolean {
  return within === undefined || (workspace !== null && within.some((one) => folderCovers(one, workspace)));
}

/** Of something that holds, such as a rule: whether it holds there. What holds everywhere does. */
export function holdsInSight(ctx: Sight, scope: Scope | MemoryScope): boolean {
  if (ctx.within === undefined || scope.kind !== "workspace") return true;
  const workspace = "workspace" in scope ? scope.workspace : scope.name;
  return happenedInSight(ctx, workspace) || ctx.within.some((one) => folderCovers(workspace, one));
}

import type { Context } from "../../context.ts";
import type { Scope } from "../../domain/rule/rule.ts";
import { isEventVisible, isScopeVisible, type Visibility } from "../../domain/trust/visibility.ts";
import { OldhandError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/json.ts";
import { resolveTypedWorkspace } from "../../observe/protocol/workspace.ts";
import type { CheckedInput, Operation } from "../../operation.ts";
import { findSessions } from "../../store/sessions/sessions.ts";

/** Restricts an agent's input to its own workspace; adds it if none is named. */
export function confined(
  ctx: Visibility,
  operation: Pick<Operation, "byWorkspace">,
  input: CheckedInput,
): CheckedInput {
  if (ctx.within === undefined || !operation.byWorkspace) return input;
  const requested = input["workspace"];
  const workspace = typeof requested === "string" ? resolveTypedWorkspace(requested) : ctx.within[0];
  if (workspace !== undefined) requireFolder(ctx, workspace);
  return { ...input, workspace };
}

/** Refuses a folder outside the agent's workspaces. */
export function requireFolder(ctx: Visibility, workspace: string): void {
  if (!isEventVisible(ctx, workspace))
    throw refused(`an agent sees only its own workspace (${(ctx.within ?? []).join(", ")}), not ${workspace}`);
}

/** Refuses a subject of another workspace, even if its id is known. */
export function requireVisible(isVisible: boolean, what: string): void {
  if (!isVisible) throw refused(`${what} belongs to another workspace, and an agent sees only its own`);
}

function refused(message: string): OldhandError {
  return new OldhandError("refused", message, { hint: "the user can see all workspaces in a terminal" });
}

/** Refuses if any session with this id belongs to another workspace. */
export async function requireVisibleSession(ctx: Pick<Context, "db" | "within">, id: string): Promise<void> {
  if (ctx.within === undefined) return;
  const found = (await findSessions(ctx.db, id)).filter((session) => session.id === id);
  requireVisible(
    found.every((session) => isEventVisible(ctx, session.workspace)),
    `session ${id}`,
  );
}

/** True if the agent may see a state from the journal. Null contains nothing, so it is always visible. */
export function isStateVisible(ctx: Visibility, noun: string, state: unknown): boolean {
  if (ctx.within === undefined || state === null) return true;
  if (!isRecord(state)) return false;
  const { scope, workspace } = state;
  if (isRecord(scope)) return isScopeVisible(ctx, scope as unknown as Scope);
  if (workspace !== undefined) return workspace === null || isEventVisible(ctx, String(workspace));
  // Identity files and proposals are global. The workspace of any other state is unknown.
  return noun.startsWith("identity");
}

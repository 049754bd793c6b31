import type { Context } from "../../context.ts";
import type { Scope } from "../../domain/rule/rule.ts";
import { happenedInSight, holdsInSight, type Sight } from "../../domain/trust/sight.ts";
import { OldhandError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/json.ts";
import { resolveTypedWorkspace } from "../../observe/protocol/workspace.ts";
import type { CheckedInput, Operation } from "../../operation.ts";
import { findSessions } from "../../store/sessions/sessions.ts";

/** The input as an agent may ask it: for its own workspace, also where it named none. */
export function confined(ctx: Sight, operation: Pick<Operation, "byWorkspace">, input: CheckedInput): CheckedInput {
  if (ctx.within === undefined || !operation.byWorkspace) return input;
  const asked = input["workspace"];
  const workspace = typeof asked === "string" ? resolveTypedWorkspace(asked) : ctx.within[0];
  if (workspace !== undefined) requireFolder(ctx, workspace);
  return { ...input, workspace };
}

/** Refuses a folder outside of the workspaces that an agent works in. */
export function requireFolder(ctx: Sight, workspace: string): void {
  if (!happenedInSight(ctx, workspace))
    throw refused(`an agent sees only its own workspace (${(ctx.within ?? []).join(", ")}), not ${workspace}`);
}

/** Refuses what is known by its id and is of another workspace. */
export function requireInSight(isInSight: boolean, what: string): void {
  if (!isInSight) throw refused(`${what} belongs to another workspace, and an agent sees only its own`);
}

function refused(message: string): OldhandError {
  return new OldhandError("refused", message, { hint: "the user can see all workspaces in a terminal" });
}

/** Of a session's id: that no session of that name is of another workspace. */
export async function requireSessionInSight(ctx: Pick<Context, "db" | "within">, id: string): Promise<void> {
  if (ctx.within === undefined) return;
  const found = (await findSessions(ctx.db, id)).filter((session) => session.id === id);
  requireInSight(
    found.every((session) => happenedInSight(ctx, session.workspace)),
    `session ${id}`,
  );
}

/** Of a state as the journal keeps it. Null is none: it tells nothing. */
export function stateInSight(ctx: Sight, noun: string, state: unknown): boolean {
  if (ctx.within === undefined || state === null) return true;
  if (!isRecord(state)) return false;
  const { scope, workspace } = state;
  if (isRecord(scope)) return holdsInSight(ctx, scope as unknown as Scope);
  if (workspace !== undefined) return workspace === null || happenedInSight(ctx, String(workspace));
  // The owner's files and what is proposed for them hold everywhere. Of the rest nobody knows where it belongs.
  return noun.startsWith("identity");
}

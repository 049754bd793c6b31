import type { Context } from "../context.ts";
import { findRemoteName } from "../observe/protocol/git-remote.ts";
import { serializeRuleScope } from "../store/nouns/rules.ts";
import { recordSessionPlace, recordWorkspacePlace } from "../store/state/workspaces.ts";

/**
 * In a mind that machines share: records which repository a session works in, so that it has the same rules everywhere.
 * False if the folder holds none.
 */
export async function registerWorkspace(
  { db, clock }: Pick<Context, "db" | "clock">,
  at: { readonly host: string; readonly session: string; readonly workspace: string },
): Promise<boolean> {
  const { host, session, workspace: path } = at;
  const name = await registerClone({ db, clock }, path);
  if (name === null) return false;
  await recordSessionPlace(db, { session, host, path, name });
  return true;
}

/** The same for a folder without a session, such as that of a command. Null if the folder is known by its path alone. */
export async function registerClone(
  { db, clock }: Pick<Context, "db" | "clock">,
  path: string,
): Promise<string | null> {
  const remote = db.machine === undefined ? null : findRemoteName(path);
  if (db.machine === undefined || remote === null) return null;
  const place = { machine: db.machine, path, remote, at: clock.now() };
  return recordWorkspacePlace(db, place, (workspace) => serializeRuleScope({ kind: "workspace", workspace }));
}

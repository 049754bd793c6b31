import type { Db } from "../engine/db.ts";

/** A folder of one machine that holds a clone of a repository. */
export interface WorkspacePlace {
  readonly machine: string;
  readonly path: string;
  /** The repository's address without protocol, user and password: `github.com/acme/shop`. */
  readonly remote: string;
  readonly at: number;
}

/**
 * Records where a machine has a repository. Returns the workspace's name: one for all clones of the repository. It is the
 * first path that was recorded, or the remote if that path is the name of another repository.
 */
export async function recordWorkspacePlace(
  db: Db,
  place: WorkspacePlace,
  serializeScope: (workspace: string) => string,
): Promise<string> {
  const known = await findPlace(db, place);
  if (known?.remote === place.remote) return known.name;
  return db.tx(async (tx) => {
    // Two machines must not give one repository two names.
    if (tx.dialect.lockJournal !== null) await tx.run(tx.dialect.lockJournal);
    const same = await tx.get<{ name: string }>("select name from workspaces where remote = ? order by at limit 1", [
      place.remote,
    ]);
    const taken = await tx.get("select 1 as taken from workspaces where name = ? and remote <> ?", [
      place.path,
      place.remote,
    ]);
    const name = same?.name ?? (taken === undefined ? place.path : place.remote);
    const { machine, path, remote, at } = place;
    await tx.run(
      `insert into workspaces (machine, path, remote, name, scope, name_scope, at) values (?, ?, ?, ?, ?, ?, ?)
       on conflict (machine, path) do update set remote = excluded.remote, name = excluded.name,
         name_scope = excluded.name_scope, at = excluded.at`,
      [machine, path, remote, name, serializeScope(path), serializeScope(name), at],
    );
    return name;
  });
}

/** The name under which things of this workspace are stored: one for all clones of its repository, or its path. */
export async function nameWorkspace(db: Db, path: string): Promise<string> {
  if (db.machine === undefined) return path;
  return (await findPlace(db, { machine: db.machine, path }))?.name ?? path;
}

/** The same for a workspace that a session names. Its machine may be another one than this. */
export async function nameSessionWorkspace(
  db: Db,
  at: { readonly session: string; readonly host: string; readonly workspace: string },
): Promise<string> {
  if (db.machine === undefined) return at.workspace;
  const row = await db.get<{ name: string }>(
    "select name from session_places where session = ? and host = ? and path = ?",
    [at.session, at.host, at.workspace],
  );
  return row?.name ?? at.workspace;
}

async function findPlace(
  db: Db,
  { machine, path }: Pick<WorkspacePlace, "machine" | "path">,
): Promise<{ readonly remote: string; readonly name: string } | undefined> {
  return db.get("select remote, name from workspaces where machine = ? and path = ?", [machine, path]);
}

/** Records that a session works in a clone that has another path than the workspace's name. */
export async function recordSessionPlace(
  db: Db,
  place: { readonly session: string; readonly host: string; readonly path: string; readonly name: string },
): Promise<void> {
  const { session, host, path, name } = place;
  if (path === name) return;
  await db.run(
    "insert into session_places (session, host, path, name) values (?, ?, ?, ?) on conflict (session, host, path) do update set name = excluded.name",
    [session, host, path, name],
  );
}

import { folderCovers } from "../../domain/workspace.ts";
import type { Db } from "../engine/db.ts";

/**
 * In a shared mind, a workspace also has the rules of the same repository in folders of other machines
 * (`workspaces.ts`), and not those of another repository that another machine keeps under the same path. `scopes` are the
 * stored scopes that cover the workspace, `own` is its own one. Loaded only for a shared mind.
 */
export function buildScopeCondition(
  { machine }: Pick<Db, "machine">,
  { scopes, own, workspace }: SharedScopes,
): { readonly sql: string; readonly values: readonly string[] } | null {
  if (machine === undefined || workspace === null) return null;
  const me = "me.machine = ? and me.path = ?";
  const here = [machine, workspace];
  return {
    sql: `(scope in (${scopes.map(() => "?").join(", ")}) or scope in (
        select there.scope from workspaces me join workspaces there on there.remote = me.remote where ${me}
          and not exists (select 1 from workspaces other where other.name = there.path and other.remote <> there.remote)
        union select me.name_scope from workspaces me where ${me}))
      and not (scope = ? and exists (select 1 from workspaces me
        join workspaces other on other.name = me.path and other.remote <> me.remote where ${me}))`,
    values: [...scopes, ...here, ...here, own, ...here],
  };
}

/**
 * Rows of other kinds that are read with the rules: unused overrides (`text` is the rule, `origin` the override), the last
 * change of the mind, and the repository that this folder is known to hold.
 */
export function buildReadAhead(
  { machine }: Pick<Db, "machine">,
  workspace: string | null,
): { readonly sql: string; readonly values: readonly string[] } {
  return { sql: READ_AHEAD, values: [machine ?? "", workspace ?? ""] };
}

const READ_AHEAD = `union all select '', rule, 'override', '', 0, id, '', null, null, 0 from overrides where used_at is null
     union all select '', cast(coalesce(max(id), 0) as text), 'journal', '', 0, '', '', null, null, 0 from journal
     union all select '', remote, 'place', '', 0, '', '', null, null, 0 from workspaces where machine = ? and path = ?`;

export function toReadAhead(rows: readonly AheadRow[]): {
  readonly journal: number;
  readonly isKnownPlace: boolean;
  readonly overrides: readonly { readonly id: string; readonly rule: string }[];
} {
  const of = (kind: string) => rows.filter(({ id, status }) => id === "" && status === kind);
  return {
    journal: Number(of("journal")[0]?.text ?? 0),
    isKnownPlace: of("place").length > 0,
    overrides: of("override").map(({ text, origin }) => ({ id: origin, rule: text })),
  };
}

interface AheadRow {
  readonly id: string;
  readonly status: string;
  readonly text: string;
  readonly origin: string;
}

const SAME_PATHS = `select there.path from workspaces me join workspaces there on there.remote = me.remote
  where me.machine = ? and me.path = ?
  and not exists (select 1 from workspaces other where other.name = there.path and other.remote <> there.remote)`;

/**
 * The paths under which machines of a shared mind have this repository, as SQL. What is known only by its path is found
 * by it, this folder's own path included.
 */
export function buildPathCondition(
  { machine }: Pick<Db, "machine">,
  workspace: string,
): { readonly sql: string; readonly values: readonly string[] } {
  return { sql: `(workspace = ? or workspace in (${SAME_PATHS}))`, values: [workspace, machine ?? "", workspace] };
}

/**
 * All names under which memories of this repository are stored: the workspace's name, and the paths of its clones. A path
 * that is the name of another repository is none of them.
 */
export async function listWorkspaceNames(db: Db, workspace: string): Promise<readonly string[]> {
  const here = [db.machine ?? "", workspace];
  const rows = await db.all<{ name: string }>(
    `select me.name as name from workspaces me where me.machine = ? and me.path = ? union ${SAME_PATHS}`,
    [...here, ...here],
  );
  return rows.length === 0 ? [workspace] : rows.map(({ name }) => name);
}

/** A fact of a clone elsewhere, as a fact of this folder. Whether it holds here is then seen on this disk. */
export function moveFactHere<T extends MovedFact>(row: T, workspace: string): T {
  if (row.workspace === workspace) return row;
  const move = (text: string) =>
    folderCovers(row.workspace, text) ? `${workspace}${text.slice(row.workspace.length)}` : text;
  return { ...row, workspace, subject: move(row.subject), instead: row.instead === null ? null : move(row.instead) };
}

interface MovedFact {
  readonly workspace: string;
  readonly subject: string;
  readonly instead: string | null;
}

interface ScopedRow {
  readonly scope: string;
  readonly matcher: string | null;
  readonly text: string;
}

export interface SharedScopes {
  readonly scopes: readonly string[];
  readonly own: string;
  readonly workspace: string | null;
}

/** Rules of the same repository elsewhere, as rules of this folder. A rule that this folder has itself is not repeated. */
export function moveHere<T extends ScopedRow>(
  rows: readonly T[],
  { scopes, own, workspace }: SharedScopes,
): readonly T[] {
  const isOfHere = ({ scope }: ScopedRow) => scopes.includes(scope);
  if (workspace === null || rows.every(isOfHere)) return rows;
  const known = new Set(rows.filter(isOfHere).map(({ matcher, text }) => matcher ?? text));
  return rows.flatMap((row) => {
    if (isOfHere(row)) return [row];
    const what = row.matcher ?? row.text;
    if (known.has(what)) return [];
    known.add(what);
    return [{ ...row, scope: own }];
  });
}

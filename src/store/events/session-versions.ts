import type { Db, Insertion } from "../engine/db.ts";

export interface SessionVersion {
  readonly host: string;
  readonly session: string;
  readonly version: string;
  /** When it was first heard of. */
  readonly at: number;
}

const insertion: Insertion = {
  table: "session_versions",
  columns: ["host", "session", "version", "at"],
  tail: "on conflict (session, host, version) do nothing",
};

/** A session that is taken up again may go on with another version of its host: then it has both. */
export async function addSessionVersions(db: Db, versions: readonly SessionVersion[]): Promise<void> {
  const each = new Map(versions.toReversed().map((one) => [`${one.host} ${one.session} ${one.version}`, one]));
  await db.insertMany(
    insertion,
    [...each.values()].map((one) => [one.host, one.session, one.version, one.at]),
  );
}

export async function countSessionVersions(db: Db): Promise<number> {
  return (await db.get<{ count: number }>("select count(*) as count from session_versions"))?.count ?? 0;
}

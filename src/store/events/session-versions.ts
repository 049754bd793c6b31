import type { Db, Insertion } from "../engine/db.ts";

export interface SessionVersion {
  readonly host: string;
  readonly session: string;
  readonly version: string;
  /** When it was first seen. */
  readonly at: number;
}

const insertion: Insertion = {
  table: "session_versions",
  columns: ["host", "session", "version", "at"],
  tail: "on conflict (session, host, version) do nothing",
};

/** A resumed session may continue with another version of its host: it then has both. */
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

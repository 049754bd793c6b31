import type { Db } from "../engine/db.ts";

/** The hosts with this failure, among its latest stored events. */
export async function listHostsWithFailure(db: Db, signature: string): Promise<readonly string[]> {
  const rows = await db.all<{ host: string }>(
    `select distinct host from (
       select host from events where signature = ? and outcome = 'failed' and benign = 0 order by id desc limit ?
     ) latest`,
    [signature, LATEST_FAILURES],
  );
  return rows.map(({ host }) => host);
}

/** Enough to include every host that has it. */
const LATEST_FAILURES = 500;

/** The tools that a host's latest sessions called. */
export async function listToolsUsedBy(db: Db, host: string): Promise<ReadonlySet<string>> {
  const rows = await db.all<{ tool: string }>(
    `select distinct tool from session_calls
     where host = ? and session in (select id from sessions where host = ? order by last_at desc limit ?)`,
    [host, host, LATEST],
  );
  return new Set(rows.map(({ tool }) => tool));
}

/** A tool that none of this many sessions called is not available in the host. */
const LATEST = 100;

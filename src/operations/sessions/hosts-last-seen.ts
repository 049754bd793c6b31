import { findHost } from "../../observe/hosts/list.ts";
import type { Db } from "../../store/engine/db.ts";
import { listHostsSeen } from "../../store/sessions/sessions.ts";

type HostSeen = Awaited<ReturnType<typeof listHostsSeen>>[number];

/** A transcript may use another name for a host: `copilot-cli` is `copilot`. */
const ALIAS_SUFFIX = "-cli";

/** When each host was last seen (in any of these folders), under our name for it. */
export async function listHostsLastSeen(db: Db, folders?: readonly string[]): Promise<readonly HostSeen[]> {
  const byName = new Map<string, HostSeen>();
  for (const one of await listHostsSeen(db, folders)) {
    const short = one.host.endsWith(ALIAS_SUFFIX) ? one.host.slice(0, -ALIAS_SUFFIX.length) : one.host;
    const host = findHost(short) === undefined ? one.host : short;
    const known = byName.get(host);
    byName.set(host, {
      host,
      last_at: Math.max(one.last_at, known?.last_at ?? 0),
      events: one.events + (known?.events ?? 0),
      failures: one.failures + (known?.failures ?? 0),
    });
  }
  return [...byName.values()];
}

/** Every name under which its sessions may be stored. */
export function listStoredHostNames(host: string): readonly string[] {
  return findHost(host) === undefined ? [host] : [host, `${host}${ALIAS_SUFFIX}`];
}

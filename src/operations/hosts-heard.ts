import { hostNamed } from "../observe/hosts/list.ts";
import type { Db } from "../store/engine/db.ts";
import { hostsSeen } from "../store/sessions.ts";

type Seen = Awaited<ReturnType<typeof hostsSeen>>[number];

/** A recorded file may call a host by another name than we do: `copilot-cli` is `copilot`. */
const OTHER = "-cli";

/** When each host was last heard of (in any of these folders), each under the one name that we have for it. */
export async function hostsHeard(db: Db, folders?: readonly string[]): Promise<readonly Seen[]> {
  const byName = new Map<string, Seen>();
  for (const one of await hostsSeen(db, folders)) {
    const short = one.host.endsWith(OTHER) ? one.host.slice(0, -OTHER.length) : one.host;
    const host = hostNamed(short) === undefined ? one.host : short;
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
export function storedNames(host: string): readonly string[] {
  return hostNamed(host) === undefined ? [host] : [host, `${host}${OTHER}`];
}

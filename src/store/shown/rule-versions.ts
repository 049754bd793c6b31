import { computeVersionRanges, type RecentVersions, type VersionRange } from "../../domain/rule/host-version.ts";
import type { Rule } from "../../domain/rule/rule.ts";
import { groupBy } from "../../lib/group-by.ts";
import type { Db } from "../engine/db.ts";
import type { SessionVersion } from "../events/session-versions.ts";

/** The versions of each host's latest sessions, newest first. */
export async function listRecentVersions(db: Db, hosts: readonly string[], most: number): Promise<RecentVersions> {
  const found = new Map<string, readonly string[]>();
  for (const host of hosts) {
    const rows = await db.all<{ version: string }>(
      "select version from session_versions where host = ? order by at desc, session limit ?",
      [host, most],
    );
    found.set(
      host,
      rows.map((row) => row.version),
    );
  }
  return found;
}

/** The host versions on which each rule's mistake was seen: in the calls it cites, and in later failing sessions. */
export async function listRuleVersions(
  db: Db,
  rules: readonly Rule[],
): Promise<ReadonlyMap<string, readonly VersionRange[]>> {
  const [only] = rules;
  const met = groupBy(
    await listSessions(db, rules.length === 1 && only !== undefined ? only.id : null),
    (one) => one.rule,
  );
  const places = new Map(
    rules.map((rule) => [rule.id, [...rule.evidence.refs, ...filterHits(met.get(rule.id) ?? [])]]),
  );
  const versions = await listSessionVersions(db, [...places.values()].flat());
  return new Map(
    [...places].map(([rule, those]) => [
      rule,
      computeVersionRanges(
        those.flatMap(({ host, session, at }) => {
          const version = findVersionAt(versions.get(`${host} ${session}`) ?? [], at);
          return version === null ? [] : [{ host, version }];
        }),
      ),
    ]),
  );
}

interface RuleAttempt {
  readonly rule: string;
  readonly host: string;
  readonly session: string;
  readonly at: number;
  readonly attempts: number;
  readonly worked: number;
}

function listSessions(db: Db, rule: string | null): Promise<RuleAttempt[]> {
  const select = "select rule, host, session, at, attempts, worked from rule_sessions where attempts > 0";
  return rule === null ? db.all<RuleAttempt>(select) : db.all<RuleAttempt>(`${select} and rule = ?`, [rule]);
}

/** If the call always works, the rule has other reasons, and every attempt counts. */
function filterHits(met: readonly RuleAttempt[]): readonly RuleAttempt[] {
  const failing = met.filter((one) => one.attempts > one.worked);
  return failing.length > 0 ? failing : met;
}

const CHUNK = 500;

async function listSessionVersions(
  db: Db,
  places: readonly { readonly host: string; readonly session: string }[],
): Promise<ReadonlyMap<string, readonly SessionVersion[]>> {
  const sessions = [...new Set(places.map((place) => place.session))];
  const rows: SessionVersion[] = [];
  for (let from = 0; from < sessions.length; from += CHUNK) {
    const some = sessions.slice(from, from + CHUNK);
    rows.push(
      ...(await db.all<SessionVersion>(
        `select host, session, version, at from session_versions where session in (${some.map(() => "?").join(", ")})
         order by at, version`,
        some,
      )),
    );
  }
  return groupBy(rows, (row) => `${row.host} ${row.session}`);
}

/** The version at that time; before the first reported version, that one. */
function findVersionAt(versions: readonly SessionVersion[], at: number): string | null {
  return (versions.findLast((one) => one.at <= at) ?? versions[0])?.version ?? null;
}

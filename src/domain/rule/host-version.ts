import type { Policy } from "../policy.ts";
import { type Doubt, type Level, levels, type Rule, isActive } from "./rule.ts";

/** The versions of one host that a rule's evidence comes from, as the host reports them. */
export interface VersionRange {
  readonly host: string;
  readonly lowest: string;
  readonly highest: string;
}

/** The latest versions per host, newest session first. */
export type RecentVersions = ReadonlyMap<string, readonly string[]>;

export type VersionShift = Pick<Rule, "confidence" | "level" | "status"> & {
  readonly doubt: Doubt | null;
  readonly reason: string;
};

/**
 * A rule learned on one release of a host may not hold on another. When all its hosts have moved on, it loses
 * confidence and one level, once, however many releases follow. Evidence from the new release restores both.
 */
export function adjustForVersion(
  rule: Pick<Rule, "confidence" | "level" | "status" | "pinned" | "origin" | "doubt">,
  seen: { readonly ranges: readonly VersionRange[]; readonly recent: RecentVersions },
  policy: Policy["distil"],
): VersionShift | null {
  const moved = movedHosts(seen.ranges, seen.recent, policy.versionSessions);
  const ranges = seen.ranges.map(formatVersionRange).join(", ");
  if (rule.doubt !== undefined)
    return moved === null ? { ...restored(rule, rule.doubt), reason: `its evidence includes ${ranges}` } : null;
  if (moved === null || rule.pinned || rule.origin === "owner" || !isActive(rule)) return null;
  const confidence = rounded(Math.max(0, rule.confidence - policy.versionFade));
  const { level, status } = rule;
  const releases = Object.fromEntries(moved);
  const now = moved.map(([host, release]) => `${host} is now ${release}`).join(", ");
  return {
    confidence,
    level: lowerOneLevel(level),
    status: status === "approved" && confidence < policy.confidenceFloor ? "candidate" : status,
    doubt: { releases, confidence: rounded(rule.confidence - confidence), level, status },
    reason: `${now}; its evidence is from ${ranges}`,
  };
}

/** `major.minor`: patch releases rarely change what rules are about. */
export function releaseOf(version: string): string | null {
  const parts = /^\s*v?(\d{1,9})(?:\.(\d{1,9}))?/i.exec(version);
  return parts === null ? null : `${Number(parts[1])}.${Number(parts[2] ?? 0)}`;
}

export function compareVersions(a: string, b: string): number {
  const [left, right] = [numbersOf(a), numbersOf(b)];
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const apart = (left[at] ?? 0) - (right[at] ?? 0);
    if (apart !== 0) return apart;
  }
  return 0;
}

/** One range per host, sorted by name. */
export function computeVersionRanges(
  versions: Iterable<{ readonly host: string; readonly version: string }>,
): readonly VersionRange[] {
  const ranges = new Map<string, VersionRange>();
  for (const { host, version } of versions) {
    const { lowest, highest } = ranges.get(host) ?? { lowest: version, highest: version };
    ranges.set(host, {
      host,
      lowest: compareVersions(version, lowest) < 0 ? version : lowest,
      highest: compareVersions(version, highest) > 0 ? version : highest,
    });
  }
  return [...ranges.values()].toSorted((a, b) => (a.host < b.host ? -1 : 1));
}

export function formatVersionRange({ host, lowest, highest }: VersionRange): string {
  return lowest === highest ? `${host} ${lowest}` : `${host} ${lowest} to ${highest}`;
}

/** The hosts whose sessions a rule was learned from. */
export function listRuleHosts(rule: Pick<Rule, "evidence">, ranges: readonly VersionRange[]): readonly string[] {
  return [...new Set([...rule.evidence.refs, ...ranges].map((one) => one.host))].toSorted();
}

/** The hosts of its evidence, each with its versions if known. */
export function formatProvenance(hosts: readonly string[], ranges: readonly VersionRange[]): string {
  return hosts
    .map((host) => ranges.find((range) => range.host === host))
    .map((range, at) => (range === undefined ? (hosts[at] ?? "") : formatVersionRange(range)))
    .join(", ");
}

/**
 * Returns the hosts with their current release, or null if one of them still runs a release that the evidence covers.
 * One session on another machine is not enough: several of the latest must agree.
 */
function movedHosts(
  ranges: readonly VersionRange[],
  recent: RecentVersions,
  sessions: number,
): readonly (readonly [string, string])[] | null {
  const moved = ranges.map((range): readonly [string, string] | null => {
    const latest = (recent.get(range.host) ?? []).slice(0, sessions);
    const [newest] = latest;
    const away = latest.length >= sessions && latest.every((version) => isOutside(version, range));
    return away && newest !== undefined ? [range.host, releaseOf(newest) ?? newest] : null;
  });
  return moved.length > 0 && moved.every((one) => one !== null) ? moved : null;
}

function isOutside(version: string, { lowest, highest }: VersionRange): boolean {
  const [release, from, to] = [version, lowest, highest].map((one) => releaseOf(one) ?? one) as [
    string,
    string,
    string,
  ];
  return compareVersions(release, from) < 0 || compareVersions(release, to) > 0;
}

/** Keeps what someone has changed since. */
function restored(
  rule: Pick<Rule, "confidence" | "level" | "status">,
  doubt: Doubt,
): Pick<VersionShift, "confidence" | "level" | "status" | "doubt"> {
  return {
    confidence: rounded(Math.min(1, rule.confidence + doubt.confidence)),
    level: rule.level === lowerOneLevel(doubt.level) ? doubt.level : rule.level,
    status: doubt.status === "approved" && rule.status === "candidate" ? "approved" : rule.status,
    doubt: null,
  };
}

/** Never goes below `advise`, so the rule does not become silent. */
function lowerOneLevel(level: Level): Level {
  const least = Math.min(levels.indexOf(level), levels.indexOf("advise"));
  return levels[Math.max(least, levels.indexOf(level) - 1)] ?? level;
}

function numbersOf(version: string): readonly number[] {
  return (version.match(/\d{1,9}/g) ?? []).map(Number);
}

function rounded(confidence: number): number {
  return Number(confidence.toFixed(4));
}

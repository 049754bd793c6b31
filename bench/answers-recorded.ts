import { readdirSync } from "node:fs";
import { join } from "node:path";
import { detectCause } from "../src/domain/cause/cause.ts";
import { findRequestedPath } from "../src/domain/cause/missing-path.ts";
import type { NewEvent } from "../src/domain/event/event.ts";
import { readCall } from "../src/domain/cause/read-call.ts";
import { defaultPolicy } from "../src/domain/policy.ts";
import { findNamedFile } from "../src/domain/text/named-file.ts";
import { findPaths } from "../src/domain/text/find-paths.ts";
import { type PathNames, type KnownPath, rankPaths } from "../src/domain/text/rank-paths.ts";
import { folderCovers } from "../src/domain/workspace.ts";
import { parseNeutralEvent } from "../src/observe/imports/neutral.ts";
import { splitBelowWorkspace } from "../src/recall/answers/near-paths.ts";
import { collectPaths, listSearchWords } from "../src/recall/answers/used-paths.ts";
import type { PathRecord } from "../src/store/events/paths-used.ts";
import { unzip } from "./data.ts";

const MAX_CALLS_APART = 8;

interface Call extends NewEvent {
  readonly tool: string;
  readonly failed: boolean;
}

interface Session {
  readonly id: string;
  /** The session's own working folder: sessions of one project come from many machines. */
  readonly root: string;
  readonly calls: readonly Call[];
}

interface Row {
  readonly source: string;
  readonly failures: number;
  readonly answered: number;
  readonly paths: number;
  /** The agent continued with a path of the same name or in the same folder. */
  readonly related: Recovered;
  /** The agent continued with any path. */
  readonly any: Recovered;
}

interface Recovered {
  readonly recovered: number;
  readonly first: number;
  readonly amongThree: number;
}

const none: Recovered = { recovered: 0, first: 0, amongThree: 0 };

/**
 * For recorded failures on a missing path: how many can be answered from other sessions and from earlier calls of the
 * same session, and whether the path that the agent used next is among the answers. The disk is not read.
 */
export function measureRecordedAnswers(folder: string): readonly Row[] {
  const rows = readdirSync(folder)
    .filter((name) => /^traj_.*\.jsonl\.gz$/.test(name))
    .toSorted()
    .map((name) => measureSource(name.replace(/^traj_|\.jsonl\.gz$/g, ""), sessionsIn(unzip(join(folder, name)))));
  const sum = (source: string, some: readonly Row[]): Row =>
    some.reduce(
      (all, one) => ({
        source,
        failures: all.failures + one.failures,
        answered: all.answered + one.answered,
        paths: all.paths + one.paths,
        related: added(all.related, one.related),
        any: added(all.any, one.any),
      }),
      { source, failures: 0, answered: 0, paths: 0, related: none, any: none },
    );
  const real = rows.filter(({ source }) => !source.includes("mini-swe"));
  return [...rows, sum("real developers", real), sum("all", rows)];
}

/** The rows as lines of text. */
export function formatRecordedAnswers(rows: readonly Row[]): readonly string[] {
  const part = (some: number, of: number) =>
    `${some} of ${of}${of === 0 ? "" : ` (${((100 * some) / of).toFixed(1)} %)`}`;
  const formatRecovered = ({ recovered, first, amongThree }: Recovered) =>
    `first ${part(first, recovered)}, among three ${part(amongThree, recovered)}`;
  return rows.map(
    ({ source, failures, answered, related, any }) =>
      `${source}: answered from records ${part(answered, failures)}; related path used: ${formatRecovered(related)}; any path used next: ${formatRecovered(any)}`,
  );
}

function added(a: Recovered, b: Recovered): Recovered {
  return {
    recovered: a.recovered + b.recovered,
    first: a.first + b.first,
    amongThree: a.amongThree + b.amongThree,
  };
}

function measureSource(source: string, sessions: readonly Session[]): Row {
  const row = { source, failures: 0, answered: 0, paths: 0, related: none, any: none };
  for (const session of sessions)
    for (const [at, call] of session.calls.entries()) {
      if (!call.failed) continue;
      row.failures += 1;
      const missing = findMissingPath(session, call);
      if (missing === null) continue;
      row.paths += 1;
      const offered = rankPaths(missing, listKnownPaths(sessions, session, at, missing)).map((one) =>
        one.names.join("/"),
      );
      if (offered.length > 0) row.answered += 1;
      row.related = added(row.related, judged(offered, relatedUsed(session, at, missing)));
      row.any = added(row.any, judged(offered, usedNext(session, at, missing)[0] ?? []));
    }
  return row;
}

function sessionsIn(text: string): readonly Session[] {
  const bySession = new Map<string, Call[]>();
  for (const line of text.split("\n")) {
    const event = line === "" ? null : parseNeutralEvent(JSON.parse(line), defaultPolicy.observe);
    if (event === null || event.tool === null) continue;
    const read = readCall(event);
    const call = { ...event, ...read, tool: event.tool, failed: read.outcome === "failed" && !read.benign };
    bySession.set(event.session, [...(bySession.get(event.session) ?? []), call]);
  }
  return [...bySession].map(([id, calls]) => ({ id, calls, root: findRoot(calls) }));
}

/** The folder that contains the working folders of most calls. */
function findRoot(calls: readonly Call[]): string {
  const folders = calls.flatMap((call) => folderOf(call) ?? []);
  const counted = new Map<string, number>();
  for (const folder of new Set(folders)) counted.set(folder, folders.filter((one) => folderCovers(folder, one)).length);
  return [...counted].toSorted((a, b) => b[1] - a[1] || a[0].length - b[0].length)[0]?.[0] ?? "/";
}

function findMissingPath({ root }: Session, call: Call): PathNames | null {
  const cause = detectCause(call, call.error ?? "");
  if (cause === null || (cause.kind !== "missing-path" && cause.kind !== "wrong-folder")) return null;
  const missing = findRequestedPath(call, cause, call.error ?? "");
  return missing === null ? null : splitBelowWorkspace(root, missing.path, missing.from);
}

/** Paths from all other sessions, and from earlier calls of the session itself. */
function listKnownPaths(
  sessions: readonly Session[],
  own: Session,
  at: number,
  missing: PathNames,
): readonly KnownPath[] {
  const words = listSearchWords(missing);
  const known = new Map<string, KnownPath>();
  for (const session of sessions) {
    const calls = session === own ? session.calls.slice(0, at) : session.calls;
    for (const seen of collectPaths(listRecords(calls, session === own, words), session.root, words)) {
      const path = seen.names.join("/");
      known.set(path, { ...seen, uses: seen.uses + (known.get(path)?.uses ?? 0) });
    }
  }
  known.delete(missing.join("/"));
  return [...known.values()];
}

function listRecords(calls: readonly Call[], isOwn: boolean, words: readonly string[]): readonly PathRecord[] {
  const small = words.map((word) => word.toLowerCase());
  return calls
    .filter((call) => call.outcome === "ok")
    .map((call) => ({ input: JSON.stringify(call.input), text: call.text, cwd: folderOf(call), isOwn }))
    .filter(({ input, text }) => small.some((word) => `${input}\n${text ?? ""}`.toLowerCase().includes(word)));
}

function judged(offered: readonly string[], used: readonly string[]): Recovered {
  if (used.length === 0) return none;
  const [first] = offered;
  return {
    recovered: 1,
    first: first !== undefined && used.includes(first) ? 1 : 0,
    amongThree: offered.some((one) => used.includes(one)) ? 1 : 0,
  };
}

/**
 * The path the agent used next: the first one, in later successful calls of the same tool, with the name or in the
 * folder of the missing path. Parent folders do not count: listing one is only a search.
 */
function relatedUsed(session: Session, at: number, wanted: PathNames): readonly string[] {
  const related = usedNext(session, at, wanted).flatMap((paths) =>
    paths.filter((one) => isAlike(wanted, one.split("/"))),
  );
  return related.slice(0, 1);
}

/** The paths named by the next successful calls of the same tool, one list per call, without the missing path. */
function usedNext({ calls, root }: Session, at: number, wanted: PathNames): readonly (readonly string[])[] {
  const failed = calls[at];
  const next = calls.slice(at + 1).filter((call) => call.agent === failed?.agent);
  return next.slice(0, MAX_CALLS_APART).flatMap((call) => {
    if (call.outcome !== "ok" || call.tool !== failed?.tool) return [];
    const file = findNamedFile(call.input);
    const named = file === null ? findPaths(JSON.stringify(call.input)) : [file];
    const paths = named.flatMap((one) => {
      const path = splitBelowWorkspace(root, one, [folderOf(call) ?? root])?.join("/") ?? "";
      return path === "" || path === wanted.join("/") ? [] : [path];
    });
    return paths.length === 0 ? [] : [paths];
  });
}

function isAlike(missing: PathNames, names: PathNames): boolean {
  const stem = (one: PathNames) => (one.at(-1) ?? "").replace(/\.\w+$/, "").toLowerCase();
  const folder = (one: PathNames) => one.slice(0, -1).join("/");
  if (stem(missing) === stem(names)) return true;
  return missing.length > 1 && folder(missing) === folder(names);
}

function folderOf(call: Call): string | null {
  const own = (call.input as { readonly workdir?: unknown } | null)?.workdir;
  return typeof own === "string" ? own : call.cwd;
}

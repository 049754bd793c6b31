import { basename, isAbsolute, join, resolve, sep } from "node:path";
import { findRequestedPath } from "../../domain/cause/missing-path.ts";
import { type NearPath, type PathNames, type KnownPath, rankPaths } from "../../domain/text/rank-paths.ts";
import { splitPath } from "../../domain/text/path-names.ts";
import { relativePathWithin } from "../../domain/workspace.ts";
import { isWithin } from "../../lib/within.ts";
import type { AnswerLookup, Failure, FailureAnswer } from "./answer.ts";
import { readPathKind, findSimilarPaths } from "../disk/similar-paths.ts";
import { findUsedPaths } from "./used-paths.ts";

/** For a missing path: similar existing ones, the most likely first. */
export async function findNearPaths(around: AnswerLookup, failure: Failure): Promise<FailureAnswer | null> {
  const { call, cause, workspace } = failure;
  const path = findRequestedPath(call, cause, failure.error);
  if (path === null) return null;
  const names = splitBelowWorkspace(workspace, path.path, path.from);
  if (names === null || names.length === 0) return null;
  const isThere = readPathKind(around, names) !== null;
  // It exists now, at the place where the call looked for it.
  if (isThere && (isAbsolute(path.path) || resolve(path.from[0] ?? workspace, path.path) === join(workspace, ...names)))
    return null;
  const used = await findUsedPaths(around.db, { workspace, host: call.host, session: call.session }, names);
  const found = isThere
    ? [{ names, isFolder: readPathKind(around, names) === "folder", uses: 0, score: 1, isBeside: false }]
    : rankPaths(
        names,
        [...findSimilarPaths(around, names), ...used.flatMap((one) => standing(around, one))].map(newUseCounts(used)),
        6,
      );
  const best = dropDuplicates(found.filter((one) => isWithin(join(workspace, ...one.names), workspace))).slice(0, MOST);
  if (best.length === 0) return null;
  const relative = best.map((one) => one.names.join("/"));
  // A folder gets a trailing slash, so that it is not read as a file.
  const asKind = (path: string, at: number) => (best[at]?.isFolder ? `${path}/` : path);
  return {
    label: best.some((one) => !one.isBeside)
      ? `paths that exist, near ${shortenPath(path.path)}`
      : `no name is near ${shortenPath(path.path)}; used in its folder`,
    lines:
      isAbsolute(path.path) || isThere
        ? best.map((one) => join(workspace, ...one.names)).map(asKind)
        : relative.map((one) => relativeToFolder(workspace, path.from, one)).map(asKind),
    shorter: relative.map(asKind),
    offers: { file: null, texts: relative },
  };
}

const MOST = 3;

/** The names below the workspace. For a path elsewhere (another machine's), those after the workspace's own name. */
export function splitBelowWorkspace(workspace: string, path: string, from: readonly string[]): PathNames | null {
  const plain = path.replace(/^file:\/\//, "");
  if (plain.startsWith("~")) return null;
  const bases = from.length === 0 ? [workspace] : from;
  for (const base of isAbsolute(plain) ? [workspace] : bases) {
    const within = relativePathWithin(workspace, resolve(base, plain));
    if (within === "") return null;
    if (within !== null) return splitPath(within);
  }
  const names = splitPath(plain);
  const own = names.lastIndexOf(basename(workspace));
  return own !== -1 && own < names.length - 1 ? names.slice(own + 1) : null;
}

/** With its current kind; empty if it does not exist. */
function standing(around: AnswerLookup, one: KnownPath): readonly KnownPath[] {
  const kind = readPathKind(around, one.names);
  return kind === null ? [] : [{ ...one, isFolder: kind === "folder" }];
}

function newUseCounts(used: readonly { readonly names: PathNames; readonly uses: number }[]) {
  const counts = new Map(used.map((one) => [one.names.join("/"), one.uses]));
  return <T extends { readonly names: PathNames }>(one: T) => ({ ...one, uses: counts.get(one.names.join("/")) ?? 0 });
}

function dropDuplicates(paths: readonly NearPath[]): readonly NearPath[] {
  return [...new Map(paths.map((one) => [one.names.join("/"), one])).values()];
}

/** As it would be written from the call's folder. */
function relativeToFolder(workspace: string, from: readonly string[], path: string): string {
  const folder = from[0] === undefined ? "" : (relativePathWithin(workspace, resolve(from[0])) ?? null);
  if (folder === null) return join(workspace, path);
  if (folder === "") return path;
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : join(workspace, path).replaceAll(sep, "/");
}

export function shortenPath(path: string): string {
  return path.length <= 60 ? path : `…${path.slice(-59)}`;
}

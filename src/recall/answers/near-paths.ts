import { basename, isAbsolute, join, resolve, sep } from "node:path";
import { askedPath } from "../../domain/cause/missing-path.ts";
import { type NearPath, type Names, type PathSeen, rankPaths } from "../../domain/text/rank-paths.ts";
import { namesOf } from "../../domain/text/path-names.ts";
import { pathWithin } from "../../domain/workspace.ts";
import { isWithin } from "../../lib/within.ts";
import type { Around, Failure, Finding } from "./answer.ts";
import { kindOf, lookAround } from "./look-around.ts";
import { usedPaths } from "./used-paths.ts";

/** For a path that is not there: those that are, the likeliest first. */
export async function nearPaths(around: Around, failure: Failure): Promise<Finding | null> {
  const { call, cause, workspace } = failure;
  const asked = askedPath(call, cause, failure.error);
  if (asked === null) return null;
  const names = namesBelow(workspace, asked.path, asked.from);
  if (names === null || names.length === 0) return null;
  const isThere = kindOf(around, names) !== null;
  // It is there by now, and was meant from where it was looked for.
  if (
    isThere &&
    (isAbsolute(asked.path) || resolve(asked.from[0] ?? workspace, asked.path) === join(workspace, ...names))
  )
    return null;
  const used = await usedPaths(around.db, { workspace, host: call.host, session: call.session }, names);
  const found = isThere
    ? [{ names, isFolder: kindOf(around, names) === "folder", uses: 0, score: 1, isBeside: false }]
    : rankPaths(
        names,
        [...lookAround(around, names), ...used.flatMap((one) => standing(around, one))].map(withUses(used)),
        6,
      );
  const best = distinct(found.filter((one) => isWithin(join(workspace, ...one.names), workspace))).slice(0, MOST);
  if (best.length === 0) return null;
  const relative = best.map((one) => one.names.join("/"));
  // A folder is told as one, or it would be read as a file.
  const asKind = (path: string, at: number) => (best[at]?.isFolder ? `${path}/` : path);
  return {
    label: best.some((one) => !one.isBeside)
      ? `paths that exist, near ${shortened(asked.path)}`
      : `no name is near ${shortened(asked.path)}; used in its folder`,
    lines:
      isAbsolute(asked.path) || isThere
        ? best.map((one) => join(workspace, ...one.names)).map(asKind)
        : relative.map((one) => fromFolder(workspace, asked.from, one)).map(asKind),
    shorter: relative.map(asKind),
    offers: { file: null, texts: relative },
  };
}

const MOST = 3;

/** The names below the workspace. Of a path outside, such as another machine has, what follows the workspace's own name. */
export function namesBelow(workspace: string, path: string, from: readonly string[]): Names | null {
  const plain = path.replace(/^file:\/\//, "");
  if (plain.startsWith("~")) return null;
  const bases = from.length === 0 ? [workspace] : from;
  for (const base of isAbsolute(plain) ? [workspace] : bases) {
    const within = pathWithin(workspace, resolve(base, plain));
    if (within === "") return null;
    if (within !== null) return namesOf(within);
  }
  const names = namesOf(plain);
  const own = names.lastIndexOf(basename(workspace));
  return own !== -1 && own < names.length - 1 ? names.slice(own + 1) : null;
}

/** With what it is now, where it is there. */
function standing(around: Around, one: PathSeen): readonly PathSeen[] {
  const kind = kindOf(around, one.names);
  return kind === null ? [] : [{ ...one, isFolder: kind === "folder" }];
}

function withUses(used: readonly { readonly names: Names; readonly uses: number }[]) {
  const counts = new Map(used.map((one) => [one.names.join("/"), one.uses]));
  return <T extends { readonly names: Names }>(one: T) => ({ ...one, uses: counts.get(one.names.join("/")) ?? 0 });
}

function distinct(paths: readonly NearPath[]): readonly NearPath[] {
  return [...new Map(paths.map((one) => [one.names.join("/"), one])).values()];
}

/** As it would be written in the folder the call was made from. */
function fromFolder(workspace: string, from: readonly string[], path: string): string {
  const folder = from[0] === undefined ? "" : (pathWithin(workspace, resolve(from[0])) ?? null);
  if (folder === null) return join(workspace, path);
  if (folder === "") return path;
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : join(workspace, path).replaceAll(sep, "/");
}

export function shortened(path: string): string {
  return path.length <= 60 ? path : `…${path.slice(-59)}`;
}

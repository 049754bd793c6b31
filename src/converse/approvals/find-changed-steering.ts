import { join, relative, sep } from "node:path";
import type { Context } from "../../context.ts";
import { listPathsChangedSince } from "../../store/chat/checkpoints.ts";
import { changedAt } from "../undo/other-changes.ts";
import { listSteering } from "./list-steering.ts";

/**
 * What has changed since a time and decides what a command runs, the nearest to the command first. By whatever changed it, for a
 * command of the agent changes files too; in the folders of installed packages, only what the agent's file tools wrote. Null if
 * nothing has. `isSame`: a file is as it was when the person was asked, whatever its time says.
 */
export async function findChangedSteering(
  { db }: Pick<Context, "db">,
  of: {
    readonly workspace: string;
    readonly cwd: string;
    readonly command: string;
    readonly since: number;
    readonly isSame: (path: string) => boolean;
  },
): Promise<string | null> {
  const { workspace, since } = of;
  const inside = (path: string) => relative(workspace, path).split(sep).join("/");
  const { files, isWhole, rankOf } = listSteering(of);
  const changed = new Set([
    ...files.filter((path) => changedAt(join(workspace, path)) > since - CLOCK_STEP_MS),
    ...(await listPathsChangedSince(db, since)).map(inside).filter((path) => !path.startsWith("../")),
  ]);
  const steering = [...changed].filter((path) => rankOf(path) !== null && !of.isSame(path));
  if (steering.length > 0) return nameChanged(steering.toSorted((a, b) => (rankOf(a) ?? 0) - (rankOf(b) ?? 0)));
  return isWhole ? null : "There are too many files to see which of them changed";
}

function nameChanged(paths: readonly string[]): string {
  const named = paths.slice(0, MOST_NAMED);
  const more = paths.length - named.length;
  const all = more > 0 ? [...named, more === 1 ? "1 more file" : `${more} more files`] : named;
  const last = all.at(-1) ?? "";
  return all.length === 1 ? `${last} has changed` : `${all.slice(0, -1).join(", ")} and ${last} have changed`;
}

const MOST_NAMED = 5;

/** The time of a file moves in steps of some milliseconds, so it may be a little before the true one. */
const CLOCK_STEP_MS = 20;

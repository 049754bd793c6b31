import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Context } from "../../context.ts";
import { OldhandError } from "../../lib/errors.ts";
import { findChatSession } from "../../store/chat/chat-sessions.ts";
import {
  type Checkpoint,
  findTurnStart,
  insertCheckpoint,
  listCheckpoints,
  listLaterCheckpoints,
  markUndone,
  updateCheckpoint,
} from "../../store/chat/checkpoints.ts";
import type { CheckpointParts } from "../turn/chat-parts.ts";
import type { UndoResult } from "../turn/chat-session.ts";
import {
  contentOf,
  matchesState,
  keepState,
  readState,
  removeMadeFolders,
  restoreState,
  statLink,
} from "./file-state.ts";
import { readContent } from "./kept-contents.ts";
import { changedAt, findOtherChanges } from "./other-changes.ts";
import { pruneCheckpoints } from "./prune-checkpoints.ts";

type CheckpointContext = Pick<Context, "db" | "config" | "clock">;

/**
 * Keeps what the file tools of a session change, so that a turn can be taken back. Copies are in oldhand's home; the user's
 * git is left alone.
 */
export function openCheckpoints(ctx: CheckpointContext, session: string): CheckpointParts {
  const { db, config, clock } = ctx;
  /** By turn and path: the paths that were kept for it. */
  const kept = new Map<string, readonly string[]>();
  /** By turn and path: when the file had changed before, if this process knows it. */
  const changedBefore: ChangeTimes = new Map();
  return {
    beforeChange: async (turn, path) => {
      const key = `${turn} ${resolve(path)}`;
      if (kept.has(key)) return;
      const mostBytes = config.policy.chat.checkpointFileMegabytes * 1_000_000;
      const paths = touchedPaths(resolve(path));
      for (const one of paths) {
        const at = clock.now();
        changedBefore.set(`${turn} ${one}`, changedAt(one));
        const state = await keepState({ home: config.home, now: at, mostBytes }, one);
        await insertCheckpoint(db, { session, turn, path: one, at, ...state });
      }
      kept.set(key, paths);
      if (kept.size % PRUNE_EVERY === 0) await pruneCheckpoints(ctx);
    },
    afterChange: async (turn, path) => {
      for (const one of kept.get(`${turn} ${resolve(path)}`) ?? [resolve(path)])
        await updateCheckpoint(db, { session, turn, path: one }, await readState(one));
    },
    undo: (turn) => undoChanges(ctx, { session, turn, changedBefore }),
  };
}

type ChangeTimes = Map<string, number>;

/** So that one long session stays below the disk cap too. */
const PRUNE_EVERY = 200;

/** A write to a link may replace the link, or change the file it points to. */
function touchedPaths(path: string): readonly string[] {
  const isLiveLink =
    statLink(path)?.isSymbolicLink() === true && statSync(path, { throwIfNoEntry: false }) !== undefined;
  return isLiveLink ? [path, realpathSync(path)] : [path];
}

/**
 * Takes back the file changes of a turn, all or none. A file that is neither as the turn left it nor as it was before was
 * changed since. If the process dies in the middle, the next try does the rest.
 */
async function undoChanges(
  ctx: CheckpointContext,
  of: { readonly session: string; readonly turn: number; readonly changedBefore: ChangeTimes },
): Promise<UndoResult> {
  const { session, turn } = of;
  const { db, config, clock } = ctx;
  const all = await listCheckpoints(db, session, turn);
  const left: Checkpoint[] = [];
  const changed: string[] = [];
  for (const one of all.filter(({ undoneAt }) => undoneAt === null)) {
    const now = await readState(one.path);
    if (matchesState(one.before, now)) continue;
    if (one.after !== null && matchesState(one.after, now)) left.push(one);
    else changed.push(one.path);
  }
  if (changed.length > 0) return { kind: "refused", changed };
  for (const { path, before } of left) requireContent(config.home, path, contentOf(before));
  for (const one of left) await restoreState(config.home, one.path, one);
  removeMadeFolders(all);
  await markUndone(db, session, turn, clock.now());
  const files = all.map(({ path }) => path);
  const others = await otherChanges(ctx, of, files);
  return { kind: "undone", turn, text: "", files, ...(others.length === 0 ? {} : { others }) };
}

function requireContent(home: string, path: string, hash: string | null): void {
  if (hash !== null && readContent(home, hash) === null)
    throw new OldhandError("not-found", `the copy of ${path} is not in ${home}, so the turn cannot be taken back`, {
      hint: "nothing was changed; copies are removed after chat.checkpointDays, and are on the machine that made them",
    });
}

async function otherChanges(
  { db }: CheckpointContext,
  { session, turn, changedBefore }: Parameters<typeof undoChanges>[1],
  files: readonly string[],
): Promise<readonly string[]> {
  const since = await findTurnStart(db, session, turn);
  const row = await findChatSession(db, session);
  if (since === null || row === null) return [];
  const except = [...files];
  const seen = new Set<string>();
  for (const one of await listLaterCheckpoints(db, session, turn)) {
    if (seen.has(one.path)) continue;
    seen.add(one.path);
    const wasChanged = (changedBefore.get(`${one.turn} ${one.path}`) ?? 0) > since;
    if (!wasChanged && (await isAsKept(one))) except.push(one.path);
  }
  return findOtherChanges({ workspace: row.workspace, since, except });
}

/** As the file tools left it, or as an undo restored it. */
async function isAsKept({ path, before, after }: Checkpoint): Promise<boolean> {
  const now = await readState(path);
  return matchesState(before, now) || (after !== null && matchesState(after, now));
}

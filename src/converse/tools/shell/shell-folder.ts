import { realpathSync, statSync } from "node:fs";
import { DAY } from "../../../lib/clock.ts";
import { isWithin } from "../../../lib/within.ts";
import { getValue, putValue } from "../../../store/state/kv.ts";
import type { ToolContext } from "../tool.ts";

type FolderContext = Pick<ToolContext, "mind" | "session" | "workspace" | "cwd">;

/** The folder of the session's next command: where its last one ended, if that is still in the workspace. */
export async function readShellFolder({ mind, session, workspace, cwd }: FolderContext): Promise<string> {
  const kept = await getValue(mind.db, spaceOf(session), KEY, mind.clock.now());
  return kept !== null && isFolderWithin(kept, workspace) ? kept : cwd;
}

/** Returns false if the folder is outside the workspace; then it is not kept. */
export async function keepShellFolder(ctx: FolderContext, folder: string): Promise<boolean> {
  if (!isFolderWithin(folder, ctx.workspace)) return false;
  if (folder === (await readShellFolder(ctx))) return true;
  const { db, clock } = ctx.mind;
  const entry = { space: spaceOf(ctx.session), key: KEY, value: folder };
  await putValue(db, { ...entry, now: clock.now(), ttlMs: KEPT_MS, maxBytes: MOST_BYTES });
  return true;
}

const KEY = "folder";
const KEPT_MS = 30 * DAY;
const MOST_BYTES = 10_000;

function spaceOf(session: string): string {
  return `chat:${session}`;
}

function isFolderWithin(folder: string, workspace: string): boolean {
  const there = statSync(folder, { throwIfNoEntry: false });
  return there !== undefined && there.isDirectory() && isWithin(realpathSync(folder), workspace);
}

import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { systemErrorCode } from "../../../lib/errors.ts";
import { isRecord, tryParseJson } from "../../../lib/json.ts";
import { isOfThisMachine, isProcessGone, ownProcessRef } from "../../../lib/process-ref.ts";

/**
 * The empty folders that a sandbox makes in a workspace, because nothing can be mounted over a name that does not exist. They
 * are recorded in oldhand's home before they are made: those of a process that was killed are found and removed later.
 */
export interface MountPoints {
  readonly workspace: string;
  readonly folders: readonly string[];
  /** The process that made them. */
  readonly by: string;
}

/** Returns what removes them: the folders that are still empty, then the record. */
export function recordMountPoints(
  home: string,
  { workspace, folders, by = ownProcessRef() }: Omit<MountPoints, "by"> & { readonly by?: string },
): () => void {
  if (folders.length === 0) return () => {};
  const folder = join(home, FOLDER);
  mkdirSync(folder, { recursive: true });
  const record = join(folder, `${randomUUID()}.json`);
  writeFileSync(record, JSON.stringify({ workspace, folders, by } satisfies MountPoints));
  return () => {
    folders.forEach(removeEmptyFolder);
    rmSync(record, { force: true });
  };
}

/** Removes what killed processes left behind, and returns the folders. Nothing is touched in a workspace where a command runs now. */
export function removeLeftMountPoints(home: string): readonly string[] {
  const left = findLeft(home);
  const removed = left.flatMap(({ folders }) => folders.filter(removeEmptyFolder));
  for (const { record } of left) rmSync(record, { force: true });
  return removed;
}

/** The empty folders that killed processes left behind. */
export function listLeftMountPoints(home: string): readonly string[] {
  return findLeft(home).flatMap(({ folders }) => folders.filter(isEmptyFolder));
}

const FOLDER = "sandbox";

function findLeft(home: string): readonly (MountPoints & { readonly record: string })[] {
  const all = listRecords(home);
  const isUsed = (workspace: string) =>
    all.some((one) => one.workspace === workspace && isOfThisMachine(one.by) && !isProcessGone(one.by));
  return all.filter(({ by, workspace }) => isProcessGone(by) && !isUsed(workspace));
}

function listRecords(home: string): readonly (MountPoints & { readonly record: string })[] {
  const folder = join(home, FOLDER);
  if (statSync(folder, { throwIfNoEntry: false }) === undefined) return [];
  return readdirSync(folder).flatMap((name) => {
    const record = join(folder, name);
    const read = readRecord(record);
    return read === null ? [] : [{ ...read, record }];
  });
}

/** Null if another process has removed it meanwhile, or is writing it. */
function readRecord(path: string): MountPoints | null {
  try {
    const read = tryParseJson(readFileSync(path, "utf8"));
    if (!isRecord(read) || typeof read["workspace"] !== "string" || typeof read["by"] !== "string") return null;
    const folders: unknown = read["folders"];
    if (!Array.isArray(folders) || !folders.every((one) => typeof one === "string")) return null;
    return { workspace: read["workspace"], by: read["by"], folders };
  } catch (error) {
    if (systemErrorCode(error) === "") throw error;
    return null;
  }
}

function isEmptyFolder(path: string): boolean {
  try {
    return readdirSync(path).length === 0;
  } catch (error) {
    if (systemErrorCode(error) === "") throw error;
    return false;
  }
}

/** False if it is gone, or has content by now, which stays. */
function removeEmptyFolder(path: string): boolean {
  try {
    rmdirSync(path);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === "") throw error;
    return false;
  }
}

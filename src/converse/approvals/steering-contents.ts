import { createHash } from "node:crypto";
import { lstatSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import type { Context } from "../../context.ts";
import { DAY } from "../../lib/clock.ts";
import { systemErrorCode } from "../../lib/errors.ts";
import { isRecord, tryParseJson } from "../../lib/json.ts";
import { getValue, putValue } from "../../store/state/kv.ts";
import { listSteering } from "./list-steering.ts";

type KeepingContext = Pick<Context, "db" | "clock">;

/** Keeps what the files contain that decide what a command runs, as they are when a person is asked about it. */
export async function keepSteeringContents(
  { db, clock }: KeepingContext,
  approval: string,
  of: Parameters<typeof listSteering>[0],
): Promise<void> {
  const { files, rankOf } = listSteering(of);
  const near = files
    .filter((path) => rankOf(path) !== null)
    .toSorted((a, b) => (rankOf(a) ?? 0) - (rankOf(b) ?? 0))
    .slice(0, MOST_FILES);
  const value = JSON.stringify(Object.fromEntries(near.map((path) => [path, markContent(join(of.workspace, path))])));
  await putValue(db, {
    ...{ space: `steering ${approval}`, key: KEY, value },
    ...{ now: clock.now(), ttlMs: KEPT_MS, maxBytes: MOST_BYTES },
  });
}

/** Tells whether a file is as it was then. What was not kept counts as changed. */
export async function readSteeringContents(
  { db, clock }: KeepingContext,
  approval: string,
  workspace: string,
): Promise<(path: string) => boolean> {
  const kept = tryParseJson((await getValue(db, `steering ${approval}`, KEY, clock.now())) ?? "");
  return (path) =>
    isRecord(kept) && typeof kept[path] === "string" && kept[path] === markContent(join(workspace, path));
}

const KEY = "contents";
const MOST_FILES = 2_000;
const MOST_BYTES = 4_000_000;
const KEPT_MS = 30 * DAY;
const LARGEST_FILE = 2_000_000;

/** Short, so that it does not look like a secret. A file that cannot be read is never the same. */
function markContent(path: string): string | null {
  try {
    const found = lstatSync(path);
    if (found.size > LARGEST_FILE) return null;
    const link = found.isSymbolicLink() ? readlinkSync(path) : "";
    const hash = createHash("sha256").update(`${link}\0`).update(readFileSync(path)).digest("hex");
    return `${found.mode.toString(8)} ${hash.replaceAll(/(.{4})/g, "$1 ").trim()}`;
  } catch (error) {
    if (systemErrorCode(error) === "") throw error;
    return null;
  }
}

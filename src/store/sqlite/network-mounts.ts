import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import { folderCovers } from "../../domain/workspace.ts";
import { readPlainText } from "../../lib/plain-file.ts";

/**
 * The type of a path's file system that a program serves (FUSE), if other machines may be behind it. Null if it is a
 * local one, such as an encrypted folder.
 */
export function nameFileSystem(path: string, mounts: string | null): string | null {
  const type = findMountType(realFolder(path), mounts ?? readPlainText(MOUNTS) ?? "");
  return type === null || localTypes.has(type) ? null : type;
}

/** The type of the innermost mount that covers the folder. A later line covers an earlier one. */
function findMountType(folder: string, mounts: string): string | null {
  let found: { readonly at: string; readonly type: string } | null = null;
  for (const line of mounts.split("\n")) {
    const [, at = "", type = ""] = line.split(" ");
    const place = at.replaceAll(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
    const isAround = place === "/" || folderCovers(place, folder);
    if (at !== "" && isAround && (found === null || place.length >= found.at.length)) found = { at: place, type };
  }
  return found?.type ?? null;
}

function realFolder(path: string): string {
  const folder = dirname(path);
  try {
    return realpathSync(folder);
  } catch {
    // A folder that is not there has no other name.
    return folder;
  }
}

const MOUNTS = "/proc/self/mounts";

/** Served by a program of this machine from this machine's disk. */
const localTypes: ReadonlySet<string> = new Set([
  "fuseblk",
  "fuse.bindfs",
  "fuse.cryfs",
  "fuse.encfs",
  "fuse.exfat",
  "fuse.fuse-overlayfs",
  "fuse.gocryptfs",
  "fuse.mergerfs",
  "fuse.ntfs-3g",
  "fuse.securefs",
  "fuse.veracrypt",
  "fuse.zfs",
]);

import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { OldhandError } from "../../lib/errors.ts";

/** How a path's file system is looked up; tests give another. */
export interface FileSystemProbe {
  /** The number by which Linux names the type of the path's file system; null if it cannot be read. */
  typeOf(path: string): number | null;
  /** The text of the mount table; null if there is none. */
  mounts(): string | null;
  readonly platform: NodeJS.Platform;
}

/**
 * Throws if a SQLite file would be on a network file system. SQLite's write-ahead log needs memory that all its
 * processes share, and locks that hold: machines on a network have neither, and the file would be damaged.
 */
export async function refuseNetworkFile(path: string, probe: FileSystemProbe = thisSystem): Promise<void> {
  const suspect = findSuspect(path, probe);
  if (suspect === null) return;
  // Loaded only here: nearly every home is on a local disk.
  const { nameFileSystem } = await import("./network-mounts.ts");
  const name = suspect.name ?? nameFileSystem(path, probe.mounts());
  if (name === null) return;
  throw new OldhandError("config", `${path} is on a network file system (${name}), where SQLite loses data`, {
    hint: "to share a mind between machines use PostgreSQL: oldhand init --database; or choose a home on a local disk with --home; `oldhand config set store.networkFile true` opens it all the same",
  });
}

/** A known name, or null for one that only the mount table tells. Null if the file system is local. */
function findSuspect(path: string, probe: FileSystemProbe): { readonly name: string | null } | null {
  if (probe.platform === "win32") return /^[\\/]{2}[^\\/?.]/.test(path) ? { name: "a network share" } : null;
  if (probe.platform !== "linux") return null;
  const type = probe.typeOf(dirname(path));
  if (type === null) return null;
  // The number is 32 bits wide, and may arrive with a sign.
  const magic = type >>> 0;
  if (magic === FUSE) return { name: null };
  const name = networks[magic];
  return name === undefined ? null : { name };
}

const FUSE = 0x65735546;

/** From statfs(2) and the kernel's linux/magic.h. */
const networks: Readonly<Record<number, string>> = {
  0x6969: "NFS",
  0x517b: "SMB",
  0xff534d42: "CIFS",
  0xfe534d42: "SMB",
  0x01021997: "9p",
  0x00c36400: "Ceph",
  0x5346414f: "AFS",
  0x6b414653: "AFS",
  0x73757245: "Coda",
  0x564c: "NCP",
  0x0bd00bd0: "Lustre",
  0x47504653: "GPFS",
  0x01161970: "GFS2",
  0x7461636f: "OCFS2",
  0x786f4256: "vboxsf",
};

const thisSystem: FileSystemProbe = {
  platform: process.platform,
  typeOf: (path) => {
    try {
      return statfsSync(path).type;
    } catch {
      // A folder that is missing or locked: opening the file says more.
      return null;
    }
  },
  mounts: () => null,
};

import { isSamePlaceOrBelow } from "../../../domain/approval/protected-paths.ts";
import type { HiddenPath, SandboxProfile } from "../sandbox.ts";

/** The arguments of bubblewrap before the command. Later mounts lie over earlier ones. */
export function planBubblewrap(profile: SandboxProfile): readonly string[] {
  const { workspace, cwd, kind, hasNetwork, hidden, pinned, readOnly, absent, mounted = [] } = profile;
  const isInside = ({ path }: HiddenPath) => isSamePlaceOrBelow(workspace, path);
  const isAround = ({ path, isFolder }: HiddenPath) =>
    isFolder && path !== workspace && isSamePlaceOrBelow(path, workspace);
  const isClosed = kind === "closed";
  return [
    // The program ends with its parent, and cannot type into the terminal of its parent.
    ...["--die-with-parent", "--new-session"],
    // With the processes of others visible, their view of the files would be reachable through them.
    ...["--unshare-pid", "--unshare-ipc", "--unshare-uts"],
    ...(hasNetwork ? [] : ["--unshare-net"]),
    // Without this, a command of root could take the mounts away.
    ...["--cap-drop", "ALL"],
    ...(isClosed ? ["--ro-bind", "/", "/", "--dev", DEV] : ["--bind", "/", "/", "--dev-bind", DEV, DEV]),
    ...["--proc", PROC],
    ...(isClosed ? ["--tmpfs", TEMPORARY, "--tmpfs", RUN] : []),
    ...(isClosed && hasNetwork ? ["--ro-bind-try", RESOLVER, RESOLVER] : []),
    ...hidden.filter((one) => !isInside(one) && !isAround(one)).flatMap(hide),
    // The workspace lies in a hidden folder: its place in it is made before nothing can be written there any more.
    ...hidden.filter(isAround).flatMap(({ path }) => ["--tmpfs", path]),
    ...(isClosed || hidden.some(isAround) ? ["--bind", profile.contents ?? workspace, workspace] : []),
    ...hidden.filter(isAround).flatMap(({ path }) => ["--remount-ro", path]),
    ...hidden.filter(isInside).flatMap(hide),
    ...pinned.flatMap((path) => ["--bind", path, path]),
    ...readOnly.flatMap((path) => ["--ro-bind", path, path]),
    ...mounted.flatMap(({ from, to }) => ["--ro-bind", from, to]),
    ...absent.flatMap((path) => hide({ path, isFolder: true })),
    ...["--chdir", cwd, "--"],
  ];
}

const DEV = "/dev";
const PROC = "/proc";
/** Empty, and the program can write there. */
export const TEMPORARY = "/tmp";
/** Sockets of services: docker, the user's session, the agent that holds keys. */
const RUN = "/run";
const RESOLVER = "/run/systemd/resolve";

function hide({ path, isFolder }: HiddenPath): readonly string[] {
  return isFolder ? ["--tmpfs", path, "--remount-ro", path] : ["--ro-bind", NOTHING, path];
}

const NOTHING = "/dev/null";

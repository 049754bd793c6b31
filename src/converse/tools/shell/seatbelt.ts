import { isSamePlaceOrBelow } from "../../../domain/approval/protected-paths.ts";
import type { HiddenPath, SandboxProfile } from "../sandbox.ts";

/** The arguments of macOS's sandbox-exec before the command. Later rules go before earlier ones. */
export function planSeatbelt(profile: SandboxProfile): readonly string[] {
  return ["-p", composeSeatbeltProfile(profile)];
}

export function composeSeatbeltProfile(profile: SandboxProfile): string {
  const { workspace, kind, hasNetwork, hidden, readOnly, absent } = profile;
  const filter = (path: string) => `(subpath ${quotePath(path)})`;
  // A worktree in oldhand's home: the home is hidden, the worktree is not.
  const isAround = ({ path }: HiddenPath) => path !== workspace && isSamePlaceOrBelow(path, workspace);
  const rules = [
    "(version 1)",
    "(allow default)",
    ...(kind === "closed"
      ? [
          "(deny file-write*)",
          `(allow file-write* ${filter(workspace)} (subpath "/private/var/folders") (subpath "/private/tmp") (literal "/dev/null") (literal "/dev/tty"))`,
        ]
      : []),
    ...(hasNetwork ? [] : ["(deny network*)"]),
    ...hidden.filter(isAround).map(({ path }) => `(deny file-read* file-write* ${filter(path)})`),
    ...(hidden.some(isAround) ? [`(allow file-read* file-write* ${filter(workspace)})`] : []),
    ...[...readOnly, ...absent].map((path) => `(deny file-write* ${filter(path)})`),
    ...hidden.filter((one) => !isAround(one)).map(({ path }) => `(deny file-read* file-write* ${filter(path)})`),
    // Another process could be asked to act outside.
    ...(kind === "closed" ? ["(deny appleevent-send)", "(deny process-info* (target others))"] : []),
  ];
  return `${rules.join("\n")}\n`;
}

function quotePath(path: string): string {
  return `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

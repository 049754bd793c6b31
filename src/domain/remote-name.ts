/** The name of a repository from the text of its git configuration: the remote `origin`, or the only one. */
export function parseRemoteName(config: string): string | null {
  const remotes = new Map<string, string>();
  let section: string | null = null;
  for (const line of config.split(/\r?\n/)) {
    const head = /^\s*\[(.*)\]\s*$/.exec(line)?.[1];
    if (head !== undefined) section = /^remote "(.*)"$/.exec(head)?.[1] ?? null;
    const url = section === null ? undefined : /^\s*url\s*=\s*(\S.*?)\s*$/.exec(line)?.[1];
    if (section !== null && url !== undefined && !remotes.has(section)) remotes.set(section, url);
  }
  const url = remotes.get("origin") ?? (remotes.size === 1 ? [...remotes.values()][0] : undefined);
  return url === undefined ? null : normaliseRemote(url);
}

/**
 * `github.com/acme/shop` for `git@github.com:acme/shop.git` and `https://user:token@github.com/acme/shop`. Null for a folder:
 * it is another one on each machine.
 */
export function normaliseRemote(url: string): string | null {
  const [, host, path] =
    /^(?:ssh|https?|git|git\+ssh):\/\/(?:[^@/]*@)?([^/:]+)(?::\d+)?\/+(.+)$/i.exec(url) ??
    /^(?:[^@/\s]+@)?([^/:\s@]{2,}):(?!\/\/)\/*(.+)$/.exec(url) ??
    [];
  if (host === undefined || path === undefined) return null;
  const name = path
    .replace(/[?#].*$/, "")
    .replace(/\/+$/, "")
    .replace(/\.git$/, "");
  return name === "" ? null : `${host.toLowerCase()}/${name}`;
}

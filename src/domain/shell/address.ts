/** Returns the host and port that a word names, with local addresses as `localhost`; null if it names none. */
export function findAddress(word: string): string | null {
  const [, scheme, host, port] =
    /^([a-z][a-z\d+.-]*):\/\/(?:[^/@\s]*@)?(\[[\da-f:]+\]|[\w.-]+)(?::(\d+))?/i.exec(word) ?? [];
  if (host !== undefined) return joinAddress(host, port ?? defaultPorts.get(scheme?.toLowerCase() ?? "") ?? null);
  const [, bare, bound] = /^(\[[\da-f:]+\]|[\w-]+(?:\.[\w-]+)*):(\d{2,5})(?:\/|$)/i.exec(word) ?? [];
  return bare === undefined || bound === undefined || /^\d+$/.test(bare) ? null : joinAddress(bare, bound);
}

/** Returns the host and port that an error line names, or null. */
export function findAddressInError(line: string): string | null {
  const [, host, hostPort] = /\b[Cc]onnect to (\S+) port (\d+)/.exec(line) ?? [];
  if (host !== undefined) return joinAddress(host, hostPort ?? null);
  const [, server, port] = /server at "?([^"\s]+)"?.*?,? port (\d+)/.exec(line) ?? [];
  if (server !== undefined) return joinAddress(server, port ?? null);
  const [, unknown] =
    /[Cc]ould not resolve host: ([\w.-]+)|(?:EAI_AGAIN|ENOTFOUND) ([\w.-]+)/.exec(line)?.filter(Boolean) ?? [];
  if (unknown !== undefined) return joinAddress(unknown, null);
  for (const word of line.split(/[\s"'(),]+/)) {
    const found = findAddress(word.replace(/[.:;]+$/, ""));
    if (found !== null) return found;
  }
  return null;
}

/** True if both are the same address. `named` may lack the port. */
export function isSameAddress(address: string, named: string): boolean {
  return address === named || address.replace(/:\d+$/, "") === named;
}

function joinAddress(host: string, port: string | null): string {
  const name = /^(?:127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[?::1?\]?|localhost)$/i.test(host)
    ? "localhost"
    : host.toLowerCase();
  return port === null ? name : `${name}:${port}`;
}

const defaultPorts: ReadonlyMap<string, string> = new Map([
  ["http", "80"],
  ["ws", "80"],
  ["https", "443"],
  ["wss", "443"],
]);

export type Params = Readonly<Record<string, string>>;

/** Matches a pattern such as `/sessions/:id` against a pathname; null if it does not match. */
export function matchPath(pattern: string, pathname: string): Params | null {
  const wanted = splitPath(pattern);
  const given = splitPath(pathname);
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? "";
    if (part.startsWith(":")) params[part.slice(1)] = decodePart(value);
    else if (part !== value) return null;
  }
  return params;
}

/** Builds an address from a pathname and a query, without empty parameters. */
export function makePath(
  pathname: string,
  query: Readonly<Record<string, string | number | null | undefined>>,
): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== "") search.set(name, String(value));
  }
  return search.size === 0 ? pathname : `${pathname}?${search}`;
}

export function sessionPath(id: string, at?: number): string {
  return makePath(`/sessions/${encodeURIComponent(id)}`, { at });
}

export function rulePath(id: string): string {
  return `/rules/${encodeURIComponent(id)}`;
}

function splitPath(path: string): readonly string[] {
  return path.split("/").filter((part) => part !== "");
}

// decodeURIComponent throws on a malformed address; URLSearchParams does not.
function decodePart(part: string): string {
  return new URLSearchParams(`part=${part.replaceAll("+", "%2B").replaceAll("&", "%26")}`).get("part") ?? part;
}

/** True if `other` is the same path with one more name in it: `pulls/#/comments` for `pulls/comments`. */
export function hasOneMoreName(path: string, other: string): boolean {
  const [names, more] = [path.split("/"), other.split("/")];
  if (names.length < 3 || more.length !== names.length + 1) return false;
  return more.some((_, at) => more.toSpliced(at, 1).every((name, i) => name === names[i]));
}

/** The name that only the longer path has: the number in `pulls/#/comments`. */
export function findOneMoreName(path: string, longer: string): string | null {
  const names = path.split("/");
  return longer.split("/").find((name, at) => name !== names[at]) ?? null;
}

/** True if the second path may be the first at its right place: the same last name, or at most one name differs. */
export function isLikePath(path: string, other: string): boolean {
  const [names, others] = [path, other].map((one) => one.replace(/^\.\//, "").replace(/\/+$/, "").split("/"));
  if (names === undefined || others === undefined) return false;
  if (names.at(-1) === others.at(-1) || hasOneMoreName(path, other) || hasOneMoreName(other, path)) return true;
  if (names.length !== others.length) return false;
  const differing = names.filter((name, at) => name !== others[at]);
  return differing.length === 1 && (names.length > 1 || isTypo(names[0] ?? "", others[0] ?? ""));
}

/** One letter more, less or different. */
function isTypo(one: string, other: string): boolean {
  const [short = "", long = ""] = [one, other].toSorted((a, b) => a.length - b.length);
  if (long.length - short.length > 1) return false;
  let at = 0;
  while (at < short.length && short[at] === long[at]) at++;
  return short.slice(long.length === short.length ? at + 1 : at) === long.slice(at + 1);
}

/** True if `other` is the same path with one more name in it: `pulls/#/comments` for `pulls/comments`. */
export function hasOneMoreName(path: string, other: string): boolean {
  const [names, more] = [path.split("/"), other.split("/")];
  if (names.length < 3 || more.length !== names.length + 1) return false;
  return more.some((_, at) => more.toSpliced(at, 1).every((name, i) => name === names[i]));
}

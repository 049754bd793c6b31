/**
 * True if a line names a path in a home that is not the one it ran in. What one user has there, another may not have, and
 * may not be meant to read.
 */
export function namesOthersHome(line: string, cwd: string | null): boolean {
  const own = findHomes(cwd ?? "")[0];
  return findHomes(line).some((home) => home !== own);
}

function findHomes(text: string): readonly string[] {
  return [...text.matchAll(/(?:^|[\s"'=:(])(\/(?:home|Users)\/[^/\s"']+)(?=\/|$)/g)].map(([, home]) => home ?? "");
}

/**
 * Resolves a path against the folder it was written in; null if that needs the machine: variables, wildcards, a home
 * folder. Works on text only, because a mind also holds events from other machines.
 */
export function resolveWrittenPath(path: string, folder: string | null): string | null {
  if (path === "" || path.length > LONGEST || UNKNOWN.test(path)) return null;
  const slashed = path.replaceAll("\\", "/");
  if (isAbsolute(slashed)) return normal(slashed);
  return folder === null || !isAbsolute(folder.replaceAll("\\", "/"))
    ? null
    : normal(`${folder.replaceAll("\\", "/")}/${slashed}`);
}

const LONGEST = 400;
/** Includes the placeholder that redaction puts in place of a secret. */
const UNKNOWN = /[*$`\n]|^~|\[redacted:/;

/** The same for a word of a shell line, in which brackets are wildcards. */
export function resolveShellWord(word: string, folder: string | null): string | null {
  return /[?{}[\]<>|"']|^-/.test(word) ? null : resolveWrittenPath(word, folder);
}

function isAbsolute(path: string): boolean {
  return path.startsWith("/") || /^[A-Za-z]:\//.test(path);
}

function normal(path: string): string | null {
  const [root = "", ...names] = path.split("/");
  const kept: string[] = [];
  for (const name of names) {
    if (name === "" || name === ".") continue;
    if (name !== "..") kept.push(name);
    else if (kept.pop() === undefined) return null;
  }
  return kept.length === 0 ? null : `${root}/${kept.join("/")}`;
}

export function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

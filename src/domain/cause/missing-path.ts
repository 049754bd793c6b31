import { isRecord } from "../../lib/json.ts";
import { parseCommands, isShellTool } from "../shell/command.ts";
import { findShellText } from "../shell/shell-text.ts";
import { findNamedFile } from "../text/named-file.ts";
import type { FailureCause, FailedCall } from "./cause.ts";

/** The path that a failed call is about, as written, and the folders it may be relative to, most likely first. */
export interface RequestedPath {
  readonly path: string;
  readonly from: readonly string[];
}

/** Null if neither the error nor the call names a path. */
export function findRequestedPath(
  call: FailedCall & { readonly cwd: string | null },
  cause: FailureCause,
  error: string,
): RequestedPath | null {
  const own = isRecord(call.input) ? (call.input["workdir"] ?? call.input["cwd"] ?? call.input["dir_path"]) : null;
  const base = typeof own === "string" && isShellTool(call.tool) ? [own] : [];
  const from = [...base, ...(call.cwd === null ? [] : [call.cwd])];
  if (!isShellTool(call.tool)) {
    const path = namedIn(call.input) ?? cause.thing;
    return path === null ? null : { path, from };
  }
  const thing = cause.thing ?? /(?:^|: )([^:\n]+): [Ii]s a directory/.exec(error)?.[1] ?? null;
  if (thing === null || !isPath(thing)) return null;
  const entered = parseCommands(findShellText(call.input) ?? "").flatMap((one) => (one.cwd === null ? [] : [one.cwd]));
  // A `cd` that failed did not change the folder.
  const inside = [...new Set(entered)]
    .filter((one) => one !== thing)
    .map((one) => (isAbsolute(one) ? one : `${from[0] ?? ""}/${one}`));
  return { path: thing, from: [...inside, ...from] };
}

function namedIn(input: unknown): string | null {
  const file = findNamedFile(input);
  if (file !== null || !isRecord(input)) return file;
  for (const field of ["dir_path", "directory", "folder", "dir", "cwd"]) {
    const value = input[field];
    if (typeof value === "string" && value !== "") return value;
  }
  return null;
}

function isAbsolute(path: string): boolean {
  return /^(?:[\\/]|[A-Za-z]:[\\/])/.test(path);
}

/** False for URLs, patterns and sentences. */
function isPath(thing: string): boolean {
  return thing.length <= 300 && !/^\w+:\/\/|[*?<>|"\n$]|^-/.test(thing) && !/\s.*\s.*\s/.test(thing);
}

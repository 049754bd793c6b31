import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { systemErrorCode } from "./errors.ts";

/**
 * Creates a folder and its parents; returns the topmost one that was created. Node's `recursive` option never ends if
 * creating a folder fails with ENOENT although its parent exists, as below /proc.
 */
export function makeFolder(path: string, mode = 0o777): string | undefined {
  const missing: string[] = [];
  for (let at = path; !existsSync(at) && dirname(at) !== at; at = dirname(at)) missing.push(at);
  for (const one of missing.toReversed()) {
    try {
      mkdirSync(one, { mode });
    } catch (cause) {
      // Another process was faster.
      if (systemErrorCode(cause) !== "EEXIST") throw cause;
    }
  }
  // If the path is not a folder, this throws the system's own error.
  if (!statSync(path).isDirectory()) mkdirSync(path);
  return missing.at(-1);
}

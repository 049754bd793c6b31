import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { systemErrorCode } from "./errors.ts";

/**
 * A folder and those above it; the first that had to be made. Node's own way of making many (`recursive`) never ends
 * where making one answers that its parent is missing although it is there, as below /proc.
 */
export function makeFolder(path: string, mode = 0o777): string | undefined {
  const missing: string[] = [];
  for (let at = path; !existsSync(at) && dirname(at) !== at; at = dirname(at)) missing.push(at);
  for (const one of missing.toReversed()) {
    try {
      mkdirSync(one, { mode });
    } catch (cause) {
      // Somebody else was faster.
      if (systemErrorCode(cause) !== "EEXIST") throw cause;
    }
  }
  // Something else of that name: said in the system's own words.
  if (!statSync(path).isDirectory()) mkdirSync(path);
  return missing.at(-1);
}

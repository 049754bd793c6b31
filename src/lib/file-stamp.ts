import { statSync } from "node:fs";

/** Another text if the file at this path has changed, was replaced, or is gone. Reads nothing of its content. */
export function fileStamp(path: string): string {
  try {
    const { mtimeNs, size, ino } = statSync(path, { bigint: true });
    return `${mtimeNs} ${size} ${ino}`;
  } catch {
    return "";
  }
}

import { basename, join } from "node:path/posix";
import { listRunFilesFrom } from "./steering.ts";

/**
 * The files that a shell script or a Makefile loads or starts by a literal path. `$(dirname "$0")` stands for its own folder. `folders`: what
 * such a path may be relative to.
 * A file with another known ending is no shell script: nothing is read from it.
 */
export function listSourced(path: string, text: string, folders: readonly string[]): readonly string[] {
  const name = basename(path);
  if (/^(?:gnu)?makefile$|\.mk$/i.test(name))
    return [...text.matchAll(/^-?s?include[ \t]+(.+)$/gm)].flatMap(([, files = ""]) =>
      files
        .split(/\s+/)
        .filter((one) => one !== "" && !one.includes("$"))
        .flatMap((one) => folders.map((folder) => join(folder, one))),
    );
  if (otherLanguages.test(name)) return [];
  return text
    .split("\n")
    .map((line) => line.replaceAll(ownFolder, "."))
    .flatMap((line) => folders.flatMap((folder) => listRunFilesFrom(folder, line)));
}

const otherLanguages = /\.(?:[cm]?[jt]sx?|py|rb|pl|php|go|rs|java|kt|json|ya?ml|toml|md|txt)$/i;
const ownFolder =
  /\$\(\s*dirname\s+(?:--\s+)?"?\$(?:0|\{?BASH_SOURCE(?:\[0\])?\}?)"?\s*\)|\$\{(?:0|BASH_SOURCE(?:\[0\])?)%\/\*\}/g;

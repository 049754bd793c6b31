import { readdirSync, statSync } from "node:fs";
import { basename, join, relative, sep } from "node:path";
import { linearRegex } from "../../../lib/linear-regex.ts";
import { readPlainText } from "../../../lib/plain-file.ts";
import { newHiddenCheck } from "../../../recall/disk/ignored.ts";
import type { FoundLine, SearchOutcome, SearchRequest } from "./grep.ts";

/** The same search without ripgrep: slower, and bounded by the number of files. */
export function searchByWalking(request: SearchRequest): SearchOutcome {
  const { pattern, root, ignore_case, files_only, most, signal } = request;
  const regex = linearRegex(ignore_case === true ? `(?i)${pattern}` : pattern);
  if (regex.kind === "refused") return { kind: "failed", why: `The pattern cannot be used: ${regex.why}` };
  const lines: FoundLine[] = [];
  for (const file of listFiles(request)) {
    if (signal.aborted) return { kind: "failed", why: "The search was stopped." };
    const text = readPlainText(file, { within: root });
    if (text === null || text.slice(0, 8_192).includes("\0")) continue;
    for (const [at, line] of text.split("\n").entries()) {
      if (!regex.test(line)) continue;
      lines.push({ file, line: files_only === true ? null : at + 1, text: line.slice(0, LONGEST_LINE) });
      if (lines.length > most) return { kind: "found", lines: lines.slice(0, most), isCut: true };
      if (files_only === true) break;
    }
  }
  return { kind: "found", lines, isCut: false };
}

const LONGEST_LINE = 300;
const MOST_FILES = 20_000;

function* listFiles({ root, glob }: SearchRequest): Iterable<string> {
  if (!statSync(root).isDirectory()) {
    yield root;
    return;
  }
  const isHidden = newHiddenCheck(root);
  const fits = globTest(glob);
  const queue = [root];
  let seen = 0;
  while (queue.length > 0) {
    const folder = queue.shift() ?? root;
    for (const entry of readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name);
      const shown = relative(root, path).replaceAll(sep, "/");
      if (entry.name.startsWith(".") || isHidden(shown, entry.isDirectory())) continue;
      if (entry.isDirectory()) queue.push(path);
      else if (entry.isFile() && fits(shown)) {
        if (++seen > MOST_FILES) return;
        yield path;
      }
    }
  }
}

/** `*.ts` fits the name in any folder; a glob with a slash fits the path. */
function globTest(glob: string | undefined): (path: string) => boolean {
  if (glob === undefined) return () => true;
  const parts = glob.split(/(\*\*\/|\*\*|\*|\?)/);
  const source = parts
    .map((part) => wildcards.get(part) ?? part.replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`))
    .join("");
  const regex = linearRegex(`^${source}$`);
  return (path) => regex.kind === "regex" && regex.test(glob.includes("/") ? path : basename(path));
}

const wildcards: ReadonlyMap<string, string> = new Map([
  ["**/", "(?:.*/)?"],
  ["**", ".*"],
  ["*", "[^/]*"],
  ["?", "[^/]"],
]);

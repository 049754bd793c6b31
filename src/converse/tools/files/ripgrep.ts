import { isCut } from "../../../lib/text.ts";
import { runProgram } from "../shell/run-program.ts";
import type { FoundLine, SearchOutcome, SearchRequest } from "./grep.ts";

/** The program that the optional package brings; null if it is not installed for this system. */
export async function findRipgrep(): Promise<string | null> {
  found ??= import("@vscode/ripgrep").then(
    ({ rgPath }) => rgPath,
    () => null,
  );
  return found;
}

let found: Promise<string | null> | undefined;

export async function searchWithRipgrep(program: string, request: SearchRequest): Promise<SearchOutcome> {
  const { pattern, root, glob, ignore_case, files_only, most, signal } = request;
  const ran = await runProgram({
    program,
    args: [
      // No file of settings: it could name a program to run.
      ...["--no-config", "--color=never", "--no-heading", "--with-filename", "--null", "--no-messages"],
      ...["--max-columns=300", "--max-columns-preview", "--max-filesize=5M", `--max-count=${most}`],
      ...(files_only === true ? ["--files-with-matches"] : ["--line-number"]),
      ...(ignore_case === true ? ["--ignore-case"] : []),
      ...(glob === undefined ? [] : [`--glob=${glob}`]),
      ...[`--regexp=${pattern}`, "--", root],
    ],
    cwd: root === "" ? "." : folderOf(root),
    env: {},
    timeoutMs: TIMEOUT_MS,
    mostCharacters: MOST_CHARACTERS,
    signal,
    report: () => {},
  });
  if (ran.ended === "timeout") return { kind: "failed", why: "The search timed out. Name a smaller folder." };
  // 1: nothing found. 2: some files could not be read, or the pattern is wrong.
  if (ran.ended !== "itself") return { kind: "failed", why: "The search was stopped." };
  const lines = ran.output.split("\n").flatMap((line) => parseLine(line, files_only === true));
  if (ran.exitCode === 2 && lines.length === 0)
    return { kind: "failed", why: `The pattern cannot be used: ${await explainPattern(program, request)}` };
  return { kind: "found", lines: lines.slice(0, most), isCut: lines.length > most || isCut(ran.output) };
}

const TIMEOUT_MS = 30_000;
const MOST_CHARACTERS = 200_000;

function folderOf(root: string): string {
  return process.platform === "win32" ? root : "/";
}

/** The file, a NUL, the line's number and text. Lines that were cut out have no NUL. */
function parseLine(line: string, isFileOnly: boolean): readonly FoundLine[] {
  if (isFileOnly)
    return line
      .split("\0")
      .filter((file) => file !== "")
      .map((file) => ({ file, line: null, text: "" }));
  const [, file, number, text] = /^([^\0]+)\0(\d+)[:-]([^]*)$/.exec(line) ?? [];
  return file === undefined ? [] : [{ file, line: Number(number), text: text ?? "" }];
}

async function explainPattern(program: string, { pattern, signal }: SearchRequest): Promise<string> {
  const ran = await runProgram({
    ...{ program, args: ["--no-config", `--regexp=${pattern}`, "--", "-"], cwd: "." },
    ...{ env: {}, timeoutMs: 5_000, mostCharacters: 1_000, signal, report: () => {} },
  });
  return ran.output.trim();
}

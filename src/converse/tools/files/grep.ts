import { relative } from "node:path";
import { z } from "zod";
import { isOwnPathInWorkspace } from "../../../domain/approval/protected-paths.ts";
import { oneLine } from "../../../lib/text.ts";
import type { AgentTool, ToolContext, ToolResult } from "../tool.ts";
import { missingFile, refusePlace } from "./file-text.ts";
import { isSecretPath, locatePath, type LocatedPath, statPath } from "./locate-path.ts";
import { findRipgrep, searchWithRipgrep } from "./ripgrep.ts";
import { searchByWalking } from "./walk-search.ts";

const input = z.object({
  pattern: z.string().min(1).max(500).describe("a regular expression"),
  path: z.string().optional().describe("a file or folder (the current folder)"),
  glob: z.string().max(200).optional().describe("only such files: *.ts"),
  ignore_case: z.boolean().optional(),
  files_only: z.boolean().optional().describe("only the names of files with a match"),
});
type GrepInput = z.output<typeof input>;

/** One line that fits. The line is null if only files are wanted. */
export interface FoundLine {
  readonly file: string;
  readonly line: number | null;
  readonly text: string;
}

export type SearchOutcome =
  | { readonly kind: "found"; readonly lines: readonly FoundLine[]; readonly isCut: boolean }
  | { readonly kind: "failed"; readonly why: string };

export interface SearchRequest extends GrepInput {
  /** With links resolved. */
  readonly root: string;
  readonly most: number;
  readonly signal: AbortSignal;
}

/** Named and called as in other hosts. Files that git ignores, hidden files and files with secrets are left out. */
export const grepTool: AgentTool<typeof input> = {
  name: "grep",
  description: "Searches file contents of the workspace; skips what git ignores. Use it to find code.",
  input,
  effect: "read",
  isCheap: true,
  describeAction: () => "grep",
  summarise: ({ pattern, path }) => `search ${oneLine(pattern, 80)}${path === undefined ? "" : ` in ${path}`}`,
  examine: async (ctx, { path = "." }) => {
    const { place, shown } = locatePath(ctx, path);
    return { place, target: shown };
  },
  run: runGrep,
};

async function runGrep(ctx: ToolContext, given: GrepInput): Promise<ToolResult> {
  const located = locatePath(ctx, given.path ?? ".");
  const refusal = refusePlace(ctx, located);
  if (refusal !== null) return refusal;
  if (statPath(located.path) === null) return missingFile(ctx, located);
  const request: SearchRequest = { ...given, root: located.path, most: 2 * MOST_LINES, signal: ctx.signal };
  const ripgrep = await findRipgrep();
  const outcome = ripgrep === null ? searchByWalking(request) : await searchWithRipgrep(ripgrep, request);
  if (outcome.kind === "failed") return { ok: false, text: outcome.why };
  const lines = outcome.lines.filter(({ file }) => mayShow(ctx, located, file)).map((line) => formatLine(ctx, line));
  if (lines.length === 0) return { ok: true, text: "No matches found.", origin: "tool" };
  const cut = outcome.isCut || lines.length > MOST_LINES ? ["… [more matches; narrow the search]"] : [];
  return { ok: true, text: [...lines.slice(0, MOST_LINES), ...cut].join("\n").toWellFormed(), origin: "tool" };
}

const MOST_LINES = 200;

/** A file with secrets is searched only if it was named itself, which needs a yes. */
function mayShow({ workspace }: ToolContext, located: LocatedPath, file: string): boolean {
  const path = relative(workspace, file);
  return file === located.path || (!isSecretPath(path, workspace) && !isOwnPathInWorkspace(path));
}

function formatLine({ workspace }: ToolContext, { file, line, text }: FoundLine): string {
  const name = relative(workspace, file);
  return line === null ? name : `${name}:${line}:${text}`;
}

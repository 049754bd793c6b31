import { readdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { systemErrorCode } from "../../../lib/errors.ts";
import type { AgentTool, ToolContext, ToolResult } from "../tool.ts";
import { missingFile, refusePlace } from "./file-text.ts";
import { locatePath, statPath } from "./locate-path.ts";

const input = z.object({
  path: z.string().optional().describe("a folder (the current one)"),
  depth: z.number().int().min(1).max(5).optional().describe("levels (1)"),
});
type ListInput = z.output<typeof input>;

export const listTool: AgentTool<typeof input> = {
  name: "list",
  description: "Lists files and folders of the workspace.",
  input,
  effect: "read",
  isCheap: true,
  describeAction: () => "list",
  summarise: ({ path = "." }) => `list ${path}`,
  examine: async (ctx, { path = "." }) => {
    const { place, shown } = locatePath(ctx, path);
    // Names are no secrets.
    return { place: place === "credentials" ? "inside" : place, target: shown };
  },
  run: runList,
};

async function runList(ctx: ToolContext, { path = ".", depth = 1 }: ListInput): Promise<ToolResult> {
  const located = locatePath(ctx, path);
  const refusal = refusePlace({ ...ctx, approval: "once" }, located);
  if (refusal !== null) return refusal;
  const there = statPath(located.path);
  if (there === null) return missingFile(ctx, located);
  if (!there.isDirectory()) {
    const what = `${located.shown} is a file, not a directory.`;
    return { ok: false, text: `${what} Use read.`, forPerson: what };
  }
  const lines = listFolder(located.path, depth, "");
  const cut = lines.length > MOST_LINES ? [`… [${lines.length - MOST_LINES} more]`] : [];
  const shown = [...lines.slice(0, MOST_LINES), ...cut];
  return { ok: true, text: shown.length === 0 ? "(empty folder)" : shown.join("\n").toWellFormed(), origin: "tool" };
}

const MOST_LINES = 500;
/** Their content is rarely of use, and large. */
const closedFolders: ReadonlySet<string> = new Set([
  ".git",
  "node_modules",
  ".venv",
  "__pycache__",
  "target",
  ".hg",
  ".svn",
]);

function listFolder(folder: string, depth: number, indent: string): readonly string[] {
  const entries = readEntries(folder).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const lines: string[] = [];
  for (const entry of entries) {
    if (lines.length > MOST_LINES)
      return [...lines, ...Array.from({ length: entries.length - lines.length }, () => "")];
    const name = entry.name.replaceAll(/[\p{Cc}]/gu, "?");
    lines.push(`${indent}${name}${entry.isDirectory() ? "/" : entry.isSymbolicLink() ? "@" : ""}`);
    if (entry.isDirectory() && depth > 1 && !closedFolders.has(entry.name))
      lines.push(...listFolder(join(folder, entry.name), depth - 1, `${indent}  `));
  }
  return lines;
}

function readEntries(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    // It cannot be entered, or is gone by now.
    if (systemErrorCode(error) === "") throw error;
    return [];
  }
}

import { z } from "zod";
import { splitLines } from "../../../lib/line-diff.ts";
import type { AgentTool, ToolContext, ToolResult } from "../tool.ts";
import { missingFile, readFileText } from "./file-text.ts";
import { locatePath } from "./locate-path.ts";

const input = z.object({
  file_path: z.string().min(1),
  offset: z.number().int().min(1).optional().describe("first line (1)"),
  limit: z.number().int().min(1).max(5_000).optional().describe("number of lines (2000)"),
});
type ReadInput = z.output<typeof input>;

/** Inputs as in other hosts, so that facts and rules read its calls as theirs. */
export const readTool: AgentTool<typeof input> = {
  name: "read",
  description: "Reads a text file of the workspace, with line numbers.",
  input,
  effect: "read",
  isCheap: true,
  describeAction: () => "read",
  summarise: ({ file_path }) => `read ${file_path}`,
  examine: async (ctx, { file_path }) => {
    const { place, shown } = locatePath(ctx, file_path);
    return { place, target: shown };
  },
  run: runRead,
};

async function runRead(ctx: ToolContext, { file_path, offset = 1, limit = LINES }: ReadInput): Promise<ToolResult> {
  const file = readFileText(ctx, file_path);
  if (file.kind === "failed") return file.result;
  if (file.kind === "missing") return missingFile(ctx, file.located);
  const lines = splitLines(file.text);
  if (lines.length === 0) return { ok: true, text: "(the file is empty)", origin: "tool" };
  if (offset > lines.length) return { ok: false, text: `The file has only ${lines.length} lines.` };
  const shown: string[] = [];
  let size = 0;
  for (const [at, line] of lines.slice(offset - 1, offset - 1 + limit).entries()) {
    const one = `${offset + at}\t${line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}… [line cut]` : line}`;
    size += one.length + 1;
    if (size > MOST_CHARACTERS && shown.length > 0) break;
    shown.push(one);
  }
  const next = offset + shown.length;
  const more = next <= lines.length ? [`… [${lines.length - next + 1} more lines; continue with offset ${next}]`] : [];
  return { ok: true, text: [...shown, ...more].join("\n").toWellFormed(), origin: "tool" };
}

const LINES = 2_000;
const LONGEST_LINE = 2_000;
const MOST_CHARACTERS = 60_000;

import { z } from "zod";
import { unifiedDiff } from "../../../lib/line-diff.ts";
import { cap, plural } from "../../../lib/text.ts";
import type { AgentTool, ToolContext, ToolResult } from "../tool.ts";
import { readFileText, refusePlace } from "./file-text.ts";
import { locatePath, type LocatedPath } from "./locate-path.ts";
import { writeFileInside } from "./open-file.ts";

const input = z.object({ file_path: z.string().min(1), content: z.string().max(2_000_000) });
type WriteInput = z.output<typeof input>;

export const writeTool: AgentTool<typeof input> = {
  name: "write",
  description: "Writes a whole file of the workspace. To change a part of a file, use edit.",
  input,
  effect: "edit",
  isCheap: false,
  describeAction: () => EDIT_ACTION,
  summarise: ({ file_path }) => `write ${file_path}`,
  examine: async (ctx, { file_path }) => examineEdit(ctx, file_path),
  checkAhead: async (ctx, { file_path, content }) => {
    const file = readFileText(ctx, file_path);
    if (file.kind === "failed") return file.result;
    return file.kind === "text" && file.text === content ? NO_CHANGES : null;
  },
  preview: async (ctx, { file_path, content }) => {
    const file = readFileText(forQuestion(ctx), file_path);
    if (file.kind === "failed") return `(cannot be compared with the file: ${file.result.text})\n${content}`;
    return unifiedDiff(file.kind === "text" ? file.text : "", content, file.located.shown);
  },
  run: runWrite,
};

/** One action for write and edit: a yes for the session covers all ordinary files of the workspace. */
export const EDIT_ACTION = "edit files of the workspace";

/** The person who is asked sees what is in the file, also if the tool needs their yes for it. Secrets are taken out later. */
export function forQuestion(ctx: ToolContext): ToolContext {
  return { ...ctx, approval: "once" };
}

export function examineEdit(ctx: ToolContext, given: string) {
  const { place, shown } = locatePath(ctx, given);
  return { place, target: shown };
}

const NO_CHANGES: ToolResult = { ok: true, text: "No changes to make: the file has this content already." };

async function runWrite(ctx: ToolContext, { file_path, content }: WriteInput): Promise<ToolResult> {
  const file = readFileText(ctx, file_path);
  if (file.kind === "failed") return file.result;
  const before = file.kind === "text" ? file.text : null;
  if (before === content) return NO_CHANGES;
  return changeFile(ctx, file.located, { before, after: content });
}

/** Writes the new text, with the checks and notes that every change of a file needs. */
export async function changeFile(
  ctx: ToolContext,
  located: LocatedPath,
  { before, after }: { readonly before: string | null; readonly after: string },
): Promise<ToolResult> {
  const refusal = refusePlace(ctx, located, true);
  if (refusal !== null) return refusal;
  await ctx.beforeChange(located.path);
  const outcome = writeFileInside(ctx, located, after);
  if (outcome.kind === "refused") return { ok: false, text: `Not written: ${outcome.why}.` };
  await ctx.afterChange(located.path);
  const diff = cap(unifiedDiff(before ?? "", after, located.shown), LONGEST_DIFF);
  return { ok: true, text: `${before === null ? "Created" : "Changed"} ${located.shown} (${countLines(diff)}).`, diff };
}

const LONGEST_DIFF = 50_000;

function countLines(diff: string): string {
  const count = (sign: string) =>
    diff.split("\n").filter((line) => line.startsWith(sign) && !line.startsWith(sign.repeat(3))).length;
  return `${plural(count("+"), "line")} added, ${count("-")} removed`;
}

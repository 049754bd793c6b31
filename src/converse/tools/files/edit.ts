import { z } from "zod";
import { findLineNumbers, findNearLines } from "../../../domain/text/near-lines.ts";
import type { AgentTool, ToolContext, ToolResult } from "../tool.ts";
import { missingFile, readFileText } from "./file-text.ts";
import { changeFile, EDIT_ACTION, examineEdit, formatDiff } from "./write.ts";

const input = z.object({
  file_path: z.string().min(1),
  old_string: z.string().min(1).describe("exact text in the file, found once"),
  new_string: z.string(),
  replace_all: z.boolean().optional().describe("replace every occurrence"),
});
type EditInput = z.output<typeof input>;

export const editTool: AgentTool<typeof input> = {
  name: "edit",
  description: "Replaces an exact text in a file of the workspace.",
  input,
  effect: "edit",
  isCheap: false,
  describeAction: () => EDIT_ACTION,
  summarise: ({ file_path }) => `edit ${file_path}`,
  examine: async (ctx, { file_path }) => examineEdit(ctx, file_path),
  preview: async (ctx, given) => {
    const file = readFileText(ctx, given.file_path);
    if (file.kind !== "text") return `- ${given.old_string}\n+ ${given.new_string}`;
    const replaced = replaceText(file.text, given);
    return typeof replaced === "string" ? formatDiff(file.text, replaced, file.located) : replaced.why;
  },
  run: runEdit,
};

async function runEdit(ctx: ToolContext, given: EditInput): Promise<ToolResult> {
  const file = readFileText(ctx, given.file_path);
  if (file.kind === "failed") return file.result;
  if (file.kind === "missing") return missingFile(ctx, file.located);
  const replaced = replaceText(file.text, given);
  if (typeof replaced !== "string") return { ok: false, text: replaced.why };
  return changeFile(ctx, file.located, { before: file.text, after: replaced });
}

/** The new text, or why nothing can be replaced. */
function replaceText(
  text: string,
  { old_string, new_string, replace_all }: EditInput,
): string | { readonly why: string } {
  if (old_string === new_string) return { why: "No changes to make: old_string and new_string are exactly the same." };
  const isWindows = !text.includes(old_string) && text.includes("\r\n") && !old_string.includes("\r");
  const [old, fresh] = isWindows ? [withReturns(old_string), withReturns(new_string)] : [old_string, new_string];
  const count = text.split(old).length - 1;
  if (count === 0) return { why: describeMissing(text, old_string) };
  if (count > 1 && replace_all !== true) {
    const lines = findLineNumbers(text, old, 20).join(", ");
    return {
      why: `Found ${count} matches of the string to replace, at lines ${lines}. Give more of the text around it, or set replace_all.`,
    };
  }
  return text.replaceAll(old, () => fresh);
}

function withReturns(text: string): string {
  return text.replaceAll("\n", "\r\n");
}

function describeMissing(text: string, wanted: string): string {
  const near = findNearLines(text, wanted);
  if (near === null) return "String to replace not found in file. No line is similar; read the file again.";
  const { first, last, only } = near;
  const lines = text.split("\n").slice(first - 1, Math.min(last, first + MOST_NEAR - 1));
  const shown = lines.map((line, at) => `${first + at}\t${line}`);
  const difference = only === null ? "" : ` Only ${only} differ${only === "line ends" ? "" : "s"}.`;
  return [`String to replace not found in file. The nearest lines are:${difference}`, ...shown].join("\n");
}

const MOST_NEAR = 20;

import { z } from "zod";
import { hasMark } from "../../../domain/redact/written-marks.ts";
import { findLineNumbers, findNearLines } from "../../../domain/text/near-lines.ts";
import type { AgentTool, ToolContext, ToolResult } from "../tool.ts";
import { missingFile, readFileText } from "./file-text.ts";
import type { LocatedPath } from "./locate-path.ts";
import { changeFile, composeDiff, EDIT_ACTION, examineEdit, forQuestion, refuseMarks } from "./write.ts";

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
  checkAhead: async (ctx, given) => {
    const planned = planEdit(ctx, given);
    if ("result" in planned) return planned.result;
    return refuseMarks(planned.before, planned.after, planned.located);
  },
  preview: async (ctx, given) => {
    const planned = planEdit(forQuestion(ctx), given);
    if ("result" in planned) return `- ${given.old_string}\n+ ${given.new_string}`;
    return composeDiff(planned.before, planned.after, planned.located);
  },
  run: runEdit,
};

async function runEdit(ctx: ToolContext, given: EditInput): Promise<ToolResult> {
  const planned = planEdit(ctx, given);
  return "result" in planned ? planned.result : changeFile(ctx, planned.located, planned);
}

type PlannedEdit =
  | { readonly located: LocatedPath; readonly before: string; readonly after: string }
  | { readonly result: ToolResult };

/** The file before and after, or the result if nothing can be changed. */
function planEdit(ctx: ToolContext, given: EditInput): PlannedEdit {
  const file = readFileText(ctx, given.file_path);
  if (file.kind === "failed") return file;
  if (file.kind === "missing") return { result: missingFile(ctx, file.located) };
  const replaced = replaceText(file.text, given);
  if (typeof replaced === "string") return { located: file.located, before: file.text, after: replaced };
  const { why, isFound } = replaced;
  const { shown } = file.located;
  const forPerson = isFound
    ? `The text to be replaced is in ${shown} more than once, or is the same as the new one. Nothing was changed.`
    : `The text to be replaced is not in ${shown}. Nothing was changed.`;
  return { result: { ok: false, text: why, forPerson } };
}

/** The new text, or why nothing can be replaced, for the model. */
function replaceText(
  text: string,
  { old_string, new_string, replace_all }: EditInput,
): string | { readonly why: string; readonly isFound: boolean } {
  if (old_string === new_string)
    return { why: "No changes to make: old_string and new_string are exactly the same.", isFound: true };
  const isWindows = !text.includes(old_string) && text.includes("\r\n") && !old_string.includes("\r");
  const [old, fresh] = isWindows ? [withReturns(old_string), withReturns(new_string)] : [old_string, new_string];
  const count = text.split(old).length - 1;
  if (count === 0) return { why: describeMissing(text, old_string), isFound: false };
  if (count > 1 && replace_all !== true) {
    const lines = findLineNumbers(text, old, 20).join(", ");
    return {
      why: `Found ${count} matches of the string to replace, at lines ${lines}. Give more of the text around it, or set replace_all.`,
      isFound: true,
    };
  }
  return text.replaceAll(old, () => fresh);
}

function withReturns(text: string): string {
  return text.replaceAll("\n", "\r\n");
}

function describeMissing(text: string, wanted: string): string {
  const near = findNearLines(text, wanted);
  const mark = hasMark(wanted)
    ? " The text has a redaction mark. The file has the secret there instead: leave that part out, or read the file again."
    : "";
  if (near === null) return `String to replace not found in file. No line is similar; read the file again.${mark}`;
  const { first, last, only } = near;
  const lines = text.split("\n").slice(first - 1, Math.min(last, first + MOST_NEAR - 1));
  const shown = lines.map((line, at) => `${first + at}\t${line}`);
  const difference = only === null ? "" : ` Only ${only} differ${only === "line ends" ? "" : "s"}.`;
  return [`String to replace not found in file.${mark} The nearest lines are:${difference}`, ...shown].join("\n");
}

const MOST_NEAR = 20;

import { z } from "zod";
import { findNewMarks, findWrittenMarks } from "../../../domain/redact/written-marks.ts";
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
    if (file.kind === "missing") return null;
    return file.text === content ? NO_CHANGES : refuseMarks(file.text, content, file.located);
  },
  preview: async (ctx, { file_path, content }) => {
    const file = readFileText(forQuestion(ctx), file_path);
    if (file.kind === "failed") return `(cannot be compared with the file: ${file.result.text})\n${content}`;
    return composeDiff(file.kind === "text" ? file.text : "", content, file.located);
  },
  run: runWrite,
};

/** One action for write and edit: a yes for the session covers all ordinary files of the workspace. */
export const EDIT_ACTION = "edit files of the workspace";

/** The person who is asked sees what is in the file, also if the tool needs their yes for it. Secrets are taken out later. */
export function forQuestion(ctx: ToolContext): ToolContext {
  return { ...ctx, approval: "once" };
}

/** For the question. Both sides of a line look the same where only a secret differs, so that is said. */
export function composeDiff(before: string, after: string, located: LocatedPath): string {
  const diff = unifiedDiff(before, after, located.shown);
  return refuseMarks(before, after, located) === null ? diff : `${MARK_WARNING}\n${diff}`;
}

const MARK_WARNING =
  "The new text has a redaction mark where the file has a secret. The change will be refused, whatever you answer.";

export function examineEdit(ctx: ToolContext, given: string) {
  const { place, shown } = locatePath(ctx, given);
  return { place, target: shown };
}

const NO_CHANGES: ToolResult = { ok: true, text: "No changes to make: the file has this content already." };

/** The result of a change that would put a mark in the place of a secret. The file would lose the secret, and no diff shows it. */
export function refuseMarks(before: string, after: string, { shown }: LocatedPath): ToolResult | null {
  const { marks, doesReplace } = findWrittenMarks(before, after);
  if (!doesReplace) return null;
  const which = marks.slice(0, MOST_MARKS).join(", ");
  return {
    ok: false,
    text:
      `Not written: the new text has ${which}, and ${shown} has a secret there. The mark stands for a secret that you are ` +
      `not shown; written, it would replace the secret. Nothing was changed. Use edit for the lines without the secret, or ` +
      `read ${shown} again and repeat the line as it is there. If the secret is to go, write another text, such as <SECRET>.`,
    forPerson: `Not written: the new text has ${which} where ${shown} has a secret, which would be lost. Nothing was changed.`,
  };
}

const MOST_MARKS = 5;

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
  const loss = before === null ? null : refuseMarks(before, after, located);
  if (loss !== null) return loss;
  await ctx.beforeChange(located.path);
  const outcome = writeFileInside(ctx, located, after);
  if (outcome.kind === "refused") return { ok: false, text: `Not written: ${outcome.why}.` };
  await ctx.afterChange(located.path);
  const diff = cap(unifiedDiff(before ?? "", after, located.shown), LONGEST_DIFF);
  const done = `${before === null ? "Created" : "Changed"} ${located.shown} (${countLines(diff)}).`;
  return { ok: true, text: `${done}${describeMarks(before ?? "", after)}`, diff };
}

/** In a new place a mark takes nothing away; but nobody should think that a secret was written. */
function describeMarks(before: string, after: string): string {
  const marks = findNewMarks(before, after);
  if (marks.length === 0) return "";
  return ` It now has ${marks.slice(0, MOST_MARKS).join(", ")}: the mark itself, not the secret that it stands for.`;
}

const LONGEST_DIFF = 50_000;

function countLines(diff: string): string {
  const count = (sign: string) =>
    diff.split("\n").filter((line) => line.startsWith(sign) && !line.startsWith(sign.repeat(3))).length;
  return `${plural(count("+"), "line")} added, ${count("-")} removed`;
}

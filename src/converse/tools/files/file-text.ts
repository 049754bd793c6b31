import { readTextOfBytes } from "../../../lib/text-of-bytes.ts";
import type { ToolContext, ToolResult } from "../tool.ts";
import { locatePath, type LocatedPath } from "./locate-path.ts";
import { readFileInside } from "./open-file.ts";

export type FileText =
  | { readonly kind: "text"; readonly text: string; readonly located: LocatedPath }
  | { readonly kind: "missing"; readonly located: LocatedPath }
  | { readonly kind: "failed"; readonly result: ToolResult };

/** The text of a file, or why it cannot be had, in the words that other hosts use for it. */
export function readFileText(ctx: ToolContext, given: string): FileText {
  const located = locatePath(ctx, given);
  const refusal = refusePlace(ctx, located);
  if (refusal !== null) return { kind: "failed", result: refusal };
  const { shown } = located;
  const content = readFileInside(ctx, located, MOST_BYTES);
  if (content.kind === "missing") return { kind: "missing", located };
  if (content.kind === "folder")
    return failed(`EISDIR: ${shown} is a directory, not a file. Use list.`, `${shown} is a folder, not a file.`);
  if (content.kind === "refused") return failed(`${content.why}.`);
  const { bytes } = content;
  const read = readTextOfBytes(bytes);
  if (read.kind === "text") return { kind: "text", text: read.text, located };
  return failed(`${shown} ${read.why}.${read.why.includes("image") ? " Images cannot be read." : ""}`);
}

const MOST_BYTES = 10_000_000;

/** The tool's own check: whoever calls it, it leaves the workspace for nothing, and opens protected files with a yes only. */
export function refusePlace(ctx: ToolContext, { place, shown }: LocatedPath, isEdit = false): ToolResult | null {
  if (place === "outside") return notAllowed(`${shown} is outside the workspace.`);
  if (place === "own") return notAllowed(`${shown} belongs to oldhand itself.`);
  const needsYes = place === "credentials" || (place === "host" && isEdit);
  return needsYes && (ctx.approval ?? null) === null ? notAllowed(`${shown} needs an approval.`) : null;
}

function notAllowed(why: string): ToolResult {
  return { ok: false, text: `Not allowed: ${why}` };
}

function failed(text: string, forPerson?: string): FileText {
  return { kind: "failed", result: { ok: false, text, forPerson } };
}

export function missingFile(ctx: Pick<ToolContext, "cwd">, { shown }: LocatedPath): ToolResult {
  return {
    ok: false,
    text: `File does not exist: ${shown} (paths begin in ${ctx.cwd}; \`cd\` in the shell does not change that)`,
  };
}

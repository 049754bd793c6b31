import type { Event } from "../../domain/event/event.ts";
import { isShellTool } from "../../domain/shell/command.ts";
import { findShellText } from "../../domain/shell/shell-text.ts";
import { formatToolName } from "../../domain/text/tool-name.ts";
import { oneLine } from "../../lib/text.ts";

/** Describes a call in one line. */
export function summariseEvent(event: Pick<Event, "tool" | "input" | "text" | "kind">): string {
  if (event.kind !== "call") return oneLine(event.text ?? event.kind);
  const shell = event.tool !== null && isShellTool(event.tool) ? findShellText(event.input) : null;
  if (shell !== null) return oneLine(shell);
  const input = event.input as Readonly<Record<string, unknown>> | null;
  const tool = formatToolName(event.tool ?? "");
  const path = input?.["file_path"] ?? input?.["path"] ?? input?.["pattern"];
  return oneLine(
    typeof path === "string" ? `${tool} ${path}` : `${tool} ${input === null ? "" : JSON.stringify(input)}`,
  );
}

import { isRecord } from "../../lib/json.ts";
import { oneLine } from "../../lib/text.ts";
import type { Event } from "./event.ts";
import { findNamedFile } from "../text/named-file.ts";
import { formatToolName } from "../text/tool-name.ts";
import { findShellText } from "../shell/shell-text.ts";

/** Describes a call briefly. Does not parse its command, because a hook has no time for that. */
export function summariseCall(call: Pick<Event, "tool" | "input">): string {
  const tool = formatToolName(call.tool ?? "call");
  const command = isRecord(call.input) ? findShellText(call.input) : null;
  if (command !== null && command !== "") return command;
  return `${tool} ${findNamedFile(call.input) ?? ""}`.trim();
}

/** One line about an unresolved failure, for the summary of a session. */
export function failureLine(call: Pick<Event, "tool" | "input" | "error">): string {
  const error = oneLine(call.error ?? "", 160);
  return `failed: ${oneLine(summariseCall(call), 100)}${error === "" ? "" : `: ${error}`}`;
}

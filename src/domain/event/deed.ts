import { isRecord } from "../../lib/json.ts";
import { oneLine } from "../../lib/text.ts";
import type { Event } from "./event.ts";
import { fileOf } from "../text/named-file.ts";
import { plainTool } from "../text/tool-name.ts";
import { shellTextOf } from "../shell/shell-text.ts";

/** What a call was, in few words and without taking its command apart: a hook has no time for that. */
export function deedOf(call: Pick<Event, "tool" | "input">): string {
  const tool = plainTool(call.tool ?? "call");
  const command = isRecord(call.input) ? shellTextOf(call.input) : null;
  if (command !== null && command !== "") return command;
  return `${tool} ${fileOf(call.input) ?? ""}`.trim();
}

/** A failure that nothing made up for, as it is told of a session. */
export function failureLine(call: Pick<Event, "tool" | "input" | "error">): string {
  return `failed: ${oneLine(deedOf(call), 100)}: ${oneLine(call.error ?? "", 160)}`;
}

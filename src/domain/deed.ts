import { isRecord } from "../lib/json.ts";
import type { Event } from "./event.ts";
import { fileOf } from "./named-file.ts";

/** What a call was, in few words and without taking its command apart: a hook has no time for that. */
export function deedOf(call: Pick<Event, "tool" | "input">): string {
  const tool = call.tool ?? "call";
  const command = isRecord(call.input) ? (call.input["command"] ?? call.input["cmd"]) : null;
  if (typeof command === "string") return command;
  if (Array.isArray(command)) return command.join(" ");
  return `${tool} ${fileOf(call.input) ?? ""}`.trim();
}

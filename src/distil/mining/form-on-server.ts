import { findMainCommand } from "../../domain/shell/command.ts";
import { findShellText } from "../../domain/shell/shell-text.ts";
import { isRecord, stableJson } from "../../lib/json.ts";
import type { GroupTry } from "./find-causes.ts";
import type { Remedy } from "./find-remedy.ts";

/**
 * True if calls for what a server does not know may make a rule. One page or one number that is not there says nothing
 * about others. Either every call asked for the very same thing, or all of them had one form, and the one that worked has
 * another one for the same kind of thing: `pulls/comments/1/replies`, `pulls/2/comments/1/replies`.
 */
export function isMistakenForm(failures: readonly GroupTry[], remedy: Remedy | null): boolean {
  const asked = new Set(failures.map(({ event }) => askedFor(event.input)));
  if (asked.size === 1) return true;
  const worked = remedy?.command == null ? null : findPath(remedy.command);
  const forms = new Set([...asked].map((one) => formOf(findPath(one) ?? one)));
  const [form = "", ...others] = forms;
  if (worked === null || others.length > 0) return false;
  const [last, lastWorked] = [form, formOf(worked)].map((path) => path.replace(/^.*\//, ""));
  return form !== formOf(worked) && last === lastWorked && /^[a-z][a-z_-]+$/i.test(last ?? "");
}

/** What a call asks a server for: all its words that are no options, or the address of a tool. */
function askedFor(input: unknown): string {
  const line = findShellText(input);
  if (line !== null) return (findMainCommand(line)?.words ?? [line]).filter((word) => !word.startsWith("-")).join(" ");
  const url = isRecord(input) ? input["url"] : undefined;
  return typeof url === "string" ? url : (stableJson(input) ?? "");
}

function findPath(text: string): string | null {
  return text.split(/\s+/).find((word) => word.includes("/") && !word.startsWith("-")) ?? null;
}

/** With numbers masked, as whole parts of the path and inside of them. */
function formOf(path: string): string {
  return path.replace(/^['"]|['"]$/g, "").replaceAll(/\d+/g, "#");
}

import type { NewEvent } from "../../domain/event/event.ts";
import type { Policy } from "../../domain/policy.ts";
import { redact } from "../../domain/redact/redact.ts";
import { parseTime } from "../../lib/clock.ts";
import { hashText } from "../../lib/hash.ts";
import { isRecord, stringOr } from "../../lib/json.ts";
import { storable } from "../../lib/text.ts";
import { blankEvent, redactAndCap, toCallEventFields } from "../protocol/to-event.ts";
import { parseHostVersion } from "../protocol/host-version.ts";
import { resolveRecordedWorkspace } from "../protocol/workspace.ts";

/**
 * Parses `{session, seq, project, agent, ts, cwd, tool, input, ok, error_text, …}`; null if the line has another
 * form.
 */
export function parseNeutralEvent(line: unknown, policy: Policy["observe"]): NewEvent | null {
  if (!isRecord(line) || typeof line["session"] !== "string" || typeof line["tool"] !== "string") return null;
  const { seq } = line;
  const at = parseTime(line["ts"]);
  if (!isSequenceNumber(seq) || at === null) return null;
  const ok = line["ok"] !== false;
  const text = stringOr(line["error_text"], null) ?? stringOr(line["out_head"], null);
  return {
    ...blankEvent,
    host: storable(stringOr(line["agent"], "neutral")),
    session: storable(line["session"]),
    uid: `seq:${seq}`,
    seq,
    at,
    cwd: storedText(line["cwd"]),
    workspace: resolveRecordedWorkspace(storedText(line["cwd"]), storedText(line["project"])),
    ...toCallEventFields({ tool: line["tool"], input: line["input"] ?? null, ok, text, exitCode: null }, policy),
    model: storedText(line["model"]),
    agent: line["sub"] === true ? "sub" : null,
    ...parseHostVersion(line["version"]),
  };
}

/**
 * Parses `{session, seq, ts, role, text, speaker?}`; null if the line has another form. A line without a role is the
 * user's. A line without a number is known by its time and text, so that it is stored once.
 */
export function parseMessageEvent(line: unknown, policy: Policy["observe"]): NewEvent | null {
  if (!isRecord(line) || typeof line["session"] !== "string" || typeof line["text"] !== "string") return null;
  const { seq: given, role = "user" } = line;
  const seq = isSequenceNumber(given) ? given : null;
  const at = parseTime(line["ts"]);
  if (seq === null && (given != null || at === null)) return null;
  const cwd = storedText(line["cwd"]);
  return {
    ...blankEvent,
    host: "messages",
    session: storable(line["session"]),
    uid: seq === null ? `at:${at}:${hashText(line["text"])}` : `seq:${seq}`,
    seq,
    at: at ?? 0,
    cwd,
    workspace: resolveRecordedWorkspace(cwd, storedText(line["project"])),
    kind: role === "user" ? "prompt" : "answer",
    text: redactAndCap(line["text"], policy.payloadCharacters),
    agent: storedText(line["speaker"]),
  };
}

function isSequenceNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value);
}

function storedText(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? storable(redact(value)) : null;
}

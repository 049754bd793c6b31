import type { NewEvent } from "../../domain/event/event.ts";
import type { Policy } from "../../domain/policy.ts";
import { redact } from "../../domain/redact/redact.ts";
import { parseTime } from "../../lib/clock.ts";
import { isRecord, stringOr } from "../../lib/json.ts";
import { storable } from "../../lib/text.ts";
import { blank, clean, rawCall } from "../protocol/to-event.ts";
import { toldVersion } from "../protocol/told-version.ts";
import { recordedWorkspace } from "../protocol/workspace.ts";

/** A line `{session, seq, project, agent, ts, cwd, tool, input, ok, error_text, …}`, or null when it is not one. */
export function neutralEvent(line: unknown, policy: Policy["observe"]): NewEvent | null {
  if (!isRecord(line) || typeof line["session"] !== "string" || typeof line["tool"] !== "string") return null;
  const { seq } = line;
  const at = parseTime(line["ts"]);
  if (!isPlace(seq) || at === null) return null;
  const ok = line["ok"] !== false;
  const text = stringOr(line["error_text"], null) ?? stringOr(line["out_head"], null);
  return {
    ...blank,
    host: storable(stringOr(line["agent"], "neutral")),
    session: storable(line["session"]),
    uid: `seq:${seq}`,
    seq,
    at,
    cwd: storedText(line["cwd"]),
    workspace: recordedWorkspace(storedText(line["cwd"]), storedText(line["project"])),
    ...rawCall({ tool: line["tool"], input: line["input"] ?? null, ok, text, exitCode: null }, policy),
    model: storedText(line["model"]),
    agent: line["sub"] === true ? "sub" : null,
    ...toldVersion(line["version"]),
  };
}

/** A line `{session, seq, ts, role, text, speaker?}`. */
export function messageEvent(line: unknown, policy: Policy["observe"]): Omit<NewEvent, "workspace"> | null {
  if (!isRecord(line) || typeof line["session"] !== "string" || typeof line["text"] !== "string") return null;
  const { seq } = line;
  if (!isPlace(seq)) return null;
  return {
    ...blank,
    host: "messages",
    session: storable(line["session"]),
    uid: `seq:${seq}`,
    seq,
    at: parseTime(line["ts"]) ?? 0,
    kind: line["role"] === "user" ? "prompt" : "answer",
    text: clean(line["text"], policy.payloadCharacters),
    agent: storedText(line["speaker"]),
  };
}

function isPlace(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value);
}

function storedText(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? storable(redact(value)) : null;
}

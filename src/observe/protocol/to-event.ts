import type { NewEvent } from "../../domain/event/event.ts";
import type { Policy } from "../../domain/policy.ts";
import { redact, redactValue } from "../../domain/redact/redact.ts";
import { hashText } from "../../lib/hash.ts";
import { cap, storable } from "../../lib/text.ts";
import type { HookEvent } from "./hook-event.ts";

/** What is the same for all events of a payload. */
export interface EventFrame {
  readonly policy: Policy["observe"];
  readonly workspace: string | null;
  readonly at: number;
}

/** An event ready for the store: secrets out, texts capped, calls unread. Null for moments that leave none. */
export function toEvent(seen: HookEvent, frame: EventFrame): NewEvent | null {
  const base: NewEvent = {
    ...blank,
    host: seen.host,
    session: storable(seen.session),
    at: frame.at,
    workspace: frame.workspace,
    cwd: seen.cwd,
    model: seen.model,
    agent: seen.agent,
    ...(seen.hostVersion === undefined ? {} : { hostVersion: seen.hostVersion }),
  };
  switch (seen.moment) {
    case "session-start":
      return { ...base, kind: "session-start", uid: `start:${frame.at}`, text: seen.source };
    case "prompt":
      return {
        ...base,
        kind: "prompt",
        uid: `prompt:${seen.promptId ?? `${frame.at}:${hashText(seen.prompt)}`}`,
        text: clean(seen.prompt, frame.policy.payloadCharacters),
      };
    case "after-call":
      return {
        ...base,
        ...rawCall(seen, frame.policy),
        uid: seen.callId ?? `call:${frame.at}:${hashText(JSON.stringify([seen.tool, seen.input]) ?? "")}`,
        durationMs: seen.durationMs,
      };
    case "stop":
      return {
        ...base,
        kind: "stop",
        uid: `stop:${frame.at}`,
        text: seen.said === undefined ? null : clean(seen.said, frame.policy.payloadCharacters),
      };
    case "session-end":
      return { ...base, kind: "session-end", uid: `end:${frame.at}`, text: seen.reason };
    case "before-call":
      return null;
  }
}

/** An event of which nothing is known yet. */
export const blank: NewEvent = {
  host: "",
  session: "",
  uid: "",
  seq: null,
  at: 0,
  kind: "call",
  workspace: null,
  cwd: null,
  tool: null,
  head: null,
  input: null,
  ok: null,
  outcome: null,
  benign: false,
  exitCode: null,
  error: null,
  signature: null,
  text: null,
  model: null,
  agent: null,
  durationMs: null,
};

export interface Call {
  readonly tool: string;
  readonly input: unknown;
  readonly ok: boolean;
  readonly text: string | null;
  readonly exitCode: number | null;
}

/** What a call adds to its event before it is read; the same for hooks and for imported records. */
export function rawCall(
  call: Call,
  policy: Policy["observe"],
): Pick<NewEvent, "tool" | "input" | "ok" | "exitCode" | "error" | "text"> {
  // Some hosts say that all is well with a command that exited with 3: then its result is an error, and kept as long.
  const wentWell = call.ok && (call.exitCode ?? 0) === 0;
  return {
    tool: storable(call.tool),
    input: cleanValue(call.input, policy.payloadCharacters),
    ok: call.ok,
    exitCode: call.exitCode,
    error: wentWell || call.text === null ? null : clean(call.text, policy.payloadCharacters),
    text: wentWell && call.text !== null ? clean(call.text, policy.resultCharacters) : null,
  };
}

export function clean(text: string, max: number): string {
  return storable(cap(redact(withoutMiddle(text, max)), max));
}

/**
 * Cut first: redaction of what will be thrown away is wasted, and a text made to annoy must not keep a hook busy. More is kept
 * than in the end, so that a secret at the seam is whole when it is looked for.
 */
function withoutMiddle(text: string, max: number): string {
  const most = max * 2 + 2_000;
  if (text.length <= most) return text;
  // A private key is longer than any seam: without its beginning the end of one would not be known for what it is.
  return cap(text.includes("PRIVATE KEY-----") ? redact(text) : text, most);
}

function cleanValue(value: unknown, max: number): unknown {
  const kept = capValue(value, (text) => withoutMiddle(text, max));
  return capValue(redactValue(kept), (text) => storable(cap(text, max)));
}

/** Long strings inside an input are cut one by one, so that its shape stays. What needs no cut is handed on as it is. */
function capValue(value: unknown, cut: (text: string) => string): unknown {
  if (typeof value === "string") return cut(value);
  if (Array.isArray(value)) {
    const items = value.slice(0, MOST_MEMBERS).map((one) => capValue(one, cut));
    return items.length === value.length && items.every((item, at) => item === value[at]) ? value : items;
  }
  if (typeof value !== "object" || value === null) return value;
  const members = value as Readonly<Record<string, unknown>>;
  const keys = Object.keys(members);
  let same = keys.length <= MOST_MEMBERS;
  const capped = keys.slice(0, MOST_MEMBERS).map((key) => {
    const one = capValue(members[key], cut);
    same &&= one === members[key] && storable(key) === key;
    return one;
  });
  return same ? value : Object.fromEntries(capped.map((one, at) => [storable(keys[at] ?? ""), one]));
}

const MOST_MEMBERS = 1_000;

import type { NewEvent } from "../../domain/event/event.ts";
import type { Policy } from "../../domain/policy.ts";
import { redact, redactValue } from "../../domain/redact/redact.ts";
import { hashText } from "../../lib/hash.ts";
import { cap, storable } from "../../lib/text.ts";
import type { HookEvent } from "./hook-event.ts";

/** What all events of a payload share. */
export interface EventContext {
  readonly policy: Policy["observe"];
  readonly workspace: string | null;
  readonly at: number;
}

/** The event for the store: redacted, capped, calls not yet classified. Null for moments that are not stored. */
export function toEvent(event: HookEvent, context: EventContext): NewEvent | null {
  const base: NewEvent = {
    ...blankEvent,
    host: event.host,
    session: storable(event.session),
    at: context.at,
    workspace: context.workspace,
    cwd: event.cwd,
    model: event.model,
    agent: event.agent,
    ...(event.hostVersion === undefined ? {} : { hostVersion: event.hostVersion }),
  };
  switch (event.moment) {
    case "session-start":
      return { ...base, kind: "session-start", uid: `start:${context.at}`, text: event.source };
    case "prompt":
      return {
        ...base,
        kind: "prompt",
        uid: `prompt:${event.promptId ?? `${context.at}:${hashText(event.prompt)}`}`,
        text: redactAndCap(event.prompt, context.policy.payloadCharacters),
      };
    case "after-call":
      return {
        ...base,
        ...toCallEventFields(event, context.policy),
        uid: event.callId ?? `call:${context.at}:${hashText(JSON.stringify([event.tool, event.input]) ?? "")}`,
        durationMs: event.durationMs,
      };
    case "stop":
      return {
        ...base,
        kind: "stop",
        uid: `${event.again ? "stop-again" : "stop"}:${context.at}`,
        text: event.said === undefined ? null : redactAndCap(event.said, context.policy.payloadCharacters),
      };
    case "session-end":
      return { ...base, kind: "session-end", uid: `end:${context.at}`, text: event.reason };
    case "before-call":
      return null;
  }
}

/** An event without any data. */
export const blankEvent: NewEvent = {
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

export interface FinishedCall {
  readonly tool: string;
  readonly input: unknown;
  readonly ok: boolean;
  readonly text: string | null;
  readonly exitCode: number | null;
}

/** The fields that a call adds to its event before it is classified; the same for hooks and imports. */
export function toCallEventFields(
  call: FinishedCall,
  policy: Policy["observe"],
): Pick<NewEvent, "tool" | "input" | "ok" | "exitCode" | "error" | "text"> {
  // Some hosts report success for a command with a non-zero exit code. Its result then counts as an error and is kept
  // as long as one.
  const wentWell = call.ok && (call.exitCode ?? 0) === 0;
  return {
    tool: storable(call.tool),
    input: redactAndCapValue(call.input, policy.payloadCharacters),
    ok: call.ok,
    exitCode: call.exitCode,
    error: wentWell || call.text === null ? null : redactAndCap(call.text, policy.payloadCharacters),
    text: wentWell && call.text !== null ? redactAndCap(call.text, policy.resultCharacters) : null,
  };
}

export function redactAndCap(text: string, max: number): string {
  return storable(cap(redact(cutMiddle(text, max)), max));
}

/**
 * Cut first: redacting text that is dropped is wasted, and a hostile text must not keep a hook busy. More is kept
 * than in the end, so that a secret at the cut is still complete when it is searched for.
 */
function cutMiddle(text: string, max: number): string {
  const most = max * 2 + 2_000;
  if (text.length <= most) return text;
  // A private key may be longer than that: without its first line, the rest would not be recognised.
  return cap(text.includes("PRIVATE KEY-----") ? redact(text) : text, most);
}

export function redactAndCapValue(value: unknown, max: number): unknown {
  const kept = capValue(value, (text) => cutMiddle(text, max));
  return capValue(redactValue(kept), (text) => storable(cap(text, max)));
}

/** Cuts long strings one by one, so that the value keeps its shape. Values that need no cut are returned unchanged. */
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

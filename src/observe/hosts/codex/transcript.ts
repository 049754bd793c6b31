import { unwrapHostText } from "../../../domain/event/host-text.ts";
import type { Policy } from "../../../domain/policy.ts";
import { parseTime } from "../../../lib/clock.ts";
import { isRecord, stringOr, tryParseJson } from "../../../lib/json.ts";
import type { TranscriptItem } from "../../protocol/host.ts";
import { readLines } from "../../transcripts/lines.ts";
import { blankEvent, redactAndCap, toCallEventFields } from "../../protocol/to-event.ts";
import { parseHostVersion } from "../../protocol/host-version.ts";
import { parseCallRequest, parseShellRequest, type CodexCallRequest } from "./call-request.ts";
import { type CodexCallEnd, parseCallEnd } from "./call-end.ts";
import { codexPromptId, parseCodexResult } from "./protocol.ts";

type Line = Readonly<Record<string, unknown>>;

/**
 * `~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<session>.jsonl`: calls, how they ended, and their results for the
 * model.
 */
export async function* readTranscript(path: string, policy: Policy["observe"]): AsyncIterable<TranscriptItem> {
  const reader = transcriptReader(policy, unknownSession);
  for await (const text of readLines(path)) yield* reader.take(text);
}

/** True if this is the first line of such a file. */
export function isTranscript(first: Line): boolean {
  return first["type"] === "session_meta" && isRecord(first["payload"]);
}

/** What earlier lines say about the following ones. */
export interface SessionState {
  readonly session: string;
  readonly cwd: string | null;
  readonly model: string | null;
  readonly agent: string | null;
  readonly turn: string | null;
  readonly hostVersion?: string;
}

const unknownSession: SessionState = { session: "", cwd: null, model: null, agent: null, turn: null };

interface TranscriptReader {
  /** The items that this line completes. */
  take(text: string): Iterable<TranscriptItem>;
  /** True if a call has no result yet. */
  isOpen(): boolean;
}

interface OpenCall extends CodexCallRequest {
  readonly at: number;
  readonly end?: CodexCallEnd;
}

export function transcriptReader(policy: Policy["observe"], start: SessionState): TranscriptReader {
  const openCalls = new Map<string, OpenCall>();
  let state = start;
  const call = (
    id: string,
    request: CodexCallRequest,
    outcome: { at: number; text: string | null; end: CodexCallEnd | null },
  ) => {
    const { at, text, end } = outcome;
    const exitCode = end === null ? unwrapHostText(text ?? "", "codex", false).exitCode : end.exitCode;
    const ok = end?.ok ?? (exitCode === null ? !refusedResult.test(text ?? "") : exitCode === 0);
    const fields = { tool: request.tool, input: request.input, ok, text, exitCode };
    return { ...newItem(state, at), kind: "call" as const, uid: id, ...toCallEventFields(fields, policy) };
  };

  function* ended(end: CodexCallEnd, item: Line, at: number): Iterable<TranscriptItem> {
    const open = openCalls.get(end.callId);
    // For an open call, its result follows. Otherwise this is the result of a command that continued in the
    // background.
    if (open) openCalls.set(end.callId, { ...open, end });
    else if (item["source"] === "unified_exec_startup") {
      const outcome = { at, text: stringOr(item["aggregated_output"], null), end };
      yield { ...call(end.callId, parseShellRequest(item), outcome), durationMs: end.durationMs };
    }
  }

  function* takeResult(id: string, output: unknown, at: number): Iterable<TranscriptItem> {
    const open = openCalls.get(id);
    if (!open) return;
    openCalls.delete(id);
    const text = parseCodexResult(output);
    const goesOn = open.end === undefined && text !== null && runningResult.test(text);
    // Polling a running command is not its end, which has its own line.
    if (goesOn || (open.tool === "write_stdin" && !refusedResult.test(text ?? ""))) return;
    const durationMs = open.end?.durationMs ?? Math.max(0, at - open.at);
    yield { ...call(id, open, { at, text, end: open.end ?? null }), durationMs };
  }

  function* taken(line: Line, payload: Line, at: number): Iterable<TranscriptItem> {
    if (line["type"] !== "response_item") state = updateState(state, line["type"], payload);
    const request = parseCallRequest(payload);
    if (request) openCalls.set(request.callId, { ...request, at });
    const endedId = stringOr(payload["type"], "").endsWith("_call_output") ? payload["call_id"] : null;
    if (typeof endedId === "string") yield* takeResult(endedId, payload["output"], at);
    const prompt = state.agent === null ? parsePrompt(payload) : null;
    if (prompt !== null) {
      const turn = stringOr(payload["turn_id"], state.turn);
      const uid = `prompt:${codexPromptId(turn, prompt) ?? at}`;
      yield { ...newItem(state, at), kind: "prompt", uid, text: redactAndCap(prompt, policy.payloadCharacters) };
    }
    const end = parseCallEnd(line);
    if (end) yield* ended(end, isRecord(payload["item"]) ? payload["item"] : payload, at);
  }

  return {
    take: function* (text) {
      const line = tryParseJson(text);
      if (!isRecord(line) || !isRecord(line["payload"])) return;
      const at = parseTime(line["timestamp"]);
      if (at !== null) for (const item of taken(line, line["payload"], at)) if (item.session !== "") yield item;
    },
    isOpen: () => openCalls.size > 0,
  };
}

/** The beginning of a result that says that the call was refused or could not be parsed. */
const refusedResult =
  /^(?:(?:Wall time: [^\n]*\n)?aborted by user|\w+ (?:verification )?failed\b|unsupported call: |failed to parse function arguments|execution error: |(?:Command|Tool call) blocked by |patch rejected|user (?:rejected|cancelled))/i;

const runningResult = /^(?:Chunk ID: [^\n]*\n)?(?:Wall time: [^\n]*\n)?Process running with session ID /;

function updateState(state: SessionState, type: unknown, payload: Line): SessionState {
  const turn = stringOr(payload["turn_id"], state.turn);
  // A session that continues another begins with that session's lines, including its session_meta.
  if (type === "session_meta" && state.session === "") {
    const id = stringOr(payload["id"], "");
    const session = stringOr(payload["session_id"], id);
    return {
      ...state,
      session,
      agent: id === session ? null : id,
      cwd: stringOr(payload["cwd"], state.cwd),
      ...parseHostVersion(payload["cli_version"]),
    };
  }
  if (type === "turn_context")
    return { ...state, turn, cwd: stringOr(payload["cwd"], state.cwd), model: stringOr(payload["model"], state.model) };
  return turn === state.turn ? state : { ...state, turn };
}

/** What a person typed, in the older or the newer form. */
function parsePrompt(payload: Line): string | null {
  if (payload["type"] === "user_message") return stringOr(payload["message"], "") || null;
  const item = payload["type"] === "item_completed" ? payload["item"] : null;
  if (!isRecord(item) || item["type"] !== "UserMessage" || !Array.isArray(item["content"])) return null;
  const texts = item["content"].filter(isRecord).map((part) => stringOr(part["text"], ""));
  return texts.filter(Boolean).join("\n") || null;
}

function newItem(state: SessionState, at: number): TranscriptItem {
  const { turn: _turn, ...sessionFields } = state;
  return { ...blankEvent, host: "codex", at, ...sessionFields };
}

import { readHostText } from "../../../domain/event/host-text.ts";
import type { Policy } from "../../../domain/policy.ts";
import { parseTime } from "../../../lib/clock.ts";
import { isRecord, stringOr, tryParse } from "../../../lib/json.ts";
import type { TranscriptItem } from "../../protocol/host.ts";
import { linesOf } from "../../transcripts/lines.ts";
import { blank, clean, rawCall } from "../../protocol/to-event.ts";
import { toldVersion } from "../../protocol/told-version.ts";
import { askedIn, commandIn, type Request } from "./call-request.ts";
import { type CallEnd, endOf } from "./call-end.ts";
import { promptId, resultText } from "./protocol.ts";

type Line = Readonly<Record<string, unknown>>;

/** `~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<session>.jsonl`: calls, how they ended, and what the model was told of it. */
export async function* readTranscript(path: string, policy: Policy["observe"]): AsyncIterable<TranscriptItem> {
  const reader = transcriptReader(policy, unknownSession);
  for await (const text of linesOf(path)) yield* reader.take(text);
}

/** Whether this is the first line of such a file. */
export function isTranscript(first: Line): boolean {
  return first["type"] === "session_meta" && isRecord(first["payload"]);
}

/** What the lines before told about those that follow. */
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
  /** What one line adds to what was there before it. */
  take(text: string): Iterable<TranscriptItem>;
  /** Whether a call has no result yet. */
  isOpen(): boolean;
}

interface Asked extends Request {
  readonly at: number;
  readonly end?: CallEnd;
}

export function transcriptReader(policy: Policy["observe"], start: SessionState): TranscriptReader {
  const asked = new Map<string, Asked>();
  let state = start;
  const call = (id: string, request: Request, told: { at: number; text: string | null; end: CallEnd | null }) => {
    const { at, text, end } = told;
    const exitCode = end === null ? readHostText(text ?? "", "codex", false).exitCode : end.exitCode;
    const ok = end?.ok ?? (exitCode === null ? !refused.test(text ?? "") : exitCode === 0);
    const fields = { tool: request.tool, input: request.input, ok, text, exitCode };
    return { ...itemOf(state, at), kind: "call" as const, uid: id, ...rawCall(fields, policy) };
  };

  function* ended(end: CallEnd, item: Line, at: number): Iterable<TranscriptItem> {
    const open = asked.get(end.callId);
    // Its result follows. What has none is a command that went on by itself: this is the result.
    if (open) asked.set(end.callId, { ...open, end });
    else if (item["source"] === "unified_exec_startup") {
      const told = { at, text: stringOr(item["aggregated_output"], null), end };
      yield { ...call(end.callId, commandIn(item), told), durationMs: end.durationMs };
    }
  }

  function* answered(id: string, output: unknown, at: number): Iterable<TranscriptItem> {
    const open = asked.get(id);
    if (!open) return;
    asked.delete(id);
    const text = resultText(output);
    const goesOn = open.end === undefined && text !== null && stillRunning.test(text);
    // Asking a running command for more ends nothing; how the command ends is told by itself.
    if (goesOn || (open.tool === "write_stdin" && !refused.test(text ?? ""))) return;
    const durationMs = open.end?.durationMs ?? Math.max(0, at - open.at);
    yield { ...call(id, open, { at, text, end: open.end ?? null }), durationMs };
  }

  function* taken(line: Line, payload: Line, at: number): Iterable<TranscriptItem> {
    if (line["type"] !== "response_item") state = stateAfter(state, line["type"], payload);
    const request = askedIn(payload);
    if (request) asked.set(request.callId, { ...request, at });
    const answeredId = stringOr(payload["type"], "").endsWith("_call_output") ? payload["call_id"] : null;
    if (typeof answeredId === "string") yield* answered(answeredId, payload["output"], at);
    const prompt = state.agent === null ? promptIn(payload) : null;
    if (prompt !== null) {
      const turn = stringOr(payload["turn_id"], state.turn);
      const uid = `prompt:${promptId(turn, prompt) ?? at}`;
      yield { ...itemOf(state, at), kind: "prompt", uid, text: clean(prompt, policy.payloadCharacters) };
    }
    const end = endOf(line);
    if (end) yield* ended(end, isRecord(payload["item"]) ? payload["item"] : payload, at);
  }

  return {
    take: function* (text) {
      const line = tryParse(text);
      if (!isRecord(line) || !isRecord(line["payload"])) return;
      const at = parseTime(line["timestamp"]);
      if (at !== null) for (const item of taken(line, line["payload"], at)) if (item.session !== "") yield item;
    },
    isOpen: () => asked.size > 0,
  };
}

/** The first words of a result that is none: the call was refused, or could not be understood. */
const refused =
  /^(?:(?:Wall time: [^\n]*\n)?aborted by user|\w+ (?:verification )?failed\b|unsupported call: |failed to parse function arguments|execution error: |(?:Command|Tool call) blocked by |patch rejected|user (?:rejected|cancelled))/i;

const stillRunning = /^(?:Chunk ID: [^\n]*\n)?(?:Wall time: [^\n]*\n)?Process running with session ID /;

function stateAfter(state: SessionState, type: unknown, payload: Line): SessionState {
  const turn = stringOr(payload["turn_id"], state.turn);
  // A session that goes on from another begins with that one's lines, its first among them.
  if (type === "session_meta" && state.session === "") {
    const id = stringOr(payload["id"], "");
    const session = stringOr(payload["session_id"], id);
    return {
      ...state,
      session,
      agent: id === session ? null : id,
      cwd: stringOr(payload["cwd"], state.cwd),
      ...toldVersion(payload["cli_version"]),
    };
  }
  if (type === "turn_context")
    return { ...state, turn, cwd: stringOr(payload["cwd"], state.cwd), model: stringOr(payload["model"], state.model) };
  return turn === state.turn ? state : { ...state, turn };
}

/** What a person typed, in the words of both forms. */
function promptIn(payload: Line): string | null {
  if (payload["type"] === "user_message") return stringOr(payload["message"], "") || null;
  const item = payload["type"] === "item_completed" ? payload["item"] : null;
  if (!isRecord(item) || item["type"] !== "UserMessage" || !Array.isArray(item["content"])) return null;
  const texts = item["content"].filter(isRecord).map((part) => stringOr(part["text"], ""));
  return texts.filter(Boolean).join("\n") || null;
}

function itemOf(state: SessionState, at: number): TranscriptItem {
  const { turn: _turn, ...told } = state;
  return { ...blank, host: "codex", at, ...told };
}

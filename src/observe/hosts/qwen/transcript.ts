import type { Policy } from "../../../domain/policy.ts";
import { parseTime } from "../../../lib/clock.ts";
import { isRecord, stringOr, tryParseJson } from "../../../lib/json.ts";
import type { TranscriptContext, TranscriptItem } from "../../protocol/host.ts";
import { readLines } from "../../transcripts/lines.ts";
import { followTranscript } from "../../transcripts/follow-transcript.ts";
import type { HookEvent } from "../../protocol/hook-event.ts";
import { blankEvent, type FinishedCall, redactAndCap, toCallEventFields } from "../../protocol/to-event.ts";
import { parseHostVersion } from "../../protocol/host-version.ts";
import { INTERRUPTED, readQwenParts, qwenPromptId } from "./protocol.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** `~/.qwen/projects/<folder>/chats/<session>.jsonl`: calls are in the assistant's lines, results in separate lines. */
export async function* readTranscript(path: string, policy: Policy["observe"]): AsyncIterable<TranscriptItem> {
  const reader = transcriptReader(policy);
  for await (const line of readLines(path)) yield* reader.take(line);
  yield* reader.end();
}

/** Reads calls that a permission rule, the user or invalid parameters stopped: they fire no hook. */
export async function readNewTranscriptLines(ctx: TranscriptContext, event: HookEvent): Promise<void> {
  if (event.transcript === null) return;
  const { take, isOpen } = transcriptReader(ctx.config.policy.observe);
  const calls = (line: string) => (relevantLine.test(line) ? take(line) : []);
  await followTranscript(ctx, { path: event.transcript, take: calls, isOpen }, event);
}

/** Most lines contain no call. */
const relevantLine = /"type":"(?:assistant|tool_result)"/;

interface OpenCall {
  readonly tool: string;
  readonly input: unknown;
  readonly at: number;
  readonly model: string | null;
}

interface Reader {
  take(line: string): Iterable<TranscriptItem>;
  isOpen(): boolean;
  /** The prompt that still waited for its id, if any. */
  end(): Iterable<TranscriptItem>;
}

function transcriptReader(policy: Policy["observe"]): Reader {
  const openCalls = new Map<string, OpenCall>();
  // The id of a prompt is in the first answer to it.
  let prompt: (TranscriptItem & { readonly text: string }) | null = null;
  function* flush(id: string | null): Iterable<TranscriptItem> {
    const waiting = prompt;
    prompt = null;
    if (waiting === null) return;
    const named = id === null ? waiting.uid : `prompt:${qwenPromptId(id, waiting.text)}`;
    yield { ...waiting, uid: named, text: redactAndCap(waiting.text, policy.payloadCharacters) };
  }
  return {
    take: function* (text) {
      const line = tryParseJson(text);
      if (!isRecord(line) || typeof line["sessionId"] !== "string") return;
      const at = parseTime(line["timestamp"]);
      if (at === null) return;
      const id = parsePromptId(line);
      if (id !== null) yield* flush(id);
      if (line["type"] === "assistant") addOpenCalls(openCalls, line, at);
      if (line["type"] === "tool_result") yield* parseResult(openCalls, line, { at, policy });
      if (line["type"] === "user") {
        yield* flush(null);
        prompt = parsePrompt(line, at);
      }
    },
    isOpen: () => openCalls.size > 0,
    end: () => flush(null),
  };
}

function parsePromptId(line: JsonObject): string | null {
  const uiEvent = isRecord(line["systemPayload"]) ? line["systemPayload"]["uiEvent"] : null;
  return isRecord(uiEvent) ? stringOr(uiEvent["prompt_id"], null) : null;
}

function parsePrompt(line: JsonObject, at: number): (TranscriptItem & { readonly text: string }) | null {
  // Only what a person typed; the client's own notes have the same type.
  if ((line["provenance"] ?? "real_user") !== "real_user") return null;
  const shown = isRecord(line["systemPayload"]) ? stringOr(line["systemPayload"]["displayText"], null) : null;
  const text = (shown ?? readQwenParts(listParts(line)) ?? "").trim();
  if (text === "") return null;
  return { ...newItem(line, at), kind: "prompt", uid: `prompt:${stringOr(line["uuid"], String(at))}`, text };
}

function addOpenCalls(openCalls: Map<string, OpenCall>, line: JsonObject, at: number): void {
  for (const { functionCall } of listParts(line)) {
    if (!isRecord(functionCall)) continue;
    const { id, name, args } = functionCall;
    if (typeof id !== "string" || typeof name !== "string") continue;
    openCalls.set(id, { tool: name, input: args ?? null, at, model: stringOr(line["model"], null) });
  }
}

function* parseResult(
  openCalls: Map<string, OpenCall>,
  line: JsonObject,
  { at, policy }: { readonly at: number; readonly policy: Policy["observe"] },
): Iterable<TranscriptItem> {
  const result = isRecord(line["toolCallResult"]) ? line["toolCallResult"] : {};
  const id = stringOr(result["callId"], "");
  const call = openCalls.get(id);
  if (!call) return;
  openCalls.delete(id);
  yield {
    ...newItem(line, at),
    kind: "call",
    uid: id,
    model: call.model,
    durationMs: Math.max(0, at - call.at),
    ...toCallEventFields({ tool: call.tool, input: call.input, ...parseOutcome(result, responseText(line)) }, policy),
  };
}

/** Prefers the shell's own output to the text that the client and hooks wrote around it. */
function parseOutcome(result: JsonObject, text: string | null): Pick<FinishedCall, "ok" | "text" | "exitCode"> {
  const shell = isRecord(result["resultDisplay"]) ? result["resultDisplay"] : {};
  const printed = shell["type"] === "shell_result" ? stringOr(shell["output"], null) : null;
  const exitCode = typeof shell["exitCode"] === "number" ? shell["exitCode"] : null;
  const ok = result["status"] === "success";
  if (result["status"] === "cancelled") return { ok, text: `${INTERRUPTED}\n${printed ?? text ?? ""}`, exitCode: null };
  // The text of a hook's refusal is only the hook's reason.
  if (result["errorType"] === "execution_denied") return { ok, text: `${DENIED} ${text ?? ""}`, exitCode: null };
  return { ok, text: printed ?? text, exitCode };
}

const DENIED = "Tool execution denied:";

function responseText(line: JsonObject): string | null {
  const texts = listParts(line).flatMap(({ functionResponse }) => {
    const response =
      isRecord(functionResponse) && isRecord(functionResponse["response"]) ? functionResponse["response"] : {};
    return stringOr(response["error"], null) ?? stringOr(response["output"], null) ?? [];
  });
  return texts.length > 0 ? texts.join("\n") : null;
}

function newItem(line: JsonObject, at: number): TranscriptItem {
  return {
    ...blankEvent,
    host: "qwen",
    session: stringOr(line["sessionId"], ""),
    at,
    cwd: stringOr(line["cwd"], null),
    agent: line["isSidechain"] === true ? stringOr(line["agentId"], "sub") : null,
    ...parseHostVersion(line["version"]),
  };
}

function listParts(line: JsonObject): readonly JsonObject[] {
  const parts = isRecord(line["message"]) ? line["message"]["parts"] : null;
  return Array.isArray(parts) ? parts.filter(isRecord) : [];
}

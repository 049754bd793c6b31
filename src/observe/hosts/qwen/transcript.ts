import type { Policy } from "../../../domain/policy.ts";
import { parseTime } from "../../../lib/clock.ts";
import { isRecord, stringOr, tryParse } from "../../../lib/json.ts";
import type { CatchUpContext, TranscriptItem } from "../../protocol/host.ts";
import { linesOf } from "../../transcripts/lines.ts";
import { readOn } from "../../transcripts/read-on.ts";
import type { HookEvent } from "../../protocol/hook-event.ts";
import { blank, type Call, clean, rawCall } from "../../protocol/to-event.ts";
import { toldVersion } from "../../protocol/told-version.ts";
import { INTERRUPTED, partsText, promptName } from "./protocol.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** `~/.qwen/projects/<folder>/chats/<session>.jsonl`: calls in the assistant's lines, results in lines of their own. */
export async function* readTranscript(path: string, policy: Policy["observe"]): AsyncIterable<TranscriptItem> {
  const reader = transcriptReader(policy);
  for await (const line of linesOf(path)) yield* reader.take(line);
  yield* reader.end();
}

/** A call that a permission rule, its user or its own parameters kept from running fires no hook. */
export async function catchUp(ctx: CatchUpContext, seen: HookEvent): Promise<void> {
  if (seen.transcript === null) return;
  const { take, isOpen } = transcriptReader(ctx.config.policy.observe);
  const calls = (line: string) => (telling.test(line) ? take(line) : []);
  await readOn(ctx, { path: seen.transcript, take: calls, isOpen }, seen);
}

/** Most lines tell of no call. */
const telling = /"type":"(?:assistant|tool_result)"/;

interface Asked {
  readonly tool: string;
  readonly input: unknown;
  readonly at: number;
  readonly model: string | null;
}

interface Reader {
  take(line: string): Iterable<TranscriptItem>;
  isOpen(): boolean;
  /** What waited for a line that never came. */
  end(): Iterable<TranscriptItem>;
}

function transcriptReader(policy: Policy["observe"]): Reader {
  const asked = new Map<string, Asked>();
  // The number of a prompt stands in the first answer to it.
  let prompt: (TranscriptItem & { readonly text: string }) | null = null;
  function* flush(id: string | null): Iterable<TranscriptItem> {
    const waiting = prompt;
    prompt = null;
    if (waiting === null) return;
    const named = id === null ? waiting.uid : `prompt:${promptName(id, waiting.text)}`;
    yield { ...waiting, uid: named, text: clean(waiting.text, policy.payloadCharacters) };
  }
  return {
    take: function* (text) {
      const line = tryParse(text);
      if (!isRecord(line) || typeof line["sessionId"] !== "string") return;
      const at = parseTime(line["timestamp"]);
      if (at === null) return;
      const id = promptIdIn(line);
      if (id !== null) yield* flush(id);
      if (line["type"] === "assistant") remember(asked, line, at);
      if (line["type"] === "tool_result") yield* resultIn(asked, line, { at, policy });
      if (line["type"] === "user") {
        yield* flush(null);
        prompt = promptIn(line, at);
      }
    },
    isOpen: () => asked.size > 0,
    end: () => flush(null),
  };
}

function promptIdIn(line: JsonObject): string | null {
  const told = isRecord(line["systemPayload"]) ? line["systemPayload"]["uiEvent"] : null;
  return isRecord(told) ? stringOr(told["prompt_id"], null) : null;
}

function promptIn(line: JsonObject, at: number): (TranscriptItem & { readonly text: string }) | null {
  // What a person typed; the client's own notes take the same road.
  if ((line["provenance"] ?? "real_user") !== "real_user") return null;
  const shown = isRecord(line["systemPayload"]) ? stringOr(line["systemPayload"]["displayText"], null) : null;
  const text = (shown ?? partsText(partsOf(line)) ?? "").trim();
  if (text === "") return null;
  return { ...itemOf(line, at), kind: "prompt", uid: `prompt:${stringOr(line["uuid"], String(at))}`, text };
}

function remember(asked: Map<string, Asked>, line: JsonObject, at: number): void {
  for (const { functionCall } of partsOf(line)) {
    if (!isRecord(functionCall)) continue;
    const { id, name, args } = functionCall;
    if (typeof id !== "string" || typeof name !== "string") continue;
    asked.set(id, { tool: name, input: args ?? null, at, model: stringOr(line["model"], null) });
  }
}

function* resultIn(
  asked: Map<string, Asked>,
  line: JsonObject,
  { at, policy }: { readonly at: number; readonly policy: Policy["observe"] },
): Iterable<TranscriptItem> {
  const result = isRecord(line["toolCallResult"]) ? line["toolCallResult"] : {};
  const id = stringOr(result["callId"], "");
  const call = asked.get(id);
  if (!call) return;
  asked.delete(id);
  yield {
    ...itemOf(line, at),
    kind: "call",
    uid: id,
    model: call.model,
    durationMs: Math.max(0, at - call.at),
    ...rawCall({ tool: call.tool, input: call.input, ...outcomeOf(result, responseText(line)) }, policy),
  };
}

/** What a shell printed is told apart from what the client, and hooks, wrote around it. */
function outcomeOf(result: JsonObject, text: string | null): Pick<Call, "ok" | "text" | "exitCode"> {
  const shell = isRecord(result["resultDisplay"]) ? result["resultDisplay"] : {};
  const printed = shell["type"] === "shell_result" ? stringOr(shell["output"], null) : null;
  const exitCode = typeof shell["exitCode"] === "number" ? shell["exitCode"] : null;
  const ok = result["status"] === "success";
  if (result["status"] === "cancelled") return { ok, text: `${INTERRUPTED}\n${printed ?? text ?? ""}`, exitCode: null };
  // A hook's refusal is told in the hook's words alone.
  if (result["errorType"] === "execution_denied") return { ok, text: `${DENIED} ${text ?? ""}`, exitCode: null };
  return { ok, text: printed ?? text, exitCode };
}

const DENIED = "Tool execution denied:";

function responseText(line: JsonObject): string | null {
  const texts = partsOf(line).flatMap(({ functionResponse }) => {
    const response =
      isRecord(functionResponse) && isRecord(functionResponse["response"]) ? functionResponse["response"] : {};
    return stringOr(response["error"], null) ?? stringOr(response["output"], null) ?? [];
  });
  return texts.length > 0 ? texts.join("\n") : null;
}

function itemOf(line: JsonObject, at: number): TranscriptItem {
  return {
    ...blank,
    host: "qwen",
    session: stringOr(line["sessionId"], ""),
    at,
    cwd: stringOr(line["cwd"], null),
    agent: line["isSidechain"] === true ? stringOr(line["agentId"], "sub") : null,
    ...toldVersion(line["version"]),
  };
}

function partsOf(line: JsonObject): readonly JsonObject[] {
  const parts = isRecord(line["message"]) ? line["message"]["parts"] : null;
  return Array.isArray(parts) ? parts.filter(isRecord) : [];
}

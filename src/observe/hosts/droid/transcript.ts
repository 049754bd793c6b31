import type { Policy } from "../../../domain/policy.ts";
import { parseTime } from "../../../lib/clock.ts";
import { isRecord, stringOr, tryParseJson } from "../../../lib/json.ts";
import type { TranscriptContext, TranscriptItem } from "../../protocol/host.ts";
import { readLines } from "../../transcripts/lines.ts";
import { followTranscript } from "../../transcripts/follow-transcript.ts";
import type { HookEvent } from "../../protocol/hook-event.ts";
import { blankEvent, redactAndCap, toCallEventFields } from "../../protocol/to-event.ts";
import { parseDroidMessage, listMessageParts } from "./recent-calls.ts";
import { readDroidExitCode } from "./texts.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** `~/.factory/sessions/<folder>/<session>.jsonl`: one message per line, after a line about the session. */
export async function* readTranscript(path: string, policy: Policy["observe"]): AsyncIterable<TranscriptItem> {
  const reader = transcriptReader(policy, { session: null, cwd: null });
  for await (const line of readLines(path)) yield* reader.take(line);
}

/** Reads what no hook reports: failed and refused calls, and prompts given with `droid exec`. */
export async function readNewTranscriptLines(ctx: TranscriptContext, event: HookEvent): Promise<void> {
  if (event.transcript === null) return;
  const { take, isOpen } = transcriptReader(ctx.config.policy.observe, { session: event.session, cwd: event.cwd });
  await followTranscript(ctx, { path: event.transcript, take, isOpen, kinds: ["call", "prompt"] }, event);
}

interface OpenCall {
  readonly tool: string;
  readonly input: unknown;
  readonly at: number;
  readonly model: string | null;
}

interface SessionInfo {
  readonly session: string | null;
  readonly cwd: string | null;
}

interface Reader {
  take(line: string): Iterable<TranscriptItem>;
  isOpen(): boolean;
}

function transcriptReader(policy: Policy["observe"], known: SessionInfo): Reader {
  const openCalls = new Map<string, OpenCall>();
  const denied = new Set<string>();
  let { session, cwd } = known;
  return {
    take: function* (text) {
      if (text.startsWith('{"type":"session_start"')) {
        const first = tryParseJson(text);
        session ??= isRecord(first) ? stringOr(first["id"], null) : null;
        cwd ??= isRecord(first) ? stringOr(first["cwd"], null) : null;
        return;
      }
      const message = parseDroidMessage(text);
      if (message === null || session === null) return;
      const line = tryParseJson(text) as JsonObject;
      const at = parseTime(line["timestamp"]);
      if (at === null) return;
      if (isDenial(message)) denied.add(stringOr(message["hookToolCallId"], ""));
      const base = { ...blankEvent, host: "droid", session, cwd, at };
      for (const part of listMessageParts(message)) {
        if (part["type"] === "tool_use")
          addOpenCall(openCalls, part, { at, model: stringOr(message["modelId"], null) });
        if (part["type"] === "tool_result") yield* parseResult(openCalls, part, { base, denied, policy });
      }
      yield* parsePrompt(line, message, { base, policy });
    },
    isOpen: () => openCalls.size > 0,
  };
}

/** True if a hook denied the call. The call's result has only the hook's text; its reply is recorded separately. */
function isDenial(message: JsonObject): boolean {
  const results = message["hookEventName"] === "PreToolUse" ? message["hookResults"] : null;
  if (!Array.isArray(results)) return false;
  return results
    .filter(isRecord)
    .some(
      ({ exitCode, stdout }) =>
        exitCode === 2 ||
        (typeof stdout === "string" && /"(?:permissionDecision|decision)":\s*"(?:deny|block)"/.test(stdout)),
    );
}

interface ItemContext {
  readonly base: TranscriptItem;
  readonly policy: Policy["observe"];
}

/** Only what a person typed: the client's context and hook output have the same role. */
function* parsePrompt(line: JsonObject, message: JsonObject, { base, policy }: ItemContext): Iterable<TranscriptItem> {
  const id = stringOr(line["id"], "");
  if (message["role"] !== "user" || id === "" || id.startsWith("context-") || "hookEventName" in message) return;
  // Only a person's messages have an interaction mode.
  if (!("interactionMode" in message)) return;
  const texts = listMessageParts(message)
    .map((part) => (part["type"] === "text" ? stringOr(part["text"], "") : ""))
    .filter((one) => !one.startsWith("<system-reminder>"))
    .join("\n")
    .trim();
  if (texts === "") return;
  yield { ...base, kind: "prompt", uid: `prompt:${id}`, text: redactAndCap(texts, policy.payloadCharacters) };
}

function addOpenCall(openCalls: Map<string, OpenCall>, part: JsonObject, when: Pick<OpenCall, "at" | "model">): void {
  const { id, name, input } = part;
  if (typeof id !== "string" || typeof name !== "string" || name === "") return;
  openCalls.set(id, { tool: name, input: input ?? null, ...when });
}

function* parseResult(
  openCalls: Map<string, OpenCall>,
  part: JsonObject,
  { base, denied, policy }: ItemContext & { readonly denied: ReadonlySet<string> },
): Iterable<TranscriptItem> {
  const id = stringOr(part["tool_use_id"], "");
  const call = openCalls.get(id);
  if (!call) return;
  openCalls.delete(id);
  const { tool, input, model } = call;
  const content = readContent(part["content"]);
  const text = denied.has(id) ? `Tool execution denied: ${content ?? ""}` : content;
  const ok = part["is_error"] !== true;
  yield {
    ...base,
    kind: "call",
    uid: id,
    model,
    durationMs: Math.max(0, base.at - call.at),
    ...toCallEventFields({ tool, input, ok, text, exitCode: readDroidExitCode(tool, content) }, policy),
  };
}

function readContent(content: unknown): string | null {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return null;
  const texts = content.filter(isRecord).flatMap((part) => stringOr(part["text"], null) ?? []);
  return texts.length > 0 ? texts.join("\n") : null;
}

import type { Policy } from "../../../domain/policy.ts";
import { parseTime } from "../../../lib/clock.ts";
import { isRecord, stringOr, tryParseJson } from "../../../lib/json.ts";
import type { TranscriptContext, TranscriptItem } from "../../protocol/host.ts";
import { readLines } from "../../transcripts/lines.ts";
import { followTranscript } from "../../transcripts/follow-transcript.ts";
import type { HookEvent } from "../../protocol/hook-event.ts";
import { blankEvent, type FinishedCall, redactAndCap, toCallEventFields } from "../../protocol/to-event.ts";
import { parseHostVersion, readVersionFromHead } from "../../protocol/host-version.ts";
import { readCopilotExitCode, copilotPromptId } from "./texts.ts";
import { parseCallInput } from "./protocol.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** `~/.copilot/session-state/<session>/events.jsonl`: one event per line. */
export async function* readTranscript(path: string, policy: Policy["observe"]): AsyncIterable<TranscriptItem> {
  const reader = transcriptReader(policy, { session: null, cwd: null });
  for await (const line of readLines(path)) yield* reader.take(line);
}

/** Reads calls that the user, a rule or a hook stopped: they fire no hook after them. */
export async function readNewTranscriptLines(ctx: TranscriptContext, event: HookEvent): Promise<void> {
  if (event.transcript === null) return;
  // Copilot writes its transcript with a short delay. No tool waits now, so we can wait for it.
  if (event.moment !== "session-start") await new Promise((resolve) => setTimeout(resolve, WRITTEN_AFTER_MS));
  const version = event.moment === "stop" ? readVersionFromHead(event.transcript, "copilotVersion") : {};
  const { take, isOpen } = transcriptReader(ctx.config.policy.observe, {
    session: event.session,
    cwd: event.cwd,
    ...version,
  });
  const calls = (line: string) => (relevantLine.test(line) ? take(line) : []);
  await followTranscript(ctx, { path: event.transcript, take: calls, isOpen }, event);
}

const WRITTEN_AFTER_MS = 100;

/** Most lines are long and contain no call. */
const relevantLine = /^\{"type":"(?:tool\.execution_(?:start|complete)|session\.(?:start|resume|context_changed))"/;

interface OpenCall {
  readonly tool: string;
  readonly input: unknown;
  readonly at: number;
}

interface Reader {
  take(line: string): Iterable<TranscriptItem>;
  isOpen(): boolean;
}

function transcriptReader(
  policy: Policy["observe"],
  known: { readonly session: string | null; readonly cwd: string | null; readonly hostVersion?: string },
): Reader {
  const openCalls = new Map<string, OpenCall>();
  let { session, cwd, ...version } = known;
  /** The input of the prompt's hook, if there was one; it is recorded before the prompt itself. */
  let hookPrompt: { readonly prompt: string; readonly at: number } | null = null;
  return {
    take: function* (text) {
      const line = tryParseJson(text);
      const data = isRecord(line) && isRecord(line["data"]) ? line["data"] : null;
      const at = isRecord(line) ? parseTime(line["timestamp"]) : null;
      if (!isRecord(line) || data === null || at === null) return;
      switch (line["type"]) {
        case "session.start":
        case "session.resume":
        case "session.context_changed": {
          session ??= stringOr(data["sessionId"], null);
          const context = isRecord(data["context"]) ? data["context"] : data;
          cwd = stringOr(context["cwd"], cwd);
          version = { ...version, ...parseHostVersion(data["copilotVersion"]) };
          return;
        }
        case "hook.start":
          hookPrompt = parseHookPrompt(data) ?? hookPrompt;
          return;
        case "tool.execution_start":
          addOpenCall(openCalls, data, at);
          return;
      }
      if (session === null) return;
      const base = {
        ...blankEvent,
        host: "copilot",
        session,
        cwd,
        at,
        agent: stringOr(line["agentId"], null),
        ...version,
      };
      if (line["type"] === "tool.execution_complete") yield* parseCallResult(openCalls, data, { base, policy });
      if (line["type"] === "user.message") {
        yield* parsePrompt(line, data, { base, hookPrompt, policy });
        hookPrompt = null;
      }
    },
    isOpen: () => openCalls.size > 0,
  };
}

function parseHookPrompt(data: JsonObject): { readonly prompt: string; readonly at: number } | null {
  const input = data["hookType"] === "userPromptSubmitted" && isRecord(data["input"]) ? data["input"] : {};
  const { prompt, timestamp } = input;
  return typeof prompt === "string" && typeof timestamp === "number" ? { prompt, at: timestamp } : null;
}

interface ItemContext {
  readonly base: TranscriptItem;
  readonly policy: Policy["observe"];
}

function* parsePrompt(
  line: JsonObject,
  data: JsonObject,
  {
    base,
    hookPrompt,
    policy,
  }: ItemContext & { readonly hookPrompt: { readonly prompt: string; readonly at: number } | null },
): Iterable<TranscriptItem> {
  const prompt = stringOr(data["content"], "").trim();
  // Messages from a skill, another agent or the client itself have the same form.
  const typed = (data["source"] ?? "user") === "user" && data["isAutopilotContinuation"] !== true;
  if (prompt === "" || !typed || base.agent !== null) return;
  const isReported = hookPrompt !== null && hookPrompt.prompt.trim() === prompt;
  const name = isReported ? copilotPromptId(hookPrompt.at, prompt) : stringOr(line["id"], String(base.at));
  yield { ...base, kind: "prompt", uid: `prompt:${name}`, text: redactAndCap(prompt, policy.payloadCharacters) };
}

function addOpenCall(openCalls: Map<string, OpenCall>, data: JsonObject, at: number): void {
  const { toolCallId, toolName } = data;
  if (typeof toolCallId !== "string" || typeof toolName !== "string" || toolName === "") return;
  openCalls.set(toolCallId, { tool: toolName, input: parseCallInput(data["arguments"]), at });
}

function* parseCallResult(
  openCalls: Map<string, OpenCall>,
  data: JsonObject,
  { base, policy }: ItemContext,
): Iterable<TranscriptItem> {
  const id = stringOr(data["toolCallId"], "");
  const call = openCalls.get(id);
  if (!call) return;
  openCalls.delete(id);
  yield {
    ...base,
    kind: "call",
    uid: id,
    model: stringOr(data["model"], null),
    durationMs: Math.max(0, base.at - call.at),
    ...toCallEventFields({ tool: call.tool, input: call.input, ...parseResult(call.tool, data) }, policy),
  };
}

function parseResult(tool: string, data: JsonObject): Pick<FinishedCall, "ok" | "text" | "exitCode"> {
  const result = isRecord(data["result"]) ? data["result"] : {};
  const error = isRecord(data["error"]) ? data["error"] : {};
  const shell = isRecord(data["shellExecution"]) ? data["shellExecution"]["exitCode"] : null;
  const ok = data["success"] === true;
  const text = ok ? stringOr(result["content"], null) : stringOr(error["message"], stringOr(result["content"], null));
  return { ok, text, exitCode: typeof shell === "number" ? shell : ok ? readCopilotExitCode(tool, text) : null };
}

import type { Policy } from "../../../domain/policy.ts";
import { parseTime } from "../../../lib/clock.ts";
import { isRecord, stringOr, tryParse } from "../../../lib/json.ts";
import type { CatchUpContext, TranscriptItem } from "../../protocol/host.ts";
import { linesOf } from "../../transcripts/lines.ts";
import { readOn } from "../../transcripts/read-on.ts";
import type { HookEvent } from "../../protocol/hook-event.ts";
import { blank, type Call, clean, rawCall } from "../../protocol/to-event.ts";
import { toldVersion, versionAtHead } from "../../protocol/told-version.ts";
import { commandEnd, promptName } from "./texts.ts";
import { inputOf } from "./protocol.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** `~/.copilot/session-state/<session>/events.jsonl`: one event to a line. */
export async function* readTranscript(path: string, policy: Policy["observe"]): AsyncIterable<TranscriptItem> {
  const reader = transcriptReader(policy, { session: null, cwd: null });
  for await (const line of linesOf(path)) yield* reader.take(line);
}

/** A call that its user, a rule or a hook kept from running fires no hook. */
export async function catchUp(ctx: CatchUpContext, seen: HookEvent): Promise<void> {
  if (seen.transcript === null) return;
  // Copilot writes its record a moment after things happen. Now nobody waits for a tool, and we can wait for it.
  if (seen.moment !== "session-start") await new Promise((resolve) => setTimeout(resolve, WRITTEN_AFTER_MS));
  const version = seen.moment === "stop" ? versionAtHead(seen.transcript, "copilotVersion") : {};
  const { take, isOpen } = transcriptReader(ctx.config.policy.observe, {
    session: seen.session,
    cwd: seen.cwd,
    ...version,
  });
  const calls = (line: string) => (telling.test(line) ? take(line) : []);
  await readOn(ctx, { path: seen.transcript, take: calls, isOpen }, seen);
}

const WRITTEN_AFTER_MS = 100;

/** Most lines are long and tell of no call. */
const telling = /^\{"type":"(?:tool\.execution_(?:start|complete)|session\.(?:start|resume|context_changed))"/;

interface Asked {
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
  const asked = new Map<string, Asked>();
  let { session, cwd, ...version } = known;
  /** What the hook of a prompt was told, if there was one: it stands before the prompt itself. */
  let told: { readonly prompt: string; readonly at: number } | null = null;
  return {
    take: function* (text) {
      const line = tryParse(text);
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
          version = { ...version, ...toldVersion(data["copilotVersion"]) };
          return;
        }
        case "hook.start":
          told = promptTold(data) ?? told;
          return;
        case "tool.execution_start":
          remember(asked, data, at);
          return;
      }
      if (session === null) return;
      const base = { ...blank, host: "copilot", session, cwd, at, agent: stringOr(line["agentId"], null), ...version };
      if (line["type"] === "tool.execution_complete") yield* resultIn(asked, data, { base, policy });
      if (line["type"] === "user.message") {
        yield* promptIn(line, data, { base, told, policy });
        told = null;
      }
    },
    isOpen: () => asked.size > 0,
  };
}

function promptTold(data: JsonObject): { readonly prompt: string; readonly at: number } | null {
  const input = data["hookType"] === "userPromptSubmitted" && isRecord(data["input"]) ? data["input"] : {};
  const { prompt, timestamp } = input;
  return typeof prompt === "string" && typeof timestamp === "number" ? { prompt, at: timestamp } : null;
}

interface Around {
  readonly base: TranscriptItem;
  readonly policy: Policy["observe"];
}

function* promptIn(
  line: JsonObject,
  data: JsonObject,
  { base, told, policy }: Around & { readonly told: { readonly prompt: string; readonly at: number } | null },
): Iterable<TranscriptItem> {
  const prompt = stringOr(data["content"], "").trim();
  // What a skill, another agent or the client itself put in takes the same road.
  const typed = (data["source"] ?? "user") === "user" && data["isAutopilotContinuation"] !== true;
  if (prompt === "" || !typed || base.agent !== null) return;
  const isTold = told !== null && told.prompt.trim() === prompt;
  const name = isTold ? promptName(told.at, prompt) : stringOr(line["id"], String(base.at));
  yield { ...base, kind: "prompt", uid: `prompt:${name}`, text: clean(prompt, policy.payloadCharacters) };
}

function remember(asked: Map<string, Asked>, data: JsonObject, at: number): void {
  const { toolCallId, toolName } = data;
  if (typeof toolCallId !== "string" || typeof toolName !== "string" || toolName === "") return;
  asked.set(toolCallId, { tool: toolName, input: inputOf(data["arguments"]), at });
}

function* resultIn(asked: Map<string, Asked>, data: JsonObject, { base, policy }: Around): Iterable<TranscriptItem> {
  const id = stringOr(data["toolCallId"], "");
  const call = asked.get(id);
  if (!call) return;
  asked.delete(id);
  yield {
    ...base,
    kind: "call",
    uid: id,
    model: stringOr(data["model"], null),
    durationMs: Math.max(0, base.at - call.at),
    ...rawCall({ tool: call.tool, input: call.input, ...endOf(call.tool, data) }, policy),
  };
}

function endOf(tool: string, data: JsonObject): Pick<Call, "ok" | "text" | "exitCode"> {
  const result = isRecord(data["result"]) ? data["result"] : {};
  const error = isRecord(data["error"]) ? data["error"] : {};
  const shell = isRecord(data["shellExecution"]) ? data["shellExecution"]["exitCode"] : null;
  const ok = data["success"] === true;
  const text = ok ? stringOr(result["content"], null) : stringOr(error["message"], stringOr(result["content"], null));
  return { ok, text, exitCode: typeof shell === "number" ? shell : ok ? commandEnd(tool, text) : null };
}

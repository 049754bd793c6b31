import { basename, dirname, join } from "node:path";
import type { Policy } from "../../../domain/policy.ts";
import { parseTime } from "../../../lib/clock.ts";
import { isRecord, stringOr, tryParseJson } from "../../../lib/json.ts";
import { readPlainText } from "../../../lib/plain-file.ts";
import type { TranscriptContext, TranscriptItem } from "../../protocol/host.ts";
import { readLines } from "../../transcripts/lines.ts";
import { readWholeText } from "../../transcripts/whole-text.ts";
import { followTranscript } from "../../transcripts/follow-transcript.ts";
import type { HookEvent } from "../../protocol/hook-event.ts";
import { blankEvent, redactAndCap, toCallEventFields } from "../../protocol/to-event.ts";
import { buildCallId, parseMessages, buildPromptId } from "./message-ids.ts";
import { parseGeminiCommandEnd, readGeminiParts, removeHookContext } from "./texts.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** `~/.gemini/tmp/<project>/chats/session-*.jsonl`; before about 0.40 a `.json` file with one object. */
export async function* readTranscript(path: string, policy: Policy["observe"]): AsyncIterable<TranscriptItem> {
  const reader = transcriptReader({ policy, cwd: readProject(path), ...readOwner(path) });
  if (path.endsWith(".json")) yield* reader.take(readWholeText(path));
  else for await (const line of readLines(path)) yield* reader.take(line);
}

/** Reads calls that a policy, the user or invalid parameters stopped: they fire no hook. */
export async function readNewTranscriptLines(ctx: TranscriptContext, event: HookEvent): Promise<void> {
  if (event.transcript === null) return;
  const { take } = transcriptReader({
    policy: ctx.config.policy.observe,
    session: event.session,
    cwd: event.cwd,
    agent: null,
  });
  const calls = (line: string) => (line.includes('"toolCalls"') ? take(line) : []);
  await followTranscript(ctx, { path: event.transcript, take: calls }, event);
}

interface Reader {
  take(line: string): Iterable<TranscriptItem>;
}

interface SessionInfo {
  readonly policy: Policy["observe"];
  /** Null if it is taken from the transcript's first line. */
  readonly session: string | null;
  readonly cwd: string | null;
  readonly agent: string | null;
}

/**
 * A message is written again whenever it changes, and all messages when the history is compressed; each item is
 * returned once.
 */
function transcriptReader(known: SessionInfo): Reader {
  let { session } = known;
  let previous: string | null = null;
  const knownIds = new Set<string>();
  const isNew = (item: TranscriptItem) => !knownIds.has(item.uid) && Boolean(knownIds.add(item.uid));
  return {
    take: function* (text) {
      const line = tryParseJson(text);
      if (isRecord(line)) session ??= stringOr(line["sessionId"], null);
      for (const message of parseMessages(line)) {
        if (session !== null) yield* parseItems(message, { ...known, session, previous }).filter(isNew);
        previous = stringOr(message["id"], previous);
      }
    },
  };
}

interface MessagePosition extends SessionInfo {
  readonly session: string;
  /** The id of the previous message. */
  readonly previous: string | null;
}

function parseItems(message: JsonObject, position: MessagePosition): readonly TranscriptItem[] {
  if (message["type"] === "user") return parsePrompt(message, position);
  const calls = Array.isArray(message["toolCalls"]) ? message["toolCalls"] : [];
  return calls.filter(isRecord).flatMap((call) => parseCall(message, call, position));
}

function parsePrompt(
  message: JsonObject,
  { session, cwd, previous, policy }: MessagePosition,
): readonly TranscriptItem[] {
  const prompt = removeHookContext(readGeminiParts(message["content"]) ?? "");
  const at = parseTime(message["timestamp"]);
  // Results of calls and the client's context have the user's role too.
  if (at === null || prompt === "" || prompt.startsWith("<session_context>")) return [];
  const id = buildPromptId(previous ?? "", prompt);
  const text = redactAndCap(prompt, policy.payloadCharacters);
  return [{ ...blankEvent, host: "gemini", kind: "prompt", session, cwd, at, uid: `prompt:${id}`, text }];
}

function parseCall(message: JsonObject, call: JsonObject, position: MessagePosition): readonly TranscriptItem[] {
  const at = parseTime(call["timestamp"]) ?? parseTime(message["timestamp"]);
  const tool = call["name"];
  if (typeof tool !== "string" || tool === "" || at === null) return [];
  const input = call["args"] ?? null;
  const text = resultText(call["result"]);
  const end = call["status"] === "success" ? parseGeminiCommandEnd(tool, text) : { ok: false, exitCode: null };
  return [
    {
      ...blankEvent,
      host: "gemini",
      session: position.session,
      cwd: position.cwd,
      at,
      uid: buildCallId(stringOr(message["id"], ""), tool, input),
      model: stringOr(message["model"], null),
      agent: position.agent,
      ...toCallEventFields({ tool, input, text, ...end }, position.policy),
    },
  ];
}

function resultText(result: unknown): string | null {
  const parts = Array.isArray(result) ? result.filter(isRecord) : [];
  const texts = parts.flatMap(({ functionResponse }) => {
    const response =
      isRecord(functionResponse) && isRecord(functionResponse["response"]) ? functionResponse["response"] : {};
    // A call that was stopped midway has both; the error is the relevant one.
    return stringOr(response["error"], null) ?? stringOr(response["output"], null) ?? [];
  });
  return texts.length > 0 ? removeHookContext(texts.join("\n")) : null;
}

/** A sub-agent's transcript is in a folder named after the session it works for. */
function readOwner(path: string): Pick<SessionInfo, "session" | "agent"> {
  const folder = dirname(path);
  if (basename(dirname(folder)) !== "chats") return { session: null, agent: null };
  return { session: basename(folder), agent: basename(path, ".jsonl") };
}

/** Gemini CLI records a project's folder next to its sessions, not in them. */
function readProject(path: string): string | null {
  for (const folder of [dirname(dirname(path)), dirname(dirname(dirname(path)))]) {
    const note = join(folder, ".project_root");
    const folderNote = readPlainText(note);
    if (folderNote !== null) return folderNote.trim() || null;
  }
  return null;
}

import type { Policy } from "../../../domain/policy.ts";
import { parseTime } from "../../../lib/clock.ts";
import { isRecord, stringOr, tryParseJson } from "../../../lib/json.ts";
import type { TranscriptItem } from "../../protocol/host.ts";
import { readLineBatches, decodeLine } from "../../transcripts/lines.ts";
import { blankEvent, redactAndCap, toCallEventFields } from "../../protocol/to-event.ts";
import { parseHostVersion } from "../../protocol/host-version.ts";
import { toPrintedText, toRefusalText } from "./refusal.ts";

type Line = Readonly<Record<string, unknown>>;

interface OpenCall {
  readonly tool: string;
  readonly input: unknown;
  readonly at: number;
  readonly model: string | null;
  /** The byte offset of its line in the file. */
  readonly position: number;
}

/** `~/.claude/projects/<folder>/<session>.jsonl`: calls are in the assistant's lines, their results in the user's. */
export async function* readTranscript(path: string, policy: Policy["observe"]): AsyncIterable<TranscriptItem> {
  const take = lineReader(policy);
  for await (const lines of readLineBatches(path)) for (const line of lines) yield* take(line);
}

export function lineReader(policy: Policy["observe"]): (line: Buffer) => readonly TranscriptItem[] {
  const reader = transcriptReader(policy);
  return (line) => reader.take(line, 0);
}

interface TranscriptReader {
  /** The items that this line completes. */
  take(line: Buffer, position: number): readonly TranscriptItem[];
  /** The offset of the first call without a result; null if there is none. */
  firstOpen(): number | null;
}

export function transcriptReader(policy: Policy["observe"]): TranscriptReader {
  const openCalls = new Map<string, OpenCall>();
  return {
    take: (bytes, position) => {
      // Most lines (thoughts, answers, progress, snapshots) can be skipped without parsing.
      if (!bytes.includes(USER) && !bytes.includes(TOOL_USE) && !bytes.includes(QUEUED)) return none;
      const line = parseLine(bytes);
      if (!isRecord(line) || typeof line["sessionId"] !== "string") return none;
      const at = parseTime(line["timestamp"]);
      if (at === null) return none;
      if (line["type"] === "assistant") addOpenCalls(openCalls, line, { at, position });
      if (line["type"] === "attachment") return parseQueuedPrompt(line, at, policy);
      return line["type"] === "user" ? parseUserLine(openCalls, line, at, policy) : none;
    },
    firstOpen: () => (openCalls.size === 0 ? null : Math.min(...[...openCalls.values()].map((call) => call.position))),
  };
}

const none: readonly TranscriptItem[] = [];
const USER = Buffer.from('"user"');
const TOOL_USE = Buffer.from('"tool_use"');
/**
 * No hook reports what is typed while the agent works; the client passes it on during the turn and records it like
 * this.
 */
export const QUEUED = Buffer.from('"queued_command"');

/**
 * A line contains each result twice; the second copy, with the whole edited file, is most of a transcript. It is cut
 * out of the bytes, so that it is neither decoded nor parsed. The cut is used only if the rest is valid JSON with
 * every field that is read here; otherwise the whole line is parsed.
 */
function parseLine(line: Buffer): unknown {
  const at = line.indexOf(REPEATED_RESULT);
  if (at === -1 || line.length - at < WORTH_A_CUT) return tryParseJson(decodeLine(line));
  // The last members of the line, if all are scalars; only the line's own brace is closed after them.
  const tail = decodeLine(line.subarray(line.lastIndexOf(MEMBER) + 1));
  if (!PLAIN_MEMBERS.test(tail) || rareFields.some((field) => line.includes(field, at)))
    return tryParseJson(decodeLine(line));
  const cut = tryParseJson(decodeLine(line.subarray(0, at)) + tail);
  return isRecord(cut) && neededFields.every((field) => cut[field] !== undefined)
    ? cut
    : tryParseJson(decodeLine(line));
}

const REPEATED_RESULT = Buffer.from(',"toolUseResult":{');
const MEMBER = Buffer.from('},"');
const WORTH_A_CUT = 1_000;
const PLAIN_MEMBERS = /^(?:,"\w+":(?:"[^"\\]*"|-?\d+|true|false|null))+\}\s*$/;
const neededFields = ["type", "message", "sessionId", "timestamp", "cwd", "isSidechain"];
const rareFields = ['"toolDenialKind":', '"interruptedMessageId":', '"agentId":'].map((field) => Buffer.from(field));

function addOpenCalls(openCalls: Map<string, OpenCall>, line: Line, where: Pick<OpenCall, "at" | "position">): void {
  const message = isRecord(line["message"]) ? line["message"] : {};
  for (const block of listBlocks(message["content"])) {
    if (block["type"] !== "tool_use" || typeof block["id"] !== "string" || typeof block["name"] !== "string") continue;
    openCalls.set(block["id"], {
      tool: block["name"],
      input: block["input"] ?? null,
      ...where,
      model: stringOr(message["model"], null),
    });
  }
}

function parseUserLine(
  openCalls: Map<string, OpenCall>,
  line: Line,
  at: number,
  policy: Policy["observe"],
): readonly TranscriptItem[] {
  const content = isRecord(line["message"]) ? line["message"]["content"] : undefined;
  if (typeof content === "string") {
    if (!isPrompt(line, content)) return none;
    const uid = `prompt:${stringOr(line["promptId"], null) ?? stringOr(line["uuid"], String(at))}`;
    return [{ ...newItem(line, at), kind: "prompt", uid, text: redactAndCap(content, policy.payloadCharacters) }];
  }
  const items: TranscriptItem[] = [];
  for (const block of listBlocks(content)) {
    const id = block["tool_use_id"];
    if (block["type"] !== "tool_result" || typeof id !== "string") continue;
    const call = openCalls.get(id);
    if (!call) continue;
    openCalls.delete(id);
    const text = readResultText(line, call.tool, resultText(block["content"]));
    const { tool, input } = call;
    items.push({
      ...newItem(line, at),
      uid: id,
      model: call.model,
      durationMs: Math.max(0, at - call.at),
      ...toCallEventFields({ tool, input, ok: block["is_error"] !== true, text, exitCode: null }, policy),
    });
  }
  return items;
}

/**
 * A prompt that a person typed while the agent worked. The same queue holds task notifications and other agents'
 * messages.
 */
function parseQueuedPrompt(line: Line, at: number, policy: Policy["observe"]): readonly TranscriptItem[] {
  const queued = isRecord(line["attachment"]) ? line["attachment"] : {};
  const origin = isRecord(queued["origin"]) ? queued["origin"]["kind"] : "human";
  const words = resultText(queued["prompt"]) ?? "";
  if (queued["type"] !== "queued_command" || (queued["commandMode"] ?? "prompt") !== "prompt") return none;
  if (origin !== "human" || line["isSidechain"] === true || words === "" || !isPrompt(line, words)) return none;
  const uid = `prompt:${stringOr(line["uuid"], String(at))}`;
  return [{ ...newItem(line, at), kind: "prompt", uid, text: redactAndCap(words, policy.payloadCharacters) }];
}

function readResultText(line: Line, tool: string, text: string | null): string | null {
  if (line["interruptedMessageId"] !== undefined) return INTERRUPTED;
  if (text === null) return null;
  if (typeof line["toolDenialKind"] === "string") return toRefusalText(tool, text);
  // Older versions had no such mark, but this text.
  return line["toolUseResult"] === "User rejected tool use" ? text : toPrintedText(text);
}

/**
 * If the user pressed Esc while the call ran, the client also writes the text of a refusal; only this mark shows the
 * difference.
 */
const INTERRUPTED = "[Request interrupted by user for tool use]";

function newItem(line: Line, at: number): TranscriptItem {
  return {
    ...blankEvent,
    host: "claude-code",
    session: stringOr(line["sessionId"], ""),
    at,
    cwd: stringOr(line["cwd"], null),
    agent: line["isSidechain"] === true ? stringOr(line["agentId"], "sub") : null,
    ...parseHostVersion(line["version"]),
  };
}

/** True if a person typed it; the client's own notes have the same form. */
function isPrompt(line: Line, content: string): boolean {
  return (
    line["isMeta"] !== true &&
    line["isCompactSummary"] !== true &&
    !/^<(command-name|local-command-|task-notification|system-reminder)/.test(content)
  );
}

function listBlocks(content: unknown): readonly Line[] {
  return Array.isArray(content) ? content.filter(isRecord) : [];
}

function resultText(content: unknown): string | null {
  if (typeof content === "string") return content;
  const texts = listBlocks(content)
    .map((block) => stringOr(block["text"], ""))
    .filter(Boolean);
  return texts.length > 0 ? texts.join("\n") : null;
}

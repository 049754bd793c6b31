import type { Policy } from "../../../domain/policy.ts";
import { parseTime } from "../../../lib/clock.ts";
import { isRecord, stringOr, tryParse } from "../../../lib/json.ts";
import type { TranscriptItem } from "../../host.ts";
import { linesOf } from "../../imports/lines.ts";
import { blank, clean, rawCall } from "../../to-event.ts";
import { toldVersion } from "../../told-version.ts";
import { asRefusal } from "./refusal.ts";

type Line = Readonly<Record<string, unknown>>;

interface Asked {
  readonly tool: string;
  readonly input: unknown;
  readonly at: number;
  readonly model: string | null;
  /** Where its line begins in the file. */
  readonly position: number;
}

/** `~/.claude/projects/<folder>/<session>.jsonl`: calls in the assistant's lines, their results in the user's. */
export async function* readTranscript(path: string, policy: Policy["observe"]): AsyncIterable<TranscriptItem> {
  const reader = transcriptReader(policy);
  for await (const text of linesOf(path)) for (const item of reader.take(text, 0)) yield item;
}

interface TranscriptReader {
  /** What one line adds to what was there before it. */
  take(text: string, position: number): Iterable<TranscriptItem>;
  /** Where the first call stands that has no result yet. */
  firstOpen(): number | null;
}

export function transcriptReader(policy: Policy["observe"]): TranscriptReader {
  const asked = new Map<string, Asked>();
  return {
    take: function* (text, position) {
      // Thoughts, answers, progress, snapshots: most of a transcript need not be parsed to be known as nothing of ours.
      if (!text.includes('"user"') && !text.includes('"tool_use"')) return;
      const line = parseLine(text);
      if (!isRecord(line) || typeof line["sessionId"] !== "string") return;
      const at = parseTime(line["timestamp"]);
      if (at === null) return;
      if (line["type"] === "assistant") remember(asked, line, { at, position });
      if (line["type"] === "user") yield* userLine(asked, line, at, policy);
    },
    firstOpen: () => (asked.size === 0 ? null : Math.min(...[...asked.values()].map((call) => call.position))),
  };
}

/**
 * A result is told twice, and the second telling, with the whole file that was edited, is most of a transcript.
 * Cut out of the text it need not be parsed. The cut is kept only where it is sure to be one: what is left must be
 * JSON by itself, with every field that is read here; everything else is parsed whole.
 */
function parseLine(text: string): unknown {
  const at = text.indexOf(RETOLD);
  if (at === -1 || text.length - at < WORTH_A_CUT) return tryParse(text);
  // The last members of a line, if all are plain: behind them only the line's own brace is closed.
  const tail = text.slice(text.lastIndexOf('},"') + 1);
  if (!PLAIN_MEMBERS.test(tail) || rare.some((field) => text.includes(field, at))) return tryParse(text);
  const line = tryParse(text.slice(0, at) + tail);
  return isRecord(line) && needed.every((field) => line[field] !== undefined) ? line : tryParse(text);
}

const RETOLD = ',"toolUseResult":{';
const WORTH_A_CUT = 1_000;
const PLAIN_MEMBERS = /^(?:,"\w+":(?:"[^"\\]*"|-?\d+|true|false|null))+\}\s*$/;
const needed = ["type", "message", "sessionId", "timestamp", "cwd", "isSidechain"];
const rare = ['"toolDenialKind":', '"interruptedMessageId":', '"agentId":'];

function remember(asked: Map<string, Asked>, line: Line, where: Pick<Asked, "at" | "position">): void {
  const message = isRecord(line["message"]) ? line["message"] : {};
  for (const block of blocks(message["content"])) {
    if (block["type"] !== "tool_use" || typeof block["id"] !== "string" || typeof block["name"] !== "string") continue;
    asked.set(block["id"], {
      tool: block["name"],
      input: block["input"] ?? null,
      ...where,
      model: stringOr(message["model"], null),
    });
  }
}

function* userLine(
  asked: Map<string, Asked>,
  line: Line,
  at: number,
  policy: Policy["observe"],
): Iterable<TranscriptItem> {
  const content = isRecord(line["message"]) ? line["message"]["content"] : undefined;
  const base = itemOf(line, at);
  if (typeof content === "string") {
    if (isPrompt(line, content))
      yield {
        ...base,
        kind: "prompt",
        uid: `prompt:${stringOr(line["promptId"], null) ?? stringOr(line["uuid"], String(at))}`,
        text: clean(content, policy.payloadCharacters),
      };
    return;
  }
  for (const block of blocks(content)) {
    const id = block["tool_use_id"];
    if (block["type"] !== "tool_result" || typeof id !== "string") continue;
    const call = asked.get(id);
    if (!call) continue;
    asked.delete(id);
    const text = wordsOf(line, call.tool, resultText(block["content"]));
    yield {
      ...base,
      kind: "call",
      uid: id,
      model: call.model,
      durationMs: Math.max(0, at - call.at),
      ...rawCall({ ...call, ok: block["is_error"] !== true, text, exitCode: null }, policy),
    };
  }
}

function wordsOf(line: Line, tool: string, text: string | null): string | null {
  if (line["interruptedMessageId"] !== undefined) return INTERRUPTED;
  return typeof line["toolDenialKind"] === "string" && text !== null ? asRefusal(tool, text) : text;
}

/** The client writes the words of a refusal also where its user pressed Esc while the call ran; only this mark tells. */
const INTERRUPTED = "[Request interrupted by user for tool use]";

function itemOf(line: Line, at: number): TranscriptItem {
  return {
    ...blank,
    host: "claude-code",
    session: stringOr(line["sessionId"], ""),
    at,
    cwd: stringOr(line["cwd"], null),
    agent: line["isSidechain"] === true ? stringOr(line["agentId"], "sub") : null,
    ...toldVersion(line["version"]),
  };
}

/** What a person typed: not the client's own notes, which take the same road. */
function isPrompt(line: Line, content: string): boolean {
  return (
    line["isMeta"] !== true &&
    line["isCompactSummary"] !== true &&
    !/^<(command-name|local-command-|task-notification|system-reminder)/.test(content)
  );
}

function blocks(content: unknown): readonly Line[] {
  return Array.isArray(content) ? content.filter(isRecord) : [];
}

function resultText(content: unknown): string | null {
  if (typeof content === "string") return content;
  const texts = blocks(content)
    .map((block) => stringOr(block["text"], ""))
    .filter(Boolean);
  return texts.length > 0 ? texts.join("\n") : null;
}

import { existsSync, statSync } from "node:fs";
import type { Policy } from "../../../domain/policy.ts";
import { isRecord, stringOr, tryParseJson } from "../../../lib/json.ts";
import { recordSessionOn } from "../../off-times.ts";
import type { TranscriptContext, TranscriptItem } from "../../protocol/host.ts";
import type { HookEvent } from "../../protocol/hook-event.ts";
import { blankEvent, redactAndCap, toCallEventFields } from "../../protocol/to-event.ts";
import { parseHostVersion } from "../../protocol/host-version.ts";
import { findWorkspace } from "../../protocol/workspace.ts";
import { storeTranscriptEvents } from "../../transcripts/store-transcript-events.ts";
import { readWholeText } from "../../transcripts/whole-text.ts";
import { parseToolOutput } from "./texts.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * `~/.cline/data/sessions/<session>/<session>.messages.json`: the whole session in one object; the cwd is in a file
 * next to it.
 */
export async function* readTranscript(path: string, policy: Policy["observe"]): AsyncIterable<TranscriptItem> {
  const file = tryParseJson(readWholeText(path));
  const session = isRecord(file) ? stringOr(file["sessionId"], "") : "";
  if (session !== "") yield* parseItems(messagesIn(file), { session, policy, ...readSessionFile(path) });
}

/**
 * Larger files are left to `oldhand import`: the file is rewritten as a whole, so reading cannot continue at an
 * offset.
 */
const MOST_BYTES = 8_000_000;

/** Reads what no hook reports: calls refused before they ran, and prompts given on the command line. */
export async function readNewTranscriptLines(ctx: TranscriptContext, event: HookEvent): Promise<void> {
  const { transcript: path, session, cwd } = event;
  const stat = path === null ? undefined : statSync(path, { throwIfNoEntry: false });
  if (path === null || stat?.isFile() !== true || stat.size > MOST_BYTES) return;
  const messages = messagesIn(tryParseJson(readWholeText(path)));
  // Messages before the last prompt were read then, or are older than the installation.
  const since = messages.findLastIndex((message) => parsePrompt(message) !== null);
  const items = parseItems(messages.slice(Math.max(0, since)), {
    ...readSessionFile(path),
    session,
    cwd,
    policy: ctx.config.policy.observe,
  });
  const events = [...items].map((item) => ({ ...item, workspace: findWorkspace(item.cwd) }));
  await storeTranscriptEvents(ctx, events);
  recordSessionOn(ctx.config.home, event, ctx.clock.now());
}

interface SessionInfo {
  readonly session: string;
  readonly cwd: string | null;
  readonly policy: Policy["observe"];
  readonly hostVersion?: string;
}

interface OpenCall {
  readonly tool: string;
  readonly input: unknown;
  readonly at: number;
  readonly model: string | null;
}

function* parseItems(
  messages: readonly JsonObject[],
  { policy, ...sessionFields }: SessionInfo,
): Iterable<TranscriptItem> {
  const openCalls = new Map<string, OpenCall>();
  for (const message of messages) {
    const at = message["ts"];
    if (typeof at !== "number" || !Number.isFinite(at)) continue;
    const base = { ...blankEvent, host: "cline", ...sessionFields, at };
    const prompt = parsePrompt(message);
    if (prompt !== null) {
      const uid = `prompt:${stringOr(message["id"], String(at))}`;
      yield { ...base, kind: "prompt", uid, text: redactAndCap(prompt, policy.payloadCharacters) };
    }
    for (const part of partsOf(message)) {
      if (part["type"] === "tool_use") addOpenCall(openCalls, message, part);
      if (part["type"] === "tool_result") yield* parseResult(openCalls, part, { base, policy });
    }
  }
}

/** Only what a person typed: hook output and the client's own messages have the same role. */
function parsePrompt(message: JsonObject): string | null {
  const meta = isRecord(message["metadata"]) ? message["metadata"] : {};
  if (message["role"] !== "user" || meta["displayRole"] === "system") return null;
  const texts = partsOf(message).flatMap((part) => (part["type"] === "text" ? stringOr(part["text"], "") : []));
  const typed = /^<user_input\b[^>]*>([^]*)<\/user_input>/.exec(texts.join("\n").trim())?.[1]?.trim();
  return typed === undefined || typed === "" ? null : typed;
}

function addOpenCall(openCalls: Map<string, OpenCall>, message: JsonObject, part: JsonObject): void {
  const { id, name, input } = part;
  if (typeof id !== "string" || typeof name !== "string" || name === "") return;
  const model = isRecord(message["modelInfo"]) ? stringOr(message["modelInfo"]["id"], null) : null;
  openCalls.set(id, { tool: name, input: input ?? null, at: Number(message["ts"]), model });
}

function* parseResult(
  openCalls: Map<string, OpenCall>,
  part: JsonObject,
  { base, policy }: { readonly base: TranscriptItem; readonly policy: Policy["observe"] },
): Iterable<TranscriptItem> {
  const id = stringOr(part["tool_use_id"], "");
  const call = openCalls.get(id);
  if (!call) return;
  openCalls.delete(id);
  const { tool, input, model } = call;
  const end = parseToolOutput(part["content"]);
  const ok = end.ok && part["is_error"] !== true;
  yield {
    ...base,
    kind: "call",
    uid: id,
    model,
    durationMs: Math.max(0, base.at - call.at),
    ...toCallEventFields({ tool, input, ...end, ok }, policy),
  };
}

function messagesIn(file: unknown): readonly JsonObject[] {
  const messages = isRecord(file) ? file["messages"] : null;
  return Array.isArray(messages) ? messages.filter(isRecord) : [];
}

function partsOf(message: JsonObject): readonly JsonObject[] {
  const parts = message["content"];
  return Array.isArray(parts) ? parts.filter(isRecord) : [];
}

/** The session's folder, and the host version that started it. */
function readSessionFile(path: string): Pick<SessionInfo, "cwd" | "hostVersion"> {
  const beside = path.replace(/\.messages\.json$/, ".json");
  const about = beside !== path && existsSync(beside) ? tryParseJson(readWholeText(beside)) : null;
  if (!isRecord(about)) return { cwd: null };
  const meta = isRecord(about["metadata"]) ? about["metadata"] : {};
  const begun = isRecord(meta["sessionHistoryOrigin"]) ? meta["sessionHistoryOrigin"] : {};
  return { cwd: stringOr(about["cwd"], null), ...parseHostVersion(begun["version"]) };
}

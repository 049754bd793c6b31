import { basename, dirname, join } from "node:path";
import type { Policy } from "../../../domain/policy.ts";
import { parseTime } from "../../../lib/clock.ts";
import { isRecord, stringOr, tryParse } from "../../../lib/json.ts";
import { plainTextOf } from "../../../lib/plain-file.ts";
import type { CatchUpContext, TranscriptItem } from "../../protocol/host.ts";
import { linesOf } from "../../transcripts/lines.ts";
import { wholeText } from "../../transcripts/whole-text.ts";
import { readOn } from "../../transcripts/read-on.ts";
import type { HookEvent } from "../../protocol/hook-event.ts";
import { blank, clean, rawCall } from "../../protocol/to-event.ts";
import { callIdIn, messagesIn, promptIdAfter } from "./identity.ts";
import { commandEnd, textOfParts, withoutHookContext } from "./texts.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** `~/.gemini/tmp/<project>/chats/session-*.jsonl`; before 0.40 or so a `.json` that holds all of it in one object. */
export async function* readTranscript(path: string, policy: Policy["observe"]): AsyncIterable<TranscriptItem> {
  const reader = transcriptReader({ policy, cwd: projectOf(path), ...ownerOf(path) });
  if (path.endsWith(".json")) yield* reader.take(wholeText(path));
  else for await (const line of linesOf(path)) yield* reader.take(line);
}

/** A call that a policy, its user or its own parameters kept from running fires no hook. */
export async function catchUp(ctx: CatchUpContext, seen: HookEvent): Promise<void> {
  if (seen.transcript === null) return;
  const { take } = transcriptReader({
    policy: ctx.config.policy.observe,
    session: seen.session,
    cwd: seen.cwd,
    agent: null,
  });
  const calls = (line: string) => (line.includes('"toolCalls"') ? take(line) : []);
  await readOn(ctx, { path: seen.transcript, take: calls }, seen);
}

interface Reader {
  take(line: string): Iterable<TranscriptItem>;
}

interface Known {
  readonly policy: Policy["observe"];
  /** Null: the transcript's first line tells it. */
  readonly session: string | null;
  readonly cwd: string | null;
  readonly agent: string | null;
}

/** A message is written again each time something is added to it, and all of them where the history is compressed. */
function transcriptReader(known: Known): Reader {
  let { session } = known;
  let previous: string | null = null;
  const told = new Set<string>();
  const isNew = (item: TranscriptItem) => !told.has(item.uid) && Boolean(told.add(item.uid));
  return {
    take: function* (text) {
      const line = tryParse(text);
      if (isRecord(line)) session ??= stringOr(line["sessionId"], null);
      for (const message of messagesIn(line)) {
        if (session !== null) yield* itemsOf(message, { ...known, session, previous }).filter(isNew);
        previous = stringOr(message["id"], previous);
      }
    },
  };
}

interface Place extends Known {
  readonly session: string;
  /** The id of the message before. */
  readonly previous: string | null;
}

function itemsOf(message: JsonObject, place: Place): readonly TranscriptItem[] {
  if (message["type"] === "user") return promptIn(message, place);
  const calls = Array.isArray(message["toolCalls"]) ? message["toolCalls"] : [];
  return calls.filter(isRecord).flatMap((call) => callOf(message, call, place));
}

function promptIn(message: JsonObject, { session, cwd, previous, policy }: Place): readonly TranscriptItem[] {
  const prompt = withoutHookContext(textOfParts(message["content"]) ?? "");
  const at = parseTime(message["timestamp"]);
  // Results of calls come as the user's too, and so does what the client tells of the place.
  if (at === null || prompt === "" || prompt.startsWith("<session_context>")) return [];
  const id = promptIdAfter(previous ?? "", prompt);
  const text = clean(prompt, policy.payloadCharacters);
  return [{ ...blank, host: "gemini", kind: "prompt", session, cwd, at, uid: `prompt:${id}`, text }];
}

function callOf(message: JsonObject, call: JsonObject, place: Place): readonly TranscriptItem[] {
  const at = parseTime(call["timestamp"]) ?? parseTime(message["timestamp"]);
  const tool = call["name"];
  if (typeof tool !== "string" || tool === "" || at === null) return [];
  const input = call["args"] ?? null;
  const text = resultText(call["result"]);
  const end = call["status"] === "success" ? commandEnd(tool, text) : { ok: false, exitCode: null };
  return [
    {
      ...blank,
      host: "gemini",
      session: place.session,
      cwd: place.cwd,
      at,
      uid: callIdIn(stringOr(message["id"], ""), tool, input),
      model: stringOr(message["model"], null),
      agent: place.agent,
      ...rawCall({ tool, input, text, ...end }, place.policy),
    },
  ];
}

function resultText(result: unknown): string | null {
  const parts = Array.isArray(result) ? result.filter(isRecord) : [];
  const texts = parts.flatMap(({ functionResponse }) => {
    const response =
      isRecord(functionResponse) && isRecord(functionResponse["response"]) ? functionResponse["response"] : {};
    // A call that was stopped on its way has both: the error tells.
    return stringOr(response["error"], null) ?? stringOr(response["output"], null) ?? [];
  });
  return texts.length > 0 ? withoutHookContext(texts.join("\n")) : null;
}

/** A sub-agent's transcript lies in a folder that is named after the session it works for. */
function ownerOf(path: string): Pick<Known, "session" | "agent"> {
  const folder = dirname(path);
  if (basename(dirname(folder)) !== "chats") return { session: null, agent: null };
  return { session: basename(folder), agent: basename(path, ".jsonl") };
}

/** Gemini CLI notes a project's folder beside its sessions, not in them. */
function projectOf(path: string): string | null {
  for (const folder of [dirname(dirname(path)), dirname(dirname(dirname(path)))]) {
    const note = join(folder, ".project_root");
    const told = plainTextOf(note);
    if (told !== null) return told.trim() || null;
  }
  return null;
}

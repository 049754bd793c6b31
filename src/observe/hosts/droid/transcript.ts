import type { Policy } from "../../../domain/policy.ts";
import { parseTime } from "../../../lib/clock.ts";
import { isRecord, stringOr, tryParse } from "../../../lib/json.ts";
import type { CatchUpContext, TranscriptItem } from "../../protocol/host.ts";
import { linesOf } from "../../transcripts/lines.ts";
import { readOn } from "../../transcripts/read-on.ts";
import type { HookEvent } from "../../protocol/hook-event.ts";
import { blank, clean, rawCall } from "../../protocol/to-event.ts";
import { messageIn, partsOf } from "./recent-calls.ts";
import { commandEnd } from "./texts.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** `~/.factory/sessions/<folder>/<session>.jsonl`: one message to a line, after a line about the session. */
export async function* readTranscript(path: string, policy: Policy["observe"]): AsyncIterable<TranscriptItem> {
  const reader = transcriptReader(policy, { session: null, cwd: null });
  for await (const line of linesOf(path)) yield* reader.take(line);
}

/** A call that failed or was kept from running fires no hook after it, and a prompt given with `droid exec` none at all. */
export async function catchUp(ctx: CatchUpContext, seen: HookEvent): Promise<void> {
  if (seen.transcript === null) return;
  const { take, isOpen } = transcriptReader(ctx.config.policy.observe, { session: seen.session, cwd: seen.cwd });
  await readOn(ctx, { path: seen.transcript, take, isOpen, brings: ["call", "prompt"] }, seen);
}

interface Asked {
  readonly tool: string;
  readonly input: unknown;
  readonly at: number;
  readonly model: string | null;
}

interface Known {
  readonly session: string | null;
  readonly cwd: string | null;
}

interface Reader {
  take(line: string): Iterable<TranscriptItem>;
  isOpen(): boolean;
}

function transcriptReader(policy: Policy["observe"], known: Known): Reader {
  const asked = new Map<string, Asked>();
  const denied = new Set<string>();
  let { session, cwd } = known;
  return {
    take: function* (text) {
      if (text.startsWith('{"type":"session_start"')) {
        const first = tryParse(text);
        session ??= isRecord(first) ? stringOr(first["id"], null) : null;
        cwd ??= isRecord(first) ? stringOr(first["cwd"], null) : null;
        return;
      }
      const message = messageIn(text);
      if (message === null || session === null) return;
      const line = tryParse(text) as JsonObject;
      const at = parseTime(line["timestamp"]);
      if (at === null) return;
      if (isDenial(message)) denied.add(stringOr(message["hookToolCallId"], ""));
      const base = { ...blank, host: "droid", session, cwd, at };
      for (const part of partsOf(message)) {
        if (part["type"] === "tool_use") remember(asked, part, { at, model: stringOr(message["modelId"], null) });
        if (part["type"] === "tool_result") yield* resultIn(asked, part, { base, denied, policy });
      }
      yield* promptIn(line, message, { base, policy });
    },
    isOpen: () => asked.size > 0,
  };
}

/** A hook's refusal is told in the hook's words alone; what it answered is written down beside. */
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

interface Around {
  readonly base: TranscriptItem;
  readonly policy: Policy["observe"];
}

/** What the client tells of the place, and what hooks said, takes the same road as what a person typed. */
function* promptIn(line: JsonObject, message: JsonObject, { base, policy }: Around): Iterable<TranscriptItem> {
  const id = stringOr(line["id"], "");
  if (message["role"] !== "user" || id === "" || id.startsWith("context-") || "hookEventName" in message) return;
  // Only what a person sent carries the mode it was sent in.
  if (!("interactionMode" in message)) return;
  const said = partsOf(message)
    .map((part) => (part["type"] === "text" ? stringOr(part["text"], "") : ""))
    .filter((one) => !one.startsWith("<system-reminder>"))
    .join("\n")
    .trim();
  if (said === "") return;
  yield { ...base, kind: "prompt", uid: `prompt:${id}`, text: clean(said, policy.payloadCharacters) };
}

function remember(asked: Map<string, Asked>, part: JsonObject, when: Pick<Asked, "at" | "model">): void {
  const { id, name, input } = part;
  if (typeof id !== "string" || typeof name !== "string" || name === "") return;
  asked.set(id, { tool: name, input: input ?? null, ...when });
}

function* resultIn(
  asked: Map<string, Asked>,
  part: JsonObject,
  { base, denied, policy }: Around & { readonly denied: ReadonlySet<string> },
): Iterable<TranscriptItem> {
  const id = stringOr(part["tool_use_id"], "");
  const call = asked.get(id);
  if (!call) return;
  asked.delete(id);
  const { tool, input, model } = call;
  const said = textOf(part["content"]);
  const text = denied.has(id) ? `Tool execution denied: ${said ?? ""}` : said;
  const ok = part["is_error"] !== true;
  yield {
    ...base,
    kind: "call",
    uid: id,
    model,
    durationMs: Math.max(0, base.at - call.at),
    ...rawCall({ tool, input, ok, text, exitCode: commandEnd(tool, said) }, policy),
  };
}

function textOf(content: unknown): string | null {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return null;
  const texts = content.filter(isRecord).flatMap((part) => stringOr(part["text"], null) ?? []);
  return texts.length > 0 ? texts.join("\n") : null;
}

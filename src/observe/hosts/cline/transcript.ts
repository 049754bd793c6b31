import { existsSync, statSync } from "node:fs";
import type { Policy } from "../../../domain/policy.ts";
import { isRecord, stringOr, tryParse } from "../../../lib/json.ts";
import { noteSessionOn } from "../../off-times.ts";
import type { CatchUpContext, TranscriptItem } from "../../protocol/host.ts";
import type { HookEvent } from "../../protocol/hook-event.ts";
import { blank, clean, rawCall } from "../../protocol/to-event.ts";
import { toldVersion } from "../../protocol/told-version.ts";
import { workspaceOf } from "../../protocol/workspace.ts";
import { storeTold } from "../../transcripts/store-told.ts";
import { wholeText } from "../../transcripts/whole-text.ts";
import { endOf } from "./texts.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** `~/.cline/data/sessions/<session>/<session>.messages.json`: all of it in one object, with its folder in a file beside. */
export async function* readTranscript(path: string, policy: Policy["observe"]): AsyncIterable<TranscriptItem> {
  const file = tryParse(wholeText(path));
  const session = isRecord(file) ? stringOr(file["sessionId"], "") : "";
  if (session !== "") yield* itemsOf(messagesIn(file), { session, policy, ...toldBeside(path) });
}

/** Larger ones are left to `oldhand import`: they are written anew as a whole, so there is no going on from a place. */
const MOST_BYTES = 8_000_000;

/** A call that was refused before it ran fires no hook, and neither does a prompt given on the command line. */
export async function catchUp(ctx: CatchUpContext, seen: HookEvent): Promise<void> {
  const { transcript: path, session, cwd } = seen;
  const stat = path === null ? undefined : statSync(path, { throwIfNoEntry: false });
  if (path === null || stat?.isFile() !== true || stat.size > MOST_BYTES) return;
  const messages = messagesIn(tryParse(wholeText(path)));
  // What came before the last prompt was looked at then, or is from before we were here.
  const since = messages.findLastIndex((message) => promptOf(message) !== null);
  const items = itemsOf(messages.slice(Math.max(0, since)), {
    ...toldBeside(path),
    session,
    cwd,
    policy: ctx.config.policy.observe,
  });
  const events = [...items].map((item) => ({ ...item, workspace: workspaceOf(item.cwd) }));
  await storeTold(ctx, events);
  noteSessionOn(ctx.config.home, seen, ctx.clock.now());
}

interface Known {
  readonly session: string;
  readonly cwd: string | null;
  readonly policy: Policy["observe"];
  readonly hostVersion?: string;
}

interface Asked {
  readonly tool: string;
  readonly input: unknown;
  readonly at: number;
  readonly model: string | null;
}

function* itemsOf(messages: readonly JsonObject[], { policy, ...told }: Known): Iterable<TranscriptItem> {
  const asked = new Map<string, Asked>();
  for (const message of messages) {
    const at = message["ts"];
    if (typeof at !== "number" || !Number.isFinite(at)) continue;
    const base = { ...blank, host: "cline", ...told, at };
    const prompt = promptOf(message);
    if (prompt !== null) {
      const uid = `prompt:${stringOr(message["id"], String(at))}`;
      yield { ...base, kind: "prompt", uid, text: clean(prompt, policy.payloadCharacters) };
    }
    for (const part of partsOf(message)) {
      if (part["type"] === "tool_use") remember(asked, message, part);
      if (part["type"] === "tool_result") yield* resultIn(asked, part, { base, policy });
    }
  }
}

/** What hooks said, and what the client tells of itself, takes the same road as what a person typed. */
function promptOf(message: JsonObject): string | null {
  const meta = isRecord(message["metadata"]) ? message["metadata"] : {};
  if (message["role"] !== "user" || meta["displayRole"] === "system") return null;
  const said = partsOf(message).flatMap((part) => (part["type"] === "text" ? stringOr(part["text"], "") : []));
  const typed = /^<user_input\b[^>]*>([^]*)<\/user_input>/.exec(said.join("\n").trim())?.[1]?.trim();
  return typed === undefined || typed === "" ? null : typed;
}

function remember(asked: Map<string, Asked>, message: JsonObject, part: JsonObject): void {
  const { id, name, input } = part;
  if (typeof id !== "string" || typeof name !== "string" || name === "") return;
  const model = isRecord(message["modelInfo"]) ? stringOr(message["modelInfo"]["id"], null) : null;
  asked.set(id, { tool: name, input: input ?? null, at: Number(message["ts"]), model });
}

function* resultIn(
  asked: Map<string, Asked>,
  part: JsonObject,
  { base, policy }: { readonly base: TranscriptItem; readonly policy: Policy["observe"] },
): Iterable<TranscriptItem> {
  const id = stringOr(part["tool_use_id"], "");
  const call = asked.get(id);
  if (!call) return;
  asked.delete(id);
  const { tool, input, model } = call;
  const end = endOf(part["content"]);
  const ok = end.ok && part["is_error"] !== true;
  yield {
    ...base,
    kind: "call",
    uid: id,
    model,
    durationMs: Math.max(0, base.at - call.at),
    ...rawCall({ tool, input, ...end, ok }, policy),
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

/** The session's folder, and the version that began it. */
function toldBeside(path: string): Pick<Known, "cwd" | "hostVersion"> {
  const beside = path.replace(/\.messages\.json$/, ".json");
  const about = beside !== path && existsSync(beside) ? tryParse(wholeText(beside)) : null;
  if (!isRecord(about)) return { cwd: null };
  const meta = isRecord(about["metadata"]) ? about["metadata"] : {};
  const begun = isRecord(meta["sessionHistoryOrigin"]) ? meta["sessionHistoryOrigin"] : {};
  return { cwd: stringOr(about["cwd"], null), ...toldVersion(begun["version"]) };
}

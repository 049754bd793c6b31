import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ChatOptions, openChatSession } from "../../../src/converse/session/open-chat-session.ts";
import type { ChatParts } from "../../../src/converse/turn/chat-parts.ts";
import type { ChatSession } from "../../../src/converse/turn/chat-session.ts";
import type { TurnEvent } from "../../../src/converse/turn/turn-event.ts";
import { fixedClock } from "../../../src/lib/clock.ts";
import { isRecord } from "../../../src/lib/json.ts";
import { openContext, type OpenMind } from "../../../src/mind.ts";
import { fakeAnthropic } from "../../../src/testing/fake-anthropic.ts";
import type { ModelRequest, Script, ScriptedServer } from "../../../src/testing/scripted-server.ts";
import type { TestStore } from "../../stores.ts";
import { allowAll } from "./allow-all.ts";
import { labTools } from "./lab-tools.ts";

export const CLAUDE = "anthropic/claude-sonnet-4-5";
export const START = Date.parse("2026-11-17T12:00:00Z");

export interface ChatLab {
  readonly mind: OpenMind;
  readonly model: ScriptedServer;
  readonly clock: ReturnType<typeof fixedClock>;
  readonly home: string;
  readonly database: string;
  /** The folder that sessions work in; it is a workspace. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  open(options?: Partial<ChatOptions>): Promise<ChatSession>;
  /** What was sent to the model, without what only Anthropic's form has. */
  sent(at: number): SentRequest;
  /** Closes the mind and opens it again: another process would see the same. */
  reopen(): Promise<void>;
}

export interface SentRequest {
  readonly system: string;
  readonly messages: readonly { readonly role: string; readonly content: readonly Record<string, unknown>[] }[];
  readonly tools: readonly { readonly name: string }[];
  readonly toolChoice: unknown;
}

/** oldhand's own agent with a scripted model over real HTTP, and a home, a store and a workspace of its own. */
export async function withChat(
  kind: TestStore,
  options: {
    readonly script: Script;
    readonly settings?: Readonly<Record<string, unknown>>;
    readonly parts?: Partial<ChatParts>;
    readonly files?: Readonly<Record<string, string>>;
    /** Where its folders are made. Default: the folder for temporary files. */
    readonly folder?: string;
  },
  act: (lab: ChatLab) => Promise<void>,
): Promise<void> {
  const model = await fakeAnthropic(options.script, { everyRequest: true });
  const place = await kind.migrated();
  const dir = realpathSync(mkdtempSync(join(options.folder ?? tmpdir(), "oldhand-chat-")));
  const [home, cwd] = [join(dir, "mind"), join(dir, "shop")];
  mkdirSync(home);
  mkdirSync(join(cwd, ".git"), { recursive: true });
  for (const [name, text] of Object.entries(options.files ?? {})) {
    mkdirSync(join(cwd, name, ".."), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  const settings = { embedder: "none", models: { use: [CLAUDE], exploreShare: 0, retryMs: 1 }, ...options.settings };
  writeFileSync(join(home, "config.json"), JSON.stringify(settings));
  const env = { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "plain-first-key-4711" };
  const clock = fixedClock(START);
  const openMind = () => openContext({ home, database: place.database, env, clock });
  let mind = await openMind();
  const parts = { tools: async () => labTools, approvals: allowAll, ...options.parts };
  try {
    await act({
      get mind() {
        return mind;
      },
      ...{ model, clock, home, database: place.database, cwd, env },
      open: (more = {}) => openChatSession(mind, { cwd, hasPerson: false, parts, ...more }),
      sent: (at) => readSent(model.requests, at),
      reopen: async () => {
        await mind.close();
        mind = await openMind();
      },
    });
  } finally {
    await mind.close();
    await model.close();
    await place.remove();
    rmSync(dir, { recursive: true, force: true });
  }
}

export async function hear(events: AsyncIterable<TurnEvent>): Promise<readonly TurnEvent[]> {
  const all: TurnEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

export function endOf(events: readonly TurnEvent[]) {
  const end = events.at(-1);
  if (end?.kind !== "turn-end") throw new Error(`the last event is ${end?.kind}`);
  return { reason: end.reason, message: end.message };
}

export function saidIn(events: readonly TurnEvent[]): string {
  return events.map((event) => (event.kind === "text" ? event.text : "")).join("");
}

function readSent(requests: readonly ModelRequest[], at: number): SentRequest {
  const body = requests.at(at)?.body;
  if (!isRecord(body)) throw new Error(`there is no request ${at}`);
  const { system, messages, tools, tool_choice: toolChoice } = withoutMarks(body) as Record<string, unknown>;
  const texts = Array.isArray(system) ? system.map((one: { text: string }) => one.text).join("") : String(system ?? "");
  return { system: texts, messages: messages as SentRequest["messages"], tools: (tools ?? []) as never, toolChoice };
}

/** The marks for the prompt cache move from request to request. */
function withoutMarks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMarks);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => (key === "cache_control" ? [] : [[key, withoutMarks(one)]])),
  );
}

/** All texts of a request's messages, in order. */
export function textsOf({ messages }: SentRequest): readonly string[] {
  return messages.flatMap(({ content }) =>
    content.flatMap((part) => {
      if (typeof part["text"] === "string") return [part["text"]];
      return typeof part["content"] === "string"
        ? [part["content"]]
        : Array.isArray(part["content"])
          ? part["content"].map((one: { text?: string }) => one.text ?? "")
          : [];
    }),
  );
}

import { mkdirSync } from "node:fs";
import { openChatSession } from "../src/converse/session/open-chat-session.ts";
import { AGENT_HOST } from "../src/domain/event/agent-session.ts";
import { invoke } from "../src/invoke.ts";
import { openContext } from "../src/mind.ts";
import { operations } from "../src/operations.ts";
import { blankEvent } from "../src/observe/protocol/to-event.ts";
import { appendChatEntry, type StoredChatEntry } from "../src/store/chat/chat-entries.ts";
import type { StoredChatSession } from "../src/store/chat/chat-sessions.ts";
import { appendEvents } from "../src/store/events/events.ts";
import { type ChatHome, newChatHome, type Terminal } from "./chat-terminal.ts";
import { median, roundTo } from "./floor.ts";
import { measureInTurns, summariseTimes } from "./measure-in-turns.ts";

/** How long a long session takes until its end is shown, in one process and in a new one. */
export async function measureResume(
  dir: string,
  messages: number,
  { rounds, open, url }: { readonly rounds: number; readonly url: string; open(home: ChatHome, id: string): Terminal },
) {
  mkdirSync(dir);
  const where = newChatHome(dir, url);
  const { home, shop, env } = where;
  const session = await storeSession(where, messages);
  const opened: number[] = [];
  const shown: number[] = [];
  const last = `message ${messages}`;
  for (let round = 0; round <= rounds; round++) {
    const mind = await openContext({ home, env });
    const begin = performance.now();
    const chat = await openChatSession(mind, { cwd: shop, session, hasPerson: true });
    const ms = performance.now() - begin;
    await chat.close();
    await mind.close();
    const terminal = open(where, session);
    const seen = (await terminal.seen(last)) - terminal.began;
    terminal.write("\x04");
    await terminal.ended;
    if (round === 0) continue;
    opened.push(ms);
    shown.push(seen);
  }
  return { messages, openMs: roundTo(median(opened), 1), shownInNewProcessMs: roundTo(median(shown), 1), target: 300 };
}

async function storeSession({ home, shop, env }: ChatHome, messages: number): Promise<string> {
  const mind = await openContext({ home, env });
  const id = "chat_bench0000000000";
  const session: StoredChatSession = {
    ...{ id, at: 1, usedAt: 1, title: "bench", cwd: shop, workspace: shop },
    ...{ mode: "ask", model: null, parent: null, entries: 0 },
  };
  const usage = { in: 1_000, out: 50, cached: 0, cacheWrite: 0, reasoning: 0 };
  await mind.db.tx(async (tx) => {
    for (let n = 1; n <= messages; n++) {
      const turn = Math.ceil(n / 2);
      const text = `message ${n} ${"about the workshop and its tools ".repeat(6)}`;
      const message = { role: "assistant", parts: [{ kind: "text", text }] };
      const said = {
        turn,
        message,
        call: `c${n}`,
        model: "anthropic/claude-sonnet-4-5",
        usage,
        cost: 0,
        finish: "stop",
      };
      const data = n % 2 === 1 ? { turn, text, inbox: null } : said;
      const kind = n % 2 === 1 ? "user" : "assistant";
      const entry: StoredChatEntry = { session: id, seq: n, at: n, kind, data: JSON.stringify(data) };
      await appendChatEntry(tx, { ...session, entries: n }, entry);
    }
  });
  await mind.close();
  return id;
}

const subjects = "kiln valve ledger harbour orchard meter choir cropmap quill lantern tape vet trail cluster".split(
  " ",
);
const verbs = "leaks stalls drifts jams overheats skips rusts echoes flickers slips".split(" ");

/** `sessions search` over messages of many sessions of our own agent. */
export async function measureChatSearch(dir: string, messages: number) {
  mkdirSync(dir);
  const { home, shop, env } = newChatHome(dir, "http://127.0.0.1:9");
  const mind = await openContext({ home, env });
  try {
    const word = (list: readonly string[], n: number) => list[(n * 2_654_435_761) % list.length] ?? "";
    for (let from = 0; from < messages; from += 5_000) {
      const size = Math.min(5_000, messages - from);
      const events = Array.from({ length: size }, (_, index) => {
        const n = from + index;
        const place = { host: AGENT_HOST, session: `chat_${Math.floor(n / 200)}`, workspace: shop, cwd: shop };
        const text = `The ${word(subjects, n)} number ${n} ${word(verbs, Math.floor(n / 7))} when it is cold.`;
        const kind = n % 2 === 0 ? ("prompt" as const) : ("answer" as const);
        return { ...blankEvent, ...place, agent: null, kind, uid: `u${n}`, seq: n, at: 1_700_000_000_000 + n, text };
      });
      await appendEvents(mind.db, events);
    }
    const operation = operations.find((one) => one.name === "sessions search" && one.surfaces.includes("cli"));
    if (operation === undefined) throw new Error("there is no search");
    const find = async (query: string) => invoke(mind, operation, { query }, "");
    const queries = subjects.flatMap((subject) => verbs.slice(0, 5).map((verb) => `${subject} ${verb}`));
    // The first search reads what is new.
    const first = JSON.stringify(await find("kiln"));
    if (!first.includes("chat_")) throw new Error(`nothing was found: ${first.slice(0, 500)}`);
    const { search } = await measureInTurns({ search: find }, queries);
    return { messages, ...summariseTimes(search), targetP95: 50 };
  } finally {
    await mind.close();
  }
}

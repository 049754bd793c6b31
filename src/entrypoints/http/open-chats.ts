import { openChatSession } from "../../converse/session/open-chat-session.ts";
import { findSessionHolder } from "../../converse/session/session-lease.ts";
import { requireUsableModel } from "../../converse/session/require-model.ts";
import type { ChatSession, UndoResult } from "../../converse/turn/chat-session.ts";
import { type ShownEvent, shownEvents } from "../../converse/session/shown-events.ts";
import type { SessionUsage, TurnEvent } from "../../converse/turn/turn-event.ts";
import type { TurnEndReason } from "../../converse/turn/entry.ts";
import type { Context } from "../../context.ts";
import { type ChatMode, chatModes, describeModeBack } from "../../domain/settings/chat-mode.ts";
import { SECOND } from "../../lib/clock.ts";
import { OldhandError } from "../../lib/errors.ts";
import { listInbox, markTaken } from "../../store/chat/chat-inbox.ts";
import { findChatSession, type StoredChatSession } from "../../store/chat/chat-sessions.ts";
import { addTurnEvent, type LiveTurn, newLiveTurn } from "./live-turn.ts";

/** A session as a page must know it, beside its entries. */
export interface ChatState {
  readonly session: string;
  readonly mode: ChatMode;
  readonly model: string | null;
  /** `here`: this server has it. `elsewhere`: another process has it, so it can only be read. */
  readonly access: "free" | "here" | "elsewhere" | "sub-agent";
  /** The process that has it. */
  readonly holder: string | null;
  readonly live: LiveTurn | null;
  /** Lines for the person of what runs now, or ran last. */
  readonly notices: readonly string[];
  /** Messages that wait for the running turn (`steer`) or for after it (`queue`). */
  readonly waiting: readonly { readonly id: string; readonly kind: "steer" | "queue"; readonly text: string }[];
  readonly usage: SessionUsage | null;
}

export interface ChatMessageInput {
  /** Null: a new session. */
  readonly session: string | null;
  /** Of a new session. */
  readonly cwd: string;
  readonly mode?: ChatMode | undefined;
  readonly model?: string | undefined;
  readonly text: string;
  /** While a turn runs: for this turn, or for after it. */
  readonly meanwhile: "steer" | "queue";
}

export interface SentMessage {
  readonly session: string;
  /** `turn`: a turn has begun with it. */
  readonly as: "turn" | "steer" | "queue";
}

/** The sessions of oldhand's own agent that the server has open. A turn goes on when the page that began it is closed. */
export interface OpenChats {
  state(session: string): Promise<ChatState | null>;
  /** What runs now, if this server has the session. */
  live(session: string): LiveTurn | null;
  /** Resolves when the message is stored. */
  send(message: ChatMessageInput): Promise<SentMessage>;
  /** Begins a turn with the oldest waiting message. */
  sendWaiting(session: string): Promise<SentMessage>;
  removeWaiting(session: string, id: string): Promise<void>;
  stop(session: string): Promise<void>;
  undo(session: string): Promise<UndoResult>;
  compact(session: string): Promise<void>;
  setMode(session: string, mode: ChatMode): Promise<void>;
  /** Null: the router chooses. */
  setModel(session: string, model: string | null): Promise<void>;
  /** Calls `notify` with each event of the session while this server has it open, and with null if anything else changed. */
  follow(session: string, notify: (event: ShownEvent | null) => void): () => void;
  close(): Promise<void>;
}

interface HeldChat {
  readonly session: ChatSession;
  live: LiveTurn | null;
  usage: SessionUsage | null;
  notices: readonly string[];
  idle: NodeJS.Timeout | null;
}

/** How long a session without work stays open while a page shows it. Without a page, it is closed at once. */
const IDLE_MS = 10 * SECOND;

export function newOpenChats(mind: Context, { idleMs = IDLE_MS } = {}): OpenChats {
  const held = new Map<string, HeldChat>();
  const opening = new Map<string, Promise<HeldChat>>();
  const closing = new Map<string, Promise<void>>();
  const followers = new Map<string, Set<(event: ShownEvent | null) => void>>();
  /** As chosen here. A session that was left in another mode elsewhere begins in that of the settings. */
  const modes = new Map<string, ChatMode>();
  let isClosed = false;

  const notify = (id: string, event: ShownEvent | null) => {
    for (const one of followers.get(id) ?? []) one(event);
  };

  const open = async (options: { readonly session?: string; readonly cwd: string } & Partial<ChatMessageInput>) => {
    if (isClosed) throw new OldhandError("conflict", "the server is stopping");
    const { mode, model, session: id, cwd } = options;
    const session = await openChatSession(mind, {
      ...{ cwd, mode, model, hasPerson: true, surface: "serve" },
      ...(id === undefined || id === null ? {} : { session: id }),
    });
    const { modeBefore } = session;
    modes.set(session.id, session.mode());
    const notices = modeBefore === null ? [] : [describeModeBack(modeBefore, session.mode(), "mode")];
    const chat: HeldChat = { session, live: null, usage: null, notices, idle: null };
    held.set(session.id, chat);
    notify(session.id, null);
    return chat;
  };

  /** Not if another program has changed it since. */
  const chosenHere = (row: StoredChatSession | null): ChatMode | undefined => {
    const chosen = row === null ? undefined : modes.get(row.id);
    return chosen === row?.mode ? chosen : undefined;
  };

  /** Opens a session that is stored, unless it is open here. */
  const hold = async (id: string): Promise<HeldChat> => {
    await closing.get(id);
    const known = held.get(id);
    if (known !== undefined) return keepOpen(known);
    const row = await findChatSession(mind.db, id);
    if (row?.parent != null)
      throw new OldhandError("refused", "a sub-agent's session can only be read", {
        hint: `write in the session that started it: ${row.parent}`,
      });
    const begun =
      opening.get(id) ??
      open({ session: id, cwd: row?.cwd ?? "", mode: chosenHere(row) }).finally(() => opening.delete(id));
    opening.set(id, begun);
    return keepOpen(await begun);
  };

  const keepOpen = (chat: HeldChat): HeldChat => {
    if (chat.idle !== null) clearTimeout(chat.idle);
    chat.idle = null;
    return chat;
  };

  const release = (chat: HeldChat): Promise<void> => {
    const { id } = chat.session;
    const known = closing.get(id);
    if (known !== undefined) return known;
    keepOpen(chat);
    held.delete(id);
    const closed = chat.session
      .close()
      .catch((error: unknown) => report(error))
      .finally(() => {
        closing.delete(id);
        notify(id, null);
      });
    closing.set(id, closed);
    return closed;
  };

  /** Another process may want the session: it is given back when nothing runs. */
  const releaseWhenIdle = (chat: HeldChat): void => {
    if (chat.live !== null || held.get(chat.session.id) !== chat) return;
    keepOpen(chat);
    if ((followers.get(chat.session.id)?.size ?? 0) === 0) return void release(chat);
    chat.idle = setTimeout(() => void release(chat), idleMs);
    chat.idle.unref();
  };

  const withChat = async <T>(id: string, act: (chat: HeldChat) => Promise<T>): Promise<T> => {
    const chat = await hold(id);
    try {
      return await act(chat);
    } finally {
      notify(id, null);
      releaseWhenIdle(chat);
    }
  };

  /** Resolves with its first event: for a turn, when its message is stored. */
  const run = async (chat: HeldChat, work: LiveTurn["work"], events: AsyncIterable<TurnEvent>): Promise<void> => {
    chat.live = newLiveTurn(work);
    const reader = shownEvents(events, chat.session.redact)[Symbol.asyncIterator]();
    const first = await reader.next().catch((error: unknown) => {
      finish(chat, null).catch(report);
      throw error;
    });
    readOn(chat, reader, first)
      .catch((error: unknown) => {
        report(error);
        return null;
      })
      .then((reason) => finish(chat, reason))
      .catch(report);
    if (first.done !== true && first.value.kind === "turn-end")
      throw new OldhandError("refused", first.value.message ?? "nothing was stored");
  };

  const readOn = async (
    chat: HeldChat,
    reader: AsyncIterator<ShownEvent>,
    first: IteratorResult<ShownEvent>,
  ): Promise<TurnEndReason | null> => {
    let reason: TurnEndReason | null = null;
    for (let next = first; next.done !== true; next = await reader.next()) {
      const event = next.value;
      if (event.kind === "turn-end") reason = event.reason;
      if (event.kind === "usage") chat.usage = event.usage;
      const at = { entries: chat.session.entries().length, now: mind.clock.now() };
      if (chat.live !== null) chat.live = addTurnEvent(chat.live, event, at);
      notify(chat.session.id, event);
    }
    return reason;
  };

  const finish = async (chat: HeldChat, reason: TurnEndReason | null): Promise<void> => {
    const { work, notices = [] } = chat.live ?? {};
    chat.notices = work === "compaction" && notices.length === 0 ? ["There was nothing to compact."] : notices;
    chat.live = null;
    // After a stop or a failure, the person decides whether the next message is sent.
    if (reason === "done")
      await sendNext(chat).catch((error: unknown) => {
        if (!(error instanceof OldhandError)) throw error;
        chat.notices = [`A message still waits: ${error.message} (${error.hint ?? ""}).`];
      });
    notify(chat.session.id, null);
    releaseWhenIdle(chat);
  };

  const sendNext = async (chat: HeldChat): Promise<boolean> => {
    const next = isClosed ? null : await chat.session.nextQueued();
    if (next === null || chat.live !== null) return false;
    await run(chat, "turn", chat.session.send(next.text));
    return true;
  };

  /** Of a session that is not open here: the mode that it is in, or would be opened in. */
  const modeOf = (row: StoredChatSession | null, access: ChatState["access"]): ChatMode => {
    const usual = mind.config.policy.chat.mode;
    if (access === "free") return chosenHere(row) ?? usual;
    return chatModes.find((one) => one === row?.mode) ?? usual;
  };

  return {
    live: (id) => held.get(id)?.live ?? null,
    state: async (id) => {
      const row = await findChatSession(mind.db, id);
      const waiting = await listInbox(mind.db, id);
      const chat = held.get(id);
      if (chat === undefined && row === null) return null;
      const isHere = chat !== undefined || opening.has(id) || closing.has(id);
      const holder = isHere ? null : await findSessionHolder(mind, id);
      const place = isHere ? "here" : holder === null ? "free" : "elsewhere";
      const access = row?.parent != null ? "sub-agent" : place;
      return {
        session: id,
        mode: chat?.session.mode() ?? modeOf(row, access),
        model: chat === undefined ? (row?.model ?? null) : chat.session.model(),
        access,
        holder,
        live: chat?.live ?? null,
        notices: chat?.live?.notices ?? chat?.notices ?? [],
        waiting: waiting.map(({ id: message, kind, text }) => ({ id: message, kind, text })),
        usage: chat?.usage ?? null,
      };
    },
    send: async ({ session, text, meanwhile, ...options }) => {
      if (session === null) await requireUsableModel(mind, options.model ?? null);
      else if (options.mode !== undefined || options.model !== undefined)
        throw new OldhandError("usage", "mode and model are for a new session", {
          hint: "POST /api/chat/mode and /api/chat/model change them in a session that is there",
        });
      const chat = session === null ? await open(options) : await hold(session);
      const { id } = chat.session;
      try {
        if (session !== null) await requireUsableModel(mind, chat.session.model());
        if (chat.live === null) {
          await run(chat, "turn", chat.session.send(text));
          return { session: id, as: "turn" };
        }
        const kind = chat.live.work === "turn" ? meanwhile : "queue";
        await chat.session[kind](text);
        // The turn may just have ended, and looked for messages before this one came.
        if (chat.live === null) await sendNext(chat);
        return { session: id, as: kind };
      } finally {
        notify(id, null);
        releaseWhenIdle(chat);
      }
    },
    sendWaiting: (id) =>
      withChat(id, async (chat) => {
        if (chat.live !== null) throw new OldhandError("conflict", "a turn is running");
        if (!(await sendNext(chat))) throw new OldhandError("conflict", "no message waits");
        return { session: id, as: "turn" };
      }),
    removeWaiting: async (id, message) => {
      const known = (await listInbox(mind.db, id)).some((one) => one.id === message);
      if (!known) throw new OldhandError("conflict", "this message does not wait any more");
      await markTaken(mind.db, message, mind.clock.now());
      notify(id, null);
    },
    stop: async (id) => {
      const chat = held.get(id);
      if (chat === undefined) throw new OldhandError("conflict", "nothing runs here in this session");
      await chat.session.stop();
    },
    undo: (id) => withChat(id, ({ session }) => session.undo()),
    compact: (id) =>
      withChat(id, async (chat) => {
        if (chat.live !== null) throw new OldhandError("conflict", "a turn is running", { hint: "stop it first" });
        void run(chat, "compaction", chat.session.compact()).catch(() => {});
      }),
    setMode: (id, mode) =>
      withChat(id, async ({ session }) => {
        await session.setMode(mode);
        modes.set(id, mode);
      }),
    setModel: (id, model) =>
      withChat(id, async ({ session }) => {
        if (model !== null) await requireUsableModel(mind, model);
        await session.setModel(model);
      }),
    follow: (id, one) => {
      const all = followers.get(id) ?? new Set();
      followers.set(id, all.add(one));
      return () => {
        all.delete(one);
        if (all.size > 0) return;
        followers.delete(id);
        const chat = held.get(id);
        if (chat !== undefined) releaseWhenIdle(chat);
      };
    },
    close: async () => {
      isClosed = true;
      await Promise.allSettled(opening.values());
      await Promise.all([...[...held.values()].map(release), ...closing.values()]);
    },
  };
}

/** A turn's own failures are in its entries. What comes here is a bug, or a store that fails. */
function report(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`oldhand serve: ${text}\n`);
}

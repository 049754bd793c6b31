import { randomUUID } from "node:crypto";
import type { Context } from "../../context.ts";
import { owner } from "../../domain/actor.ts";
import { type ChatMode, chatModes } from "../../domain/settings/chat-mode.ts";
import { newStepBudget } from "../../domain/turn/budget.ts";
import { OldhandError } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { requireModelRef } from "../../models/providers/named-model.ts";
import { findWorkspace } from "../../observe/protocol/workspace.ts";
import { type InboxKind, listInbox, markTaken, putInInbox } from "../../store/chat/chat-inbox.ts";
import {
  findChatSession,
  findLastChatSession,
  listSubSessionIds,
  type StoredChatSession,
} from "../../store/chat/chat-sessions.ts";
import { sumSessionCalls } from "../../store/models/stored-calls.ts";
import { dropUndone, lastTurn } from "../turn/active-entries.ts";
import type { ChatParts, CheckpointParts } from "../turn/chat-parts.ts";
import type { ChatSession, UndoResult, WaitingMessage } from "../turn/chat-session.ts";
import { closeAgentTools } from "../toolset/list-tools.ts";
import { defaultParts } from "./default-parts.ts";
import { openEntryLog } from "./entry-log.ts";
import { newEventQueue } from "./event-queue.ts";
import { closeDeadTurn } from "./close-dead-turn.ts";
import { finishTurn } from "../turn/finish-turn.ts";
import { learnAfterSession } from "./learn-after-session.ts";
import { requireSwitchedOn } from "./require-on.ts";
import { newOwnHost } from "./own-host.ts";
import { newRedactor } from "./new-redactor.ts";
import { compactIf, newRunningTurn } from "../turn/run-turn.ts";
import { pruneCheckpoints } from "../undo/prune-checkpoints.ts";
import { type SessionLease, takeSessionLease } from "./session-lease.ts";
import { pruneLogs } from "./session-log.ts";
import { runSubAgent } from "./sub-agent.ts";
import type { TurnEvent } from "../turn/turn-event.ts";
import type { ChatSurface, EntryLog, TurnParts } from "../turn/turn-parts.ts";
import type { SpentOnCalls } from "../turn/entry.ts";
import { subtractSpent, sumUsage } from "../turn/usage.ts";

export interface ChatOptions {
  readonly cwd: string;
  /** It works in this folder, also if it began in another one: a worktree of `of`, whose rules and memories hold. */
  readonly worktree?: { readonly folder: string; readonly of: string } | undefined;
  /** Open this one again. */
  readonly session?: string | undefined;
  /** The newest of this workspace. */
  readonly continueLast?: boolean | undefined;
  /** If omitted, that of the settings, also for a session that was in another one: a yes to a mode is for one process. */
  readonly mode?: ChatMode | undefined;
  /** PROVIDER/MODEL; null: the gateway chooses, also if the session had a model. */
  readonly model?: string | null | undefined;
  /** If the session's model fails, another one may answer. As long as this process has the session open. */
  readonly fallback?: boolean | undefined;
  /** Whether somebody looks now who can answer approvals. */
  readonly hasPerson: boolean;
  /** What opens it: another process that wants it is told so. */
  readonly surface?: ChatSurface | undefined;
  readonly parts?: Partial<ChatParts> | undefined;
}

/** Opens a session of oldhand's own agent. Throws an OldhandError if there is no such session, or if another process has it. */
export async function openChatSession(ctx: Context, options: ChatOptions): Promise<ChatSession> {
  if (options.model != null) requireModelRef(options.model, ctx.config.providers);
  const row = await findOrMakeRow(ctx, options);
  requireOn(ctx, options, row.workspace);
  const lease = await takeSessionLease(ctx, row.id, options.surface);
  try {
    const parts = { ...defaultParts(ctx), ...options.parts };
    const log = await openEntryLog(ctx, row, newRedactor(parts.gateway, row.id));
    await closeDeadTurn(ctx, log);
    pruneLogs(ctx.config.home, { now: ctx.clock.now(), days: ctx.config.policy.chat.logDays });
    await pruneCheckpoints(ctx);
    const session = newChatSession(ctx, parts, { log, lease, options, aside: await listSpentAside(ctx, log) });
    if (row.entries > 0 && options.mode !== undefined) await session.setMode(options.mode);
    if (row.entries > 0 && options.model !== undefined) await session.setModel(options.model);
    if (options.fallback === true && session.model() === null)
      throw new OldhandError("usage", "--fallback needs a model", {
        hint: "without --model, other models follow a failure in any case",
      });
    openSessions.add(session);
    return session;
  } catch (error) {
    await lease.release();
    throw error;
  }
}

/** It may be switched off while the session is open: then nothing more is stored. */
function requireOn(ctx: Context, { surface }: ChatOptions, workspace: string): void {
  if (surface !== undefined) requireSwitchedOn(ctx.config, workspace);
}

/** Of this process. Tools keep servers open for them. */
const openSessions = new Set<ChatSession>();

async function findOrMakeRow(ctx: Context, options: ChatOptions): Promise<StoredChatSession> {
  const workspace = findWorkspace(options.cwd) ?? options.cwd;
  if (options.session !== undefined || options.continueLast === true) {
    const found =
      options.session === undefined
        ? await findLastChatSession(ctx.db, workspace)
        : await findChatSession(ctx.db, options.session);
    if (found !== null) return found;
    const what = options.session === undefined ? `in ${workspace}` : `named ${options.session}`;
    throw new OldhandError("not-found", `there is no session of oldhand's own agent ${what}`, {
      hint: "oldhand sessions list shows the sessions; without --session and --continue, a new one begins",
    });
  }
  const at = ctx.clock.now();
  const mode = options.mode ?? ctx.config.policy.chat.mode;
  const base = { id: newId("chat", at), at, usedAt: at, title: "", cwd: options.cwd, workspace };
  return { ...base, mode, model: options.model ?? null, parent: null, entries: 0 };
}

/** What the session used so far without leaving an entry: calls that nobody answered, and sub-agents. */
async function listSpentAside({ db }: Context, log: EntryLog): Promise<SpentOnCalls[]> {
  if (log.entries().length === 0) return [];
  const { id } = log.session();
  const all = await sumSessionCalls(db, [id, ...(await listSubSessionIds(db, id))]);
  return [subtractSpent(all, sumUsage(log.entries(), { window: null }))];
}

function newChatSession(
  ctx: Context,
  parts: ChatParts,
  of: {
    readonly log: EntryLog;
    readonly lease: SessionLease;
    readonly options: ChatOptions;
    readonly aside: SpentOnCalls[];
  },
): ChatSession {
  const { log, lease, options, aside } = of;
  const { id, parent } = log.session();
  const { hasPerson, worktree, fallback: mayUseOthers = false } = options;
  const cwd = worktree?.folder ?? log.session().cwd;
  const workspace = worktree?.folder ?? log.session().workspace;
  const project = worktree?.of ?? workspace;
  const redact = newRedactor(parts.gateway, id);
  let emit: ((event: TurnEvent) => void) | null = null;
  const host = newOwnHost(ctx, {
    ...{ id, cwd, workspace: project, agent: null, hasPerson, redact },
    ...(hasPerson ? { notify: (text: string) => emit?.({ kind: "notice", text }) } : {}),
  });
  const checkpoints = parts.checkpoints?.(id) ?? null;
  const typed = new Map<string, string>();
  let isResumed = log.entries().length > 0;
  let window: number | null = null;
  let offered: WaitingMessage | null = null;
  let running: { readonly stop: AbortController; readonly ended: Promise<unknown> } | null = null;
  const stored = (): ChatMode => chatModes.find((one) => one === log.session().mode) ?? "ask";
  const usual = ctx.config.policy.chat.mode;
  const modeBefore = isResumed && options.mode === undefined && stored() !== usual ? stored() : null;
  /** Is stored with the next turn: to open a session changes nothing. */
  let next: ChatMode | null = modeBefore === null ? null : usual;
  const mode = () => next ?? stored();
  const storeMode = async () => {
    if (next !== null) await log.append({ kind: "mode", mode: next });
    next = null;
  };

  const run = (work: (turn: TurnParts) => Promise<unknown>): AsyncIterable<TurnEvent> => {
    requireOn(ctx, options, workspace);
    if (running !== null) throw new OldhandError("conflict", `a turn of the session ${id} is running`);
    const stop = new AbortController();
    const queue = newEventQueue<TurnEvent>(() => stop.abort());
    const signal = AbortSignal.any([stop.signal, ctx.signal, lease.lost]);
    emit = (event) => queue.push(event);
    const finish = (error?: unknown) => {
      [running, emit] = [null, null];
      queue.end(error);
    };
    const ended = work({
      ctx,
      parts,
      session: {
        id,
        cwd,
        workspace,
        project,
        parent,
        hasPerson,
        mode,
        model: () => log.session().model,
        mayUseOthers,
        surface: options.surface ?? null,
      },
      log,
      host,
      checkpoints,
      budget: newStepBudget(ctx.config.policy.chat.iterations),
      signal,
      emit: (event) => {
        if (event.kind === "usage") window = event.usage.contextWindow;
        queue.push(event);
      },
      typed,
      aside,
      redact,
      runSubAgent,
    }).then(() => finish(), finish);
    running = { stop, ended };
    return queue;
  };

  const put = async (kind: InboxKind, text: string) => {
    requireOn(ctx, options, workspace);
    const at = ctx.clock.now();
    const message = { id: `${newId("in", at)}${randomUUID().slice(0, 4)}`, session: id, at, kind };
    await putInInbox(ctx.db, { ...message, text: await redact(text) });
    typed.set(message.id, text);
    return { id: message.id };
  };

  const drop = async (message: string) => {
    typed.delete(message);
    await markTaken(ctx.db, message, ctx.clock.now());
  };

  const listWaiting = async () => {
    const taken = new Set(log.entries().flatMap((one) => (one.kind === "user" ? [one.inbox] : [])));
    const left = (await listInbox(ctx.db, id)).filter((one) => !taken.has(one.id));
    return left.map((one) => ({ id: one.id, kind: one.kind, text: typed.get(one.id) ?? one.text }));
  };

  const session: ChatSession = {
    id,
    cwd,
    workspace,
    get title() {
      return log.session().title;
    },
    mode,
    modeBefore,
    model: () => log.session().model,
    usage: () => sumUsage(log.entries(), { window, aside }),
    entries: log.entries,
    redact,
    send: (text) =>
      run(async (turn) => {
        if (isResumed) await host.start("resume");
        await storeMode();
        isResumed = false;
        const inbox = offered?.text === text ? offered.id : null;
        offered = null;
        return finishTurn(turn, { text, inbox });
      }),
    steer: (text) => put("steer", text),
    queue: (text) => put("queue", text),
    nextQueued: async () => (offered = (await listWaiting())[0] ?? null),
    listWaiting,
    drop,
    stop: async () => {
      running?.stop.abort();
      await running?.ended;
    },
    answerApproval: async (approval, yes, reach) => {
      await parts.approvals.answerApproval(approval, { yes, reach, by: owner });
    },
    setMode: async (wanted) => {
      requireOn(ctx, options, workspace);
      next = null;
      if (log.entries().length === 0) log.preset({ mode: wanted });
      else if (wanted !== stored()) await log.append({ kind: "mode", mode: wanted });
    },
    setModel: async (wanted) => {
      requireOn(ctx, options, workspace);
      if (log.entries().length === 0) log.preset({ model: wanted });
      else if (wanted !== log.session().model) await log.append({ kind: "model", model: wanted });
    },
    compact: () =>
      run(async (turn) => {
        if (parts.compaction === null || log.entries().length === 0)
          return turn.emit({ kind: "notice", text: "There is nothing to compact." });
        const end = await compactIf(await newRunningTurn(turn, lastTurn(log.entries())), false, "manual");
        if (end?.message != null) turn.emit({ kind: "notice", text: end.message });
      }),
    undo: async () => {
      requireOn(ctx, options, workspace);
      if (running !== null) throw new OldhandError("conflict", "a turn is running", { hint: "stop it first" });
      return undoTurn(log, checkpoints);
    },
    close: async () => {
      running?.stop.abort();
      await running?.ended;
      if (log.entries().length > 0) {
        await host.end("closed");
        await learnAfterSession(ctx, workspace);
      }
      await lease.release();
      if (openSessions.delete(session) && openSessions.size === 0) await closeAgentTools();
    },
  };
  return session;
}

async function undoTurn(log: EntryLog, checkpoints: CheckpointParts | null): Promise<UndoResult> {
  const last = dropUndone(log.entries()).findLast((one) => one.kind === "user");
  if (last?.kind !== "user") return { kind: "nothing" };
  const { turn } = last;
  const first = log.entries().find((one) => one.kind === "user" && one.turn === turn) ?? last;
  const undone = await checkpoints?.undo(turn);
  if (undone?.kind === "refused") return undone;
  const files = undone?.kind === "undone" ? undone.files : [];
  const others = undone?.kind === "undone" ? undone.others : undefined;
  await log.append({ kind: "undo", turn, files });
  return { kind: "undone", turn, text: first.kind === "user" ? first.text : "", files, others };
}

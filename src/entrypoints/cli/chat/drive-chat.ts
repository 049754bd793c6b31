import type { Context } from "../../../context.ts";
import { type ShownEvent, shownEvents } from "../../../converse/session/shown-events.ts";
import type { ChatSession } from "../../../converse/turn/chat-session.ts";
import type { TurnEvent } from "../../../converse/turn/turn-event.ts";
import { type Approval, type ApprovalReach, isOnceOnly } from "../../../domain/approval/approval.ts";
import { explainCover } from "../../../domain/approval/describe-cover.ts";
import { formatRestart } from "../../../domain/model/describe-restart.ts";
import { describeModeBack } from "../../../domain/settings/chat-mode.ts";
import { OldhandError } from "../../../lib/errors.ts";
import { oneLine } from "../../../lib/text.ts";
import { typedPart } from "../../../domain/turn/message-data.ts";
import { composeChatMessage } from "../parts/compose-prompt.ts";
import type { ChatInput, ChatUpdate, WaitingText } from "./chat-update.ts";
import { runSlashCommand } from "./run-slash-command.ts";
import { formatCompacted, formatTurnEnd, hasAnswers } from "./shown-entries.ts";
import { findMeantCommands, parseSlashCommand, slashCommands } from "./slash-commands.ts";

/** A chat without its surface: takes what a person types, runs turns, and reports what to show. */
export interface DrivenChat {
  take(input: Exclude<ChatInput, { kind: "close" }>): Promise<void>;
  /** Resolves when no turn runs and nothing is taken in. */
  settled(): Promise<void>;
  /** Reports the status, a mode that does not go on, and messages that wait from before. */
  greet(): Promise<void>;
}

export type ShowUpdate = (update: ChatUpdate) => void;

export function driveChat(ctx: Context, session: ChatSession, show: ShowUpdate): DrivenChat {
  /** Lines are taken in order. */
  let taking: Promise<void> = Promise.resolve();
  let turns: Promise<void> | null = null;
  let waiting: readonly WaitingText[] = [];
  const exports = new Set<string>();

  const showStatus = () => show({ kind: "status", status: readStatus(session) });
  const showWaiting = (messages: readonly WaitingText[]) => {
    waiting = messages;
    show({ kind: "waiting", messages });
  };
  /** A turn has taken it. */
  const takeWaiting = (typed: string) => {
    const at = waiting.findIndex(({ text }) => text === typed);
    if (at >= 0) showWaiting(waiting.toSpliced(at, 1));
  };
  /** Of a command: no part of the turn that may run. */
  const showAside: ShowUpdate = (update) => show(update.kind === "piece" ? { ...update, isAside: true } : update);
  const showNotice = (text: string) => showAside({ kind: "piece", piece: { kind: "notice", text } });
  const showProblems = (problems: readonly string[]) => {
    for (const text of problems) showNotice(text);
  };
  const showError = (error: unknown) => {
    if (!(error instanceof OldhandError)) throw error;
    const hint = error.hint === undefined ? "" : `\n${error.hint}`;
    showAside({ kind: "piece", piece: { kind: "error", text: `${error.message}${hint}` } });
  };

  const follow = async (events: AsyncIterable<TurnEvent>) => {
    show({ kind: "turn-start" });
    let reason: Extract<TurnEvent, { kind: "turn-end" }>["reason"] = "done";
    let hasEnded = false;
    try {
      for await (const event of shownEvents(events, session.redact)) {
        if (event.kind === "turn-end") [reason, hasEnded] = [event.reason, true];
        if (event.kind === "steered") takeWaiting(typedPart(event.text));
        if (event.kind === "usage") showStatus();
        showEvent(show, event, session);
      }
    } finally {
      // A compaction has no turn-end of its own.
      if (!hasEnded) show({ kind: "turn-end", reason, text: null });
      showStatus();
    }
    return reason;
  };

  /** Runs the messages that wait, one turn each, until one does not end as wanted. */
  const runWaiting = async () => {
    for (let next = await session.nextQueued(); next !== null; next = await session.nextQueued()) {
      const typed = typedPart(next.text);
      const events = session.send(next.text);
      takeWaiting(typed);
      const taken = { as: "queue", at: ctx.clock.now() } as const;
      show({ kind: "piece", piece: { kind: "user", text: typed, taken } });
      if ((await follow(events)) !== "done") return;
    }
  };
  const startTurns = (work: () => Promise<unknown>) => {
    turns = work()
      .catch((error: unknown) => {
        show({ kind: "turn-end", reason: "failed", text: null });
        showError(error);
      })
      .then(() => {
        turns = null;
        if (waiting.length > 0) show({ kind: "piece", piece: { kind: "notice", text: STILL_WAITING } });
      });
  };

  const compact = async () => {
    const before = session.entries().length;
    await follow(session.compact());
    if (before > 0 && session.entries().length === before)
      show({ kind: "piece", piece: { kind: "notice", text: TOO_SHORT } });
  };

  const sendMessage = async (typed: string) => {
    const { text, problems } = composeChatMessage(typed, session.cwd);
    // What waits from before a stop does not go before what is typed now. It follows.
    if (turns === null) {
      const events = session.send(text);
      show({ kind: "piece", piece: { kind: "user", text: typed } });
      showProblems(problems);
      startTurns(async () => {
        if ((await follow(events)) === "done") await runWaiting();
      });
      return;
    }
    showProblems(problems);
    const { id } = await session.queue(text);
    showWaiting([...waiting, { id, kind: "queue", text: typed }]);
    if (turns === null) startTurns(runWaiting);
  };

  /** Removes the last message that waits, or the one with this number. */
  const drop = async (typed: string) => {
    const number = typed === "" ? waiting.length : Number(typed);
    const found = waiting[number - 1];
    if (waiting.length === 0) return showNotice("No message waits.");
    if (found === undefined)
      throw new OldhandError("usage", `there is no waiting message ${typed}`, {
        hint: `/drop 1 to /drop ${waiting.length}`,
      });
    await session.drop(found.id);
    showWaiting(waiting.filter((one) => one !== found));
    showNotice(`Removed: ${found.text}`);
  };

  const takeLine = async (line: string) => {
    const typed = line.trim();
    if (typed === "") {
      if (turns === null && waiting.length > 0) startTurns(runWaiting);
      return;
    }
    const command = parseSlashCommand(typed);
    if (command === null)
      return sendMessage(typed).catch((error: unknown) => {
        show({ kind: "unsent", text: line });
        throw error;
      });
    show({ kind: "command", text: typed });
    if (!slashCommands.some(({ name }) => name === command.name)) {
      const meant = findMeantCommands(command.name).map((name) => `/${name}`);
      const hint = meant.length === 0 ? "/help lists the commands" : `did you mean ${meant.join(" or ")}?`;
      throw new OldhandError("usage", `there is no command /${command.name}`, { hint });
    }
    if (command.name === "steer") {
      if (command.rest === "") throw new OldhandError("usage", "what should the turn know?", { hint: "/steer TEXT" });
      if (turns === null) return sendMessage(command.rest);
      const { text, problems } = composeChatMessage(command.rest, session.cwd);
      showProblems(problems);
      const { id } = await session.steer(text);
      return showWaiting([...waiting, { id, kind: "steer", text: command.rest }]);
    }
    if (command.name === "drop") return drop(command.rest);
    const isBusy = turns !== null;
    const parts = { ctx, session, show: showAside, isBusy, exports };
    if (command.name === "compact" && !isBusy) return startTurns(() => compact());
    await runSlashCommand(parts, command);
    showStatus();
  };

  return {
    take: async (input) => {
      if (input.kind === "stop") return session.stop();
      if (input.kind === "answer") return session.answerApproval(input.id, input.yes, input.reach).catch(showError);
      taking = taking.then(() => takeLine(input.text)).catch(showError);
      return taking;
    },
    settled: async () => {
      await taking;
      while (turns !== null) await turns;
    },
    greet: async () => {
      showStatus();
      if (session.modeBefore !== null) showProblems([describeModeBack(session.modeBefore, session.mode(), "/mode")]);
      const left = await session.listWaiting();
      if (left.length === 0) return;
      showWaiting(left.map(({ id, kind, text }) => ({ id, kind, text: typedPart(text) })));
      show({ kind: "piece", piece: { kind: "notice", text: STILL_WAITING } });
    },
  };
}

const TOO_SHORT = "There is nothing to compact: the session is still too short.";

const STILL_WAITING = "Messages are waiting. Enter sends them, /drop removes the last one.";

function readStatus(session: ChatSession) {
  const { cost, contextTokens, contextWindow, model } = session.usage();
  return { mode: session.mode(), model: session.model() ?? model, cost, contextTokens, contextWindow };
}

const yeses: Readonly<Record<ApprovalReach, string>> = {
  once: "Yes, once",
  session: "Yes, for this session",
  always: "Yes, always",
};

/** What follows says what was asked, and that it did not run. Of a sub-agent's calls nothing else is shown. */
function formatAnswer({ status, reach, summary, session: asks }: Approval, session: string): string | null {
  const isOwn = asks === session;
  if (status === "approved") return `${yeses[reach ?? "once"]}${isOwn ? "" : `: ${summary}`}`;
  return isOwn ? null : `${status === "rejected" ? "No" : "Not answered"}: ${summary}`;
}

/** Turns an event of a turn into what a surface shows. */
function showEvent(show: ShowUpdate, event: ShownEvent, session: ChatSession): void {
  const notice = (text: string) => show({ kind: "piece", piece: { kind: "notice", text } });
  switch (event.kind) {
    case "answer":
    case "reasoning":
      return show(event);
    case "restart":
      show({ kind: "void" });
      return notice(`${formatRestart(event)}.`);
    case "wait":
      return show({ kind: "model-wait", provider: event.provider, ms: event.ms, why: event.why });
    case "tool-start":
      return show({ kind: "tool-start", id: event.id, summary: oneLine(event.summary, 300) });
    case "tool-output":
      return show({ kind: "tool-output", id: event.id, text: event.text });
    case "tool-end": {
      const { id, ok, text, diff, closed } = event;
      const piece = { kind: "tool", id, summary: oneLine(event.summary, 300), ok, text, diff, closed } as const;
      return show({ kind: "piece", piece });
    }
    case "approval": {
      const { id, summary, detail, reason } = event.approval;
      const limits = { covers: explainCover(event.approval), isOnceOnly: isOnceOnly(event.approval) };
      return show({ kind: "question", question: { id, summary, detail, reason, ...limits } });
    }
    case "approval-answered":
      return show({ kind: "question-answered", id: event.approval.id, text: formatAnswer(event.approval, session.id) });
    case "steered":
      return show({
        kind: "piece",
        piece: { kind: "user", text: typedPart(event.text), taken: { as: "steer", at: event.at } },
      });
    case "notice":
      return notice(event.text);
    case "compacted":
      return notice(formatCompacted(event.tokensBefore, event.tokensAfter));
    case "turn-end": {
      const isDone = event.reason === "done";
      const text = isDone ? null : formatTurnEnd(event, hasAnswers(session.entries(), event.turn));
      return show({ kind: "turn-end", reason: event.reason, text });
    }
    default:
      return undefined;
  }
}

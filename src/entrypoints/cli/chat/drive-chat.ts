import type { Context } from "../../../context.ts";
import { newRedactor } from "../../../converse/session/new-redactor.ts";
import type { ChatSession } from "../../../converse/turn/chat-session.ts";
import type { TurnEvent } from "../../../converse/turn/turn-event.ts";
import { OldhandError } from "../../../lib/errors.ts";
import { oneLine } from "../../../lib/text.ts";
import { gatewayOf } from "../../../models/gateway/gateway-of.ts";
import { composeChatMessage, typedPart } from "../parts/compose-prompt.ts";
import type { ChatInput, ChatUpdate } from "./chat-update.ts";
import { runSlashCommand } from "./run-slash-command.ts";
import { formatCompacted, formatTurnEnd } from "./shown-entries.ts";
import { findMeantCommands, parseSlashCommand, slashCommands } from "./slash-commands.ts";

/** A chat without its surface: takes what a person types, runs turns, and reports what to show. */
export interface DrivenChat {
  take(input: Exclude<ChatInput, { kind: "close" }>): Promise<void>;
  /** Resolves when no turn runs and nothing is taken in. */
  settled(): Promise<void>;
  /** Reports the status, and messages that wait from before. */
  greet(): Promise<void>;
}

export type ShowUpdate = (update: ChatUpdate) => void;

export function driveChat(ctx: Context, session: ChatSession, show: ShowUpdate): DrivenChat {
  const redact = newRedactor(gatewayOf(ctx), session.id);
  /** Lines are taken in order. */
  let taking: Promise<void> = Promise.resolve();
  let turns: Promise<void> | null = null;
  let waiting: readonly string[] = [];

  const showStatus = () => show({ kind: "status", status: readStatus(session) });
  const showWaiting = (texts: readonly string[]) => {
    waiting = texts;
    show({ kind: "waiting", texts });
  };
  const showError = (error: unknown) => {
    if (!(error instanceof OldhandError)) throw error;
    const hint = error.hint === undefined ? "" : `\n${error.hint}`;
    show({ kind: "piece", piece: { kind: "error", text: `${error.message}${hint}` } });
  };

  const follow = async (events: AsyncIterable<TurnEvent>) => {
    const shower = newEventShower(show, redact);
    show({ kind: "turn-start" });
    let reason: Extract<TurnEvent, { kind: "turn-end" }>["reason"] = "done";
    let hasEnded = false;
    try {
      for await (const event of events) {
        if (event.kind === "turn-end") [reason, hasEnded] = [event.reason, true];
        if (event.kind === "steered") showWaiting(waiting.filter((text) => text !== typedPart(event.text)));
        if (event.kind === "usage") showStatus();
        await shower.show(event);
      }
    } finally {
      await shower.end();
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
      const at = waiting.indexOf(typed);
      showWaiting(waiting.filter((_, index) => index !== at));
      show({ kind: "piece", piece: { kind: "user", text: typed } });
      if ((await follow(session.send(next.text))) !== "done") return;
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
      show({ kind: "piece", piece: { kind: "notice", text: "There is nothing to compact." } });
  };

  const sendMessage = async (typed: string) => {
    const text = composeChatMessage(typed, session.cwd);
    if (turns === null && waiting.length === 0) {
      show({ kind: "piece", piece: { kind: "user", text: typed } });
      startTurns(async () => {
        if ((await follow(session.send(text))) === "done") await runWaiting();
      });
      return;
    }
    await session.queue(text);
    showWaiting([...waiting, typed]);
    if (turns === null) startTurns(runWaiting);
  };

  const takeLine = async (line: string) => {
    const typed = line.trim();
    if (typed === "") {
      if (turns === null && waiting.length > 0) startTurns(runWaiting);
      return;
    }
    const command = parseSlashCommand(typed);
    if (command === null) return sendMessage(typed);
    if (!slashCommands.some(({ name }) => name === command.name)) {
      const meant = findMeantCommands(command.name).map((name) => `/${name}`);
      const hint = meant.length === 0 ? "/help lists the commands" : `did you mean ${meant.join(" or ")}?`;
      throw new OldhandError("usage", `there is no command /${command.name}`, { hint });
    }
    if (command.name === "steer") {
      if (command.rest === "") throw new OldhandError("usage", "what should the turn know?", { hint: "/steer TEXT" });
      if (turns === null) return sendMessage(command.rest);
      await session.steer(composeChatMessage(command.rest, session.cwd));
      return showWaiting([...waiting, command.rest]);
    }
    const isBusy = turns !== null;
    const parts = { ctx, session, show, isBusy };
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
      const left = await session.listWaiting();
      if (left.length === 0) return;
      showWaiting(left.map(({ text }) => typedPart(text)));
      show({ kind: "piece", piece: { kind: "notice", text: STILL_WAITING } });
    },
  };
}

const STILL_WAITING = "Messages are waiting. Press Enter to send them.";

function readStatus(session: ChatSession) {
  const { cost, contextTokens, contextWindow, model } = session.usage();
  return { mode: session.mode(), model: session.model() ?? model, cost, contextTokens, contextWindow };
}

/** Turns the events of a turn into what a surface shows, in order and without secrets. */
function newEventShower(show: ShowUpdate, redact: <T>(value: T) => Promise<T>) {
  const answer = newStreamedText({ redact, show: (text) => show({ kind: "answer", text }) });
  const reasoning = newStreamedText({ redact, show: (text) => show({ kind: "reasoning", text }) });
  const notice = async (text: string) => show({ kind: "piece", piece: { kind: "notice", text: await redact(text) } });
  const end = async () => {
    await reasoning.end();
    await answer.end();
  };
  const showEvent = async (event: TurnEvent): Promise<void> => {
    switch (event.kind) {
      case "text":
        await reasoning.end();
        return answer.add(event.text);
      case "reasoning":
        await answer.end();
        return reasoning.add(event.text);
      case "restart":
        answer.drop();
        reasoning.drop();
        show({ kind: "void" });
        return notice(`Another model starts over: ${event.why}`);
      case "tool-start":
        await end();
        return show({ kind: "tool-start", id: event.id, summary: oneLine(await redact(event.summary), 300) });
      case "tool-output":
        return show({ kind: "tool-output", id: event.id, text: await redact(event.text) });
      case "tool-end": {
        await end();
        const { id, ok } = event;
        const { summary, text, diff } = await redact({ summary: event.summary, text: event.text, diff: event.diff });
        return show({ kind: "piece", piece: { kind: "tool", id, summary: oneLine(summary, 300), ok, text, diff } });
      }
      case "approval": {
        await end();
        const { id, summary, detail, reason, action } = event.approval;
        const shown = await redact({ summary, detail, reason, covers: action });
        return show({ kind: "question", question: { id, ...shown } });
      }
      case "approval-answered": {
        const { id, status, reach } = event.approval;
        const text = status === "approved" ? `Yes (${reach ?? "once"})` : status === "rejected" ? "No" : "Not answered";
        return show({ kind: "question-answered", id, text: `${text}: ${await redact(event.approval.summary)}` });
      }
      case "steered":
        await end();
        return show({ kind: "piece", piece: { kind: "user", text: typedPart(event.text) } });
      case "notice":
        return notice(event.text);
      case "compacted":
        return notice(formatCompacted(event.tokensBefore, event.tokensAfter));
      case "turn-end": {
        await end();
        const text = event.reason === "done" ? null : formatTurnEnd(event.reason, event.message);
        return show({ kind: "turn-end", reason: event.reason, text: text === null ? null : await redact(text) });
      }
      default:
        return undefined;
    }
  };
  return { show: showEvent, end };
}

import { createInterface } from "node:readline";
import { formatAnswerKeys } from "../../../domain/approval/describe-cover.ts";
import type { ApprovalReach } from "../../../domain/approval/approval.ts";
import { formatWait } from "../../../domain/model/describe-wait.ts";
import { showControls } from "../../../domain/approval/show-controls.ts";
import { toPlainText } from "../../../lib/plain-text.ts";
import type { ChatOptions } from "../../../converse/session/open-chat-session.ts";
import { sinceStart } from "../../../lib/clock.ts";
import { STOPPED_EXIT_CODE } from "../../../lib/exit-code.ts";
import { type MindOptions, openContext } from "../../../mind.ts";
import { type ChatQuestion, type ChatUpdate, HAS_NO_ANSWER, type ShownPiece } from "./chat-update.ts";
import { formatCallLine } from "./format-call-line.ts";
import { formatTaken, formatWaitingText } from "./waiting-text.ts";
import { openDrivenChat } from "./open-driven-chat.ts";

/** A chat in plain lines, without any escape code: for pipes, dumb terminals and screen readers. */
export async function runLineMode(mindOptions: MindOptions, options: ChatOptions): Promise<number> {
  const mind = await openContext(mindOptions);
  try {
    const page = newPage((text) => process.stdout.write(text));
    const { session, chat } = await openDrivenChat(mind, options, page.show);
    let code = 0;
    try {
      let running = 0;
      let lastStop = 0;
      const lines = createInterface({ input: process.stdin, terminal: false });
      process.on("SIGINT", () => {
        const isSecond = lastStop > 0 && sinceStart() - lastStop < TWICE_MS;
        lastStop = sinceStart();
        if (isSecond) {
          code = STOPPED_EXIT_CODE;
          lines.close();
        } else if (running > 0) void chat.take({ kind: "stop" });
        else page.print(PRESS_AGAIN);
      });
      const isTyped = process.stdin.isTTY;
      // Of a pipe, nobody waits for one.
      const prompt = () => {
        if (isTyped) page.prompt();
      };
      const take = async (text: string) => {
        running++;
        await chat.take({ kind: "line", text });
        await chat.settled();
        running--;
        // A terminal gives no end of input after /quit.
        if (page.isLeaving()) lines.close();
        else if (running === 0) prompt();
      };
      prompt();
      let typed = "";
      for await (const line of lines) {
        const question = page.question();
        if (question !== null) {
          const answer = readAnswer(line);
          const isTooFar = question.isOnceOnly && answer?.yes === true && answer.reach !== "once";
          if (answer === null || isTooFar) page.print(formatAnswerKeys(question.isOnceOnly));
          else await chat.take({ kind: "answer", id: question.id, ...answer });
          continue;
        }
        if (line.endsWith("\\")) {
          typed += `${line.slice(0, -1)}\n`;
          continue;
        }
        const taken = take(typed + line);
        typed = "";
        // A script's next line is for after this turn; a person may type meanwhile.
        if (!isTyped) await taken;
        if (page.isLeaving()) break;
      }
      // A second Ctrl-C does not wait for a turn that will not stop.
      if (code === 0) await chat.settled();
    } finally {
      await session.close();
    }
    if (session.entries().length > 0) page.print(`\nTo resume: oldhand chat --resume ${session.id}`);
    return code;
  } finally {
    await mind.close();
  }
}

const TWICE_MS = 3_000;
const PRESS_AGAIN = "\nPress Ctrl-C again to leave.";

export function readAnswer(typed: string): { readonly yes: boolean; readonly reach?: ApprovalReach } | null {
  switch (typed.trim().toLowerCase()) {
    case "y":
    case "yes":
      return { yes: true, reach: "once" };
    case "s":
    case "session":
      return { yes: true, reach: "session" };
    case "a":
    case "always":
      return { yes: true, reach: "always" };
    case "n":
    case "no":
      return { yes: false };
    default:
      return null;
  }
}

const VOID = "(what came before is void)";

/** Writes updates as lines. */
function newPage(write: (text: string) => void) {
  let question: ChatQuestion | null = null;
  let written = "";
  let isInLine = false;
  let hasLeft = false;
  let waiting = 0;
  let isRunning = false;
  const print = (text: string) => {
    write(`${isInLine ? "\n" : ""}${text.trimEnd()}\n`);
    isInLine = false;
  };
  const printPiece = (piece: ShownPiece) => {
    const say = (text: string) => print(toPlainText(text));
    if (piece.kind === "user")
      return piece.taken === undefined ? undefined : say(`> ${piece.text}\n(${formatTaken(piece.taken)})`);
    if (piece.kind !== "tool") return say(piece.kind === "error" ? `error: ${piece.text}` : piece.text);
    if (piece.diff !== null && piece.diff !== "") return say(`· ${piece.summary}\n${piece.diff}`);
    say(formatCallLine(piece));
  };
  const show = (update: ChatUpdate): void => {
    switch (update.kind) {
      case "ready":
        if (update.earlier > 0) print(`(${update.earlier} earlier messages)`);
        for (const piece of update.shown) {
          if (piece.kind === "user" && piece.taken === undefined) print(`> ${toPlainText(piece.text)}`);
          else printPiece(piece);
        }
        return;
      case "piece":
        if (update.isAside !== true) written = "";
        return printPiece(update.piece);
      case "answer": {
        // What is written stays; a text that changed before its end is written anew.
        const clean = toPlainText(update.text);
        const isMore = clean.startsWith(written);
        write(isMore ? clean.slice(written.length) : `\n${clean}`);
        written = clean;
        isInLine = !clean.endsWith("\n");
        return;
      }
      case "void":
        written = "";
        return print(VOID);
      case "tool-start":
        written = "";
        return undefined;
      case "question":
        ({ question } = update);
        return print(
          showControls(
            `\n${question.summary}\n${question.detail}\n${question.reason}\n${formatAnswerKeys(question.isOnceOnly)}\n${question.covers}`,
          ),
        );
      case "question-answered":
        question = null;
        return update.text === null ? undefined : print(toPlainText(update.text));
      case "model-wait":
        return print(formatWait(update));
      case "waiting": {
        const isMore = update.messages.length > waiting;
        waiting = update.messages.length;
        const last = update.messages.at(-1);
        return isMore && last !== undefined ? print(`(${toPlainText(formatWaitingText(last, isRunning))})`) : undefined;
      }
      case "turn-start":
        isRunning = true;
        return undefined;
      case "turn-end":
        isRunning = false;
        if (written !== "" && HAS_NO_ANSWER.has(update.reason)) print(VOID);
        written = "";
        if (isInLine) write("\n");
        isInLine = false;
        return update.text === null ? undefined : print(toPlainText(update.text));
      case "leave":
        hasLeft = true;
        return undefined;
      default:
        return undefined;
    }
  };
  return {
    show,
    print,
    question: () => question,
    isLeaving: () => hasLeft,
    prompt: () => {
      write("> ");
      isInLine = true;
    },
  };
}

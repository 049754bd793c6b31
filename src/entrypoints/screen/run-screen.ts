import {
  Editor,
  isKeyRelease,
  matchesKey,
  ProcessTerminal,
  setCapabilities,
  TuiMainScreen,
} from "@earendil-works/pi-tui";
import type { ApprovalReach } from "../../domain/approval/approval.ts";
import { findHomeFlag } from "../../config.ts";
import { sinceStart } from "../../lib/clock.ts";
import { formatWait } from "../../domain/model/describe-wait.ts";
import type { ChatQuestion, ChatStatus, ChatUpdate, WaitingText } from "../cli/chat/chat-update.ts";
import { newAnswerKeys } from "./answer-keys.ts";
import { newQuestionBox, newStatusBox, newWaitingBox } from "./boxes.ts";
import { SHOWN } from "../cli/chat/shown-entries.ts";
import { newCompletion } from "./completion.ts";
import { collectOften, type Engine, startEngine } from "./engine.ts";
import { loadMarkdown } from "./markdown.ts";
import { readSessionTail, resumes } from "./read-tail.ts";
import { editorTheme } from "./theme.ts";
import { newTranscript } from "./transcript.ts";

export interface ScreenOptions {
  /** The file that runs commands, and the words to run the chat with. */
  readonly program: string;
  readonly words: readonly string[];
}

/** Shows a chat in the terminal until the person leaves. Returns the exit code. */
export function runScreen(options: ScreenOptions): Promise<number> {
  return new Promise((resolve) => {
    const screen = newScreen(options, resolve);
    screen.start();
  });
}

function newScreen({ program, words }: ScreenOptions, done: (code: number) => void) {
  setCapabilities({ images: null, trueColor: false, hyperlinks: false });
  const terminal = new ProcessTerminal();
  const tui = new TuiMainScreen(terminal, true);
  const editor = new Editor(tui, editorTheme, { paddingX: 0, autocompleteMaxVisible: 8 });
  const transcript = newTranscript(tui);
  let engine: Engine | null = null;
  let session: string | null = null;
  let hasMessages = false;
  let status: ChatStatus | null = null;
  let models: readonly string[] = [];
  let waiting: readonly WaitingText[] = [];
  let modelWait: { readonly provider: string; readonly why: string; readonly until: number } | null = null;
  let questions: readonly ChatQuestion[] = [];
  let isFull = false;
  let turnBegan: number | null = null;
  let hint: string | null = null;
  let hintTimer: NodeJS.Timeout | undefined;
  let lastInterrupt = 0;
  let questionSince = 0;
  let isLeaving = false;
  let hasTail = false;
  let isEarly = true;
  /** Another suggestion than the first was chosen with the arrows. */
  let hasChosen = false;
  const completion = newCompletion(process.cwd(), () => models);
  const unsent: string[] = [];

  const question = () => questions[0] ?? null;
  const seconds = () => (turnBegan === null ? null : Math.round((sinceStart() - turnBegan) / 1_000));
  const describeWaiting = () => {
    if (questions.length > 0) return "waiting for your answer";
    const ms = modelWait === null ? 0 : modelWait.until - sinceStart();
    return modelWait === null || ms <= 0 ? null : formatWait({ ...modelWait, ms });
  };
  const clock = setInterval(() => {
    if (turnBegan !== null) tui.requestRender();
  }, 1_000);
  clock.unref();

  const setHint = (text: string | null) => {
    clearTimeout(hintTimer);
    hint = text;
    tui.requestRender();
  };
  const showHint = (text: string) => {
    setHint(text);
    hintTimer = setTimeout(() => setHint(null), TWICE_MS);
    hintTimer.unref();
  };

  const show = (update: ChatUpdate) => {
    if (isLeaving && update.kind !== "piece") return;
    if (endsWait.has(update.kind)) modelWait = null;
    switch (update.kind) {
      case "ready":
        ({ session, models } = update);
        collectOften(true);
        hasMessages ||= update.shown.length > 0;
        unsent.length = 0;
        for (const text of update.history.toReversed()) editor.addToHistory(text);
        break;
      case "status":
        ({ status } = update);
        break;
      case "waiting":
        waiting = update.messages;
        break;
      case "model-wait":
        modelWait = { provider: update.provider, why: update.why, until: sinceStart() + update.ms };
        break;
      case "question":
        if (questions.length === 0) questionSince = sinceStart();
        questions = [...questions, update.question];
        break;
      case "question-answered":
        questions = questions.filter(({ id }) => id !== update.id);
        questionSince = sinceStart();
        answerKeys.release();
        break;
      case "turn-start":
        turnBegan = sinceStart();
        break;
      case "turn-end":
        turnBegan = null;
        questions = [];
        answerKeys.release();
        if (hint === STOPPING) showHint(AGAIN);
        break;
      case "unsent":
        if (editor.getText() === "") editor.setText(update.text);
        break;
      case "draft":
        editor.addToHistory(update.text);
        transcript.add({ kind: "notice", text: "Up brings your message back." });
        break;
      case "leave":
        void leave();
        break;
      default:
        break;
    }
    transcript.show(update);
    tui.requestRender();
  };

  const send = (text: string) => {
    if (text.trim() === "" && waiting.length === 0) return;
    if (text.trim() !== "") editor.addToHistory(text);
    // Who goes on does not mean to leave.
    if (hint === AGAIN || hint === STOPPING) setHint(null);
    lastInterrupt = 0;
    if (session === null) unsent.push(text);
    if (!text.startsWith("/")) hasMessages = true;
    if (engine === null) early.push(text);
    else engine.send({ kind: "line", text });
  };
  const early: string[] = [];

  const leave = async () => {
    if (isLeaving) return;
    isLeaving = true;
    collectOften(false);
    // From here on Ctrl-C is a signal again. It ends the wait, not the last line.
    process.on("SIGINT", () => finish(0));
    engine?.send({ kind: "close" });
    if (terminal.kittyProtocolActive) await terminal.drainInput(300, 30);
    tui.stop();
    // A tool that does not end, or learning that takes long, is not waited for: everything is stored.
    setTimeout(() => finish(0), CLOSE_MS).unref();
    if (engine === null) finish(0);
  };
  let isFinished = false;
  const finish = (code: number, errors = "") => {
    if (isFinished) return;
    isFinished = true;
    collectOften(false);
    clearInterval(clock);
    if (!isLeaving) {
      // It did not begin: only the reason stays, and the end of the session that was meant.
      if (session === null && errors !== "") {
        for (const part of [...tui.children]) if (part !== transcript.view || !hasTail) tui.removeChild(part);
        // The library writes a blank over its cursor, which is on the last line.
        tui.addChild({ render: () => [""], invalidate: () => {} });
        tui.renderNow();
      }
      tui.stop();
    }
    if (errors !== "") process.stderr.write(errors);
    for (const text of unsent) process.stderr.write(`not sent: ${text}\n`);
    if (session !== null && hasMessages) process.stdout.write(`To resume: oldhand chat --resume ${session}\n`);
    done(code);
  };

  /** Ctrl-C stops the turn, or clears what is typed; the second one leaves. */
  const interrupt = () => {
    const isSecond = sinceStart() - lastInterrupt < TWICE_MS && lastInterrupt > 0;
    lastInterrupt = sinceStart();
    if (isSecond) return void leave();
    if (turnBegan !== null) {
      engine?.send({ kind: "stop" });
      return showHint(STOPPING);
    }
    editor.setText("");
    showHint(AGAIN);
  };

  const answer = (asked: ChatQuestion, yes: boolean, reach?: ApprovalReach) => {
    questions = questions.filter(({ id }) => id !== asked.id);
    questionSince = sinceStart();
    engine?.send({ kind: "answer", id: asked.id, yes, reach });
    tui.requestRender();
  };

  const answerKeys = newAnswerKeys({
    answer,
    hint: (text, stay) => (text === null || stay !== undefined ? setHint(text) : showHint(text)),
    type: (letters) => {
      for (const letter of letters) editor.handleInput(letter);
      tui.requestRender();
    },
  });

  const takeKey = (data: string): { readonly consume: true } | { readonly data: string } | undefined => {
    if (isKeyRelease(data)) return undefined;
    if (isEarly && data === "\n") return { data: "\r" };
    if (matchesKey(data, "ctrl+c")) {
      answerKeys.drop();
      interrupt();
      return { consume: true };
    }
    // Whoever types on does not want to leave.
    lastInterrupt = 0;
    // Letters of a text are no answer, nor one that was on its way when the question came.
    const isFree = questions.length > 0 && editor.getText() === "" && sinceStart() - questionSince >= UNREAD_MS;
    if (answerKeys.take(data, question(), isFree)) return { consume: true };
    if (matchesKey(data, "ctrl+d") && editor.getText() === "") {
      void leave();
      return { consume: true };
    }
    if (matchesKey(data, "ctrl+o")) {
      isFull = !isFull;
      transcript.toggleDetail();
      tui.requestRender();
      return { consume: true };
    }
    if (editor.isShowingAutocomplete()) return takeCompletionKey(data);
    hasChosen = false;
    if (matchesKey(data, "up")) {
      goUp(data);
      return { consume: true };
    }
    return undefined;
  };

  /** If the key brings an earlier text, the cursor goes to its end, as in a shell. */
  const goUp = (data: string) => {
    const before = editor.getText();
    editor.handleInput(data);
    tui.requestRender();
    if (editor.getText() === before) return;
    const last = editor.getLines().length - 1;
    for (let at = editor.getCursor().line; at < last; at++) editor.handleInput(DOWN);
    editor.handleInput(END);
  };

  /** Enter never runs a command that changes something by the beginning of its name: it completes it. */
  const takeCompletionKey = (data: string): { readonly data: string } | undefined => {
    if (!matchesKey(data, "enter")) {
      hasChosen = matchesKey(data, "up") || matchesKey(data, "down");
      return undefined;
    }
    const does = hasChosen ? "complete" : completion.onEnter(editor.getLines(), editor.getCursor());
    hasChosen = false;
    if (does === "send") editor.handleInput(ESCAPE);
    return does === "complete" ? { data: TAB } : undefined;
  };

  /** The end of a resumed session is on the screen before the session is open. */
  const showTail = () => {
    const home = findHomeFlag(process.argv);
    if (home === null || session !== null) return;
    const tail = readSessionTail(words, { home, cwd: process.cwd(), pieces: SHOWN });
    if (tail === null) return;
    hasTail = true;
    transcript.showTail(tail);
    tui.requestRender();
  };

  return {
    start: () => {
      transcript.add({ kind: "notice", text: "oldhand · /help lists the commands · Ctrl-C stops, twice leaves" });
      tui.addChild(transcript.view);
      tui.addChild(newWaitingBox(() => ({ messages: waiting, isRunning: turnBegan !== null })));
      tui.addChild(
        newQuestionBox(() => {
          const [asked] = questions;
          const hasText = editor.getText() !== "";
          return asked === undefined ? null : { question: asked, isFull, rows: terminal.rows, hasText };
        }),
      );
      tui.addChild(editor);
      tui.addChild(newStatusBox(() => ({ status, seconds: seconds(), wait: describeWaiting(), hint })));
      editor.onSubmit = send;
      editor.setAutocompleteProvider(completion);
      tui.addInputListener(takeKey);
      tui.setFocus(editor);
      tui.start();
      tui.renderNow();
      for (const signal of ["SIGTERM", "SIGHUP"] as const) process.once(signal, () => void leave());
      process.once("uncaughtException", (error) =>
        finish(70, `oldhand: this is a bug: ${error.stack ?? error.message}\n`),
      );
      // What was typed before the terminal was ours is read first, and its Enter is a line end.
      setImmediate(() => setImmediate(() => (isEarly = false)));
      // The prompt is on the screen before anything else is loaded.
      setImmediate(() => {
        engine = startEngine(program, words, show);
        if (resumes(words)) void loadMarkdown().then(showTail);
        // Takes longer than a key may wait, and is needed only when the engine is there.
        else setTimeout(() => void loadMarkdown(), MARKDOWN_DELAY_MS);
        for (const text of early) engine.send({ kind: "line", text });
        void engine.ended.then(({ code, errors }) => finish(isLeaving ? 0 : code, errors));
      });
    },
  };
}

/** After the first keys, before the first answer. */
const MARKDOWN_DELAY_MS = 120;

const endsWait: ReadonlySet<ChatUpdate["kind"]> = new Set(["answer", "reasoning", "void", "tool-start", "turn-end"]);

/** Closes the suggestions; completes with the selected one. */
const ESCAPE = "\x1b";
const TAB = "\t";
/** Moves the cursor to the line below; to the end of its line. */
const DOWN = "\x1b[B";
const END = "\x05";

const AGAIN = "Press Ctrl-C again to leave.";
const STOPPING = `Stopping. ${AGAIN}`;
const TWICE_MS = 3_000;
const CLOSE_MS = 5_000;
/** Nobody has read a question so soon. */
const UNREAD_MS = 400;

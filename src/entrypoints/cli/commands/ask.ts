import { openChatSession } from "../../../converse/session/open-chat-session.ts";
import { requireUsableModel } from "../../../converse/session/require-model.ts";
import { textOf } from "../../../converse/turn/active-entries.ts";
import type { ChatSession } from "../../../converse/turn/chat-session.ts";
import type { TurnEndReason } from "../../../converse/turn/entry.ts";
import type { TurnEvent } from "../../../converse/turn/turn-event.ts";
import { chatModes, describeModeBack } from "../../../domain/settings/chat-mode.ts";
import { formatRestart } from "../../../domain/model/describe-restart.ts";
import { formatWait } from "../../../domain/model/describe-wait.ts";
import { extractMarkers } from "../../../domain/memory/markers.ts";
import { showControls } from "../../../domain/approval/show-controls.ts";
import { isHeldByUs } from "../../../domain/text/rule-message-text.ts";
import { isRecord, tryParseJson } from "../../../lib/json.ts";
import { SECOND, sinceStart } from "../../../lib/clock.ts";
import { toDollars, toNanos } from "../../../domain/model/money.ts";
import { exitCodeOfCode, STOPPED_EXIT_CODE } from "../../../lib/exit-code.ts";
import { toPlainText } from "../../../lib/plain-text.ts";
import { oneLine } from "../../../lib/text.ts";
import { openContext, type OpenMind } from "../../../mind.ts";
import { listChatEntries } from "../../../store/chat/chat-entries.ts";
import { listSubSessionIds } from "../../../store/chat/chat-sessions.ts";
import { HAS_NO_ANSWER } from "../chat/chat-update.ts";
import { formatCallLine } from "../chat/format-call-line.ts";
import { askPerson } from "../parts/ask-person.ts";
import { type CliCommand, newFlag } from "../parts/command.ts";
import { type ComposedMessage, composePrompt } from "../parts/compose-prompt.ts";
import { explainTypedModel } from "../parts/explain-typed-model.ts";
import { modelFlags, readModelFlags } from "../parts/model-flags.ts";
import { newProgressLine, type ProgressLine } from "../parts/progress.ts";
import { requireMode } from "../parts/require-mode.ts";
import { newStopSignal } from "../parts/stop-signal.ts";

/** One turn of oldhand's own agent, for scripts and for quick questions. */
export const askCommand: CliCommand = {
  name: "ask",
  summary:
    "Asks oldhand's own agent one thing and prints its answer. The text may name files as @file; what is piped in is added. Tools are shown on stderr.",
  usage: "ask TEXT [--continue] [--session ID] [--mode MODE] [--model PROVIDER/MODEL [--fallback]]",
  words: 100_000,
  flags: [
    ...modelFlags,
    newFlag("continue", "boolean", "go on with the last session of this workspace"),
    newFlag("session", "string", "go on with this session"),
    { ...newFlag("mode", "string", "what it may do without your yes"), values: chatModes },
  ],
  // An agent that calls it must not get more rights than its own.
  forAgents:
    "an agent may run it with --mode read-only, or with --mode ask, which then asks nobody and refuses what needs a yes",
  isOwnerOnly: (_globals, { mode }) => mode !== "read-only" && mode !== "ask",
  run: async (words, values, globals) => {
    const message = await composePrompt(words.join(" "), process.cwd());
    const mode = requireMode(values["mode"]);
    const mind = await openContext({ home: globals.home, now: globals.now, signal: newStopSignal() });
    try {
      const session = await openChatSession(mind, {
        surface: "ask",
        cwd: process.cwd(),
        hasPerson: process.stdin.isTTY && process.stderr.isTTY,
        continueLast: values["continue"] === true,
        ...(typeof values["session"] === "string" ? { session: values["session"] } : {}),
        ...{ mode, ...readModelFlags(values) },
      });
      const began = mind.clock.now();
      try {
        await requireUsableModel(mind, session.model());
        if (session.modeBefore !== null)
          process.stderr.write(`${describeModeBack(session.modeBefore, session.mode(), "--mode")}\n`);
        for (const line of await explainTypedModel(mind, readModelFlags(values).model))
          process.stderr.write(`${line}\n`);
        for (const problem of message.problems) process.stderr.write(`${problem}\n`);
        return await askOnce(session, message, {
          json: globals.json,
          listSubTools: () => listSubTools(mind, session.id, began),
        });
      } finally {
        await session.close();
      }
    } finally {
      await mind.close();
    }
  },
};

interface CalledTool {
  readonly name: string;
  readonly ok: boolean;
}

/** The calls of sub-agents that began since a time. */
async function listSubTools({ db }: OpenMind, session: string, since: number): Promise<readonly CalledTool[]> {
  const found: CalledTool[] = [];
  for (const id of await listSubSessionIds(db, session))
    for (const { kind, at, data } of await listChatEntries(db, id)) {
      const read = kind === "tool" && at >= since ? tryParseJson(data) : null;
      if (isRecord(read)) found.push({ name: String(read["name"]), ok: read["ok"] === true });
    }
  return found;
}

async function askOnce(
  session: ChatSession,
  { text, cut }: ComposedMessage,
  {
    json,
    listSubTools: listOthers,
  }: { readonly json: boolean; readonly listSubTools: () => Promise<readonly CalledTool[]> },
): Promise<number> {
  const before = session.usage();
  const first = session.entries().length;
  let end: Extract<TurnEvent, { kind: "turn-end" }> | null = null;
  const out = json ? null : newAnswerWriter();
  const waiting = newWaitingLine();
  let [hasText, wasWaiting] = [false, false];
  const refused: { readonly id: string; readonly summary: string }[] = [];
  for await (const event of session.send(text)) {
    waiting.end();
    if (event.kind === "turn-end") end = event;
    if (event.kind === "tool-end" && event.closed === "refused") refused.push(event);
    if (event.kind === "approval") await askPerson(session, event.approval);
    out?.take(event);
    const formatted = formatEvent(event, { hasText, wasWaiting });
    hasText = event.kind === "text" || (hasText && !STARTS_ANSWER.has(event.kind));
    wasWaiting = event.kind === "wait";
    if (formatted !== null) {
      const line = toPlainText(await session.redact(formatted));
      out?.endLine();
      process.stderr.write(`${line}\n`);
    }
    // A line in the middle of an answer would be in its text.
    if (event.kind !== "turn-end" && event.kind !== "text") waiting.begin();
  }
  waiting.end();
  out?.endLine();
  const entries = session.entries().slice(first);
  const held = entries.flatMap((one) => (one.kind === "tool" && isHeldByUs(one.text) ? [one.id] : []));
  const left = refused.filter(({ id }) => !held.includes(id)).map(({ summary }) => summary);
  if (left.length > 0) process.stderr.write(`${toPlainText(await session.redact(formatRefused(left)))}\n`);
  const answer = entries.findLast((one) => one.kind === "assistant");
  const said = answer?.kind === "assistant" ? extractMarkers(textOf(answer.message)).shown.trimEnd() : "";
  const hasAnswer = end?.reason === "done" && said.trim() !== "";
  if (json) {
    const after = session.usage();
    const own = entries.flatMap((one) => (one.kind === "tool" ? [{ name: one.name, ok: one.ok }] : []));
    const tools = [...own, ...(await listOthers())];
    const tokens = {
      in: after.tokensIn - before.tokensIn,
      out: after.tokensOut - before.tokensOut,
      cached: after.tokensCached - before.tokensCached,
    };
    const spent = { calls: after.calls - before.calls, tokens, cost: toDollars(toNanos(after.cost - before.cost)) };
    const ended = { ended: end?.reason ?? "failed", message: end?.message ?? null };
    const answered = { session: session.id, answer: said, model: after.model, ...spent, tools, ...ended, cut };
    process.stdout.write(`${JSON.stringify(answered)}\n`);
  }
  if (end?.reason === "stopped") return STOPPED_EXIT_CODE;
  if (hasAnswer) return 0;
  return end?.code === undefined ? 1 : exitCodeOfCode(end.code);
}

/** Each was said when it was refused; at the end of a long turn, that is far above. */
function formatRefused(summaries: readonly string[]): string {
  const shown = summaries.slice(0, MOST_NAMED).map((one) => oneLine(one, 100));
  const more = summaries.length > MOST_NAMED ? [`${summaries.length - MOST_NAMED} more`] : [];
  const were = summaries.length === 1 ? "call was" : "calls were";
  return `oldhand: ${summaries.length} ${were} refused: ${[...shown, ...more].join("; ")}`;
}

const MOST_NAMED = 5;

/** On a terminal: after a second without anything to show, a line that counts the seconds. */
function newWaitingLine(): { begin(): void; end(): void } {
  let timer: NodeJS.Timeout | undefined;
  let line: ProgressLine | null = null;
  return {
    begin: () => {
      if (!process.stderr.isTTY) return;
      const since = sinceStart();
      line = newProgressLine();
      timer = setInterval(
        () => line?.show({ text: `working ${Math.round((sinceStart() - since) / SECOND)} s, Ctrl-C stops` }),
        SECOND,
      );
    },
    end: () => {
      clearInterval(timer);
      line?.end();
      line = null;
    },
  };
}

/**
 * Writes the answer to stdout: to a terminal as it comes; to a pipe or a file only what holds, because nobody can take back there
 * what turns out to be void.
 */
function newAnswerWriter(): { take(event: TurnEvent): void; endLine(): void } {
  const { isTTY } = process.stdout;
  let held = "";
  let isInLine = false;
  const write = (text: string) => {
    if (text === "") return;
    // A terminal would obey what is in it; a file or a program gets it as it is.
    process.stdout.write(isTTY ? showControls(text) : text);
    isInLine = !text.endsWith("\n");
  };
  const endLine = () => {
    if (isInLine) process.stdout.write("\n");
    isInLine = false;
  };
  return {
    endLine,
    take: (event) => {
      if (event.kind === "text" && isTTY) write(event.text);
      else if (event.kind === "text") held += event.text;
      const isVoid = event.kind === "restart" || (event.kind === "turn-end" && HAS_NO_ANSWER.has(event.reason));
      if (isVoid) held = "";
      if (!ENDS_TEXT.has(event.kind)) return;
      write(isTTY ? "" : extractMarkers(held).shown);
      held = "";
      endLine();
    },
  };
}

/** Before a call, also one that is refused, and at the end, the text so far holds. */
const ENDS_TEXT: ReadonlySet<TurnEvent["kind"]> = new Set(["tool-start", "tool-end", "approval", "turn-end"]);

const ends: Readonly<Record<Exclude<TurnEndReason, "done">, string>> = {
  stopped: "stopped",
  budget: "the turn ended early",
  capped: "a cap ended the turn",
  failed: "the turn failed",
  handoff: "the context is full",
  died: "the process ended during the turn",
};

/** The first line says how it ended, the last ones say why. */
function shortenFailure(text: string): string {
  const whole = oneLine(text, text.length + 1);
  if (whole.length <= LONGEST_FAILURE) return whole;
  const first = oneLine(text.split("\n")[0] ?? "", 100);
  return `${first} … ${whole.slice(first.length - LONGEST_FAILURE + 3).toWellFormed()}`;
}

const LONGEST_FAILURE = 600;

/** Calls of these tools take no time, so one line with the result is enough: a failure is not said twice. */
const IS_SHORT: ReadonlySet<string> = new Set(["read", "list", "grep", "write", "edit"]);

/** From here on, another text is the answer. */
const STARTS_ANSWER: ReadonlySet<TurnEvent["kind"]> = new Set(["restart", "tool-start"]);

/** A line for stderr; null if there is nothing to show. An attempt that broke off has one: that of the wait for the next, or of the restart. */
function formatEvent(
  event: TurnEvent,
  { hasText, wasWaiting }: { readonly hasText: boolean; readonly wasWaiting: boolean },
): string | null {
  const isVoid = process.stdout.isTTY && hasText ? "; what came before is void" : "";
  switch (event.kind) {
    case "tool-start":
      return IS_SHORT.has(event.name) ? null : `· ${oneLine(event.summary, 200)}`;
    case "tool-end": {
      const line = formatCallLine({ ...event, summary: oneLine(event.summary, 200), text: shortenFailure(event.text) });
      if (!event.ok) return line;
      const diff = event.diff === null || event.diff === "" ? [] : [showControls(event.diff).trimEnd()];
      return IS_SHORT.has(event.name) ? [line, ...diff].join("\n") : (diff[0] ?? null);
    }
    case "restart":
      return wasWaiting && event.to === event.from ? null : `(${formatRestart(event)}${isVoid})`;
    case "wait":
      return `${formatWait(event)}${isVoid}`;
    case "notice":
      return event.text;
    case "compacted":
      return `(compacted: ${event.tokensBefore} tokens became ${event.tokensAfter})`;
    case "turn-end":
      if (event.reason === "done") return null;
      if (isVoid !== "" && HAS_NO_ANSWER.has(event.reason)) return `(what came before is void)\n${formatEnd(event)}`;
      return formatEnd(event);
    default:
      return null;
  }
}

function formatEnd({ reason, message }: Extract<TurnEvent, { kind: "turn-end" }>): string {
  if (reason === "done") return "";
  if (reason === "failed" && message !== null) return `oldhand: ${message}`;
  return `oldhand: ${ends[reason]}${message === null ? "" : `: ${message}`}`;
}

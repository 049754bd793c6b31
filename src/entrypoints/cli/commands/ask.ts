import { openChatSession } from "../../../converse/session/open-chat-session.ts";
import { requireUsableModel } from "../../../converse/session/require-model.ts";
import { textOf } from "../../../converse/turn/active-entries.ts";
import type { ChatSession } from "../../../converse/turn/chat-session.ts";
import type { TurnEvent } from "../../../converse/turn/turn-event.ts";
import { chatModes } from "../../../domain/settings/chat-mode.ts";
import { formatWait } from "../../../domain/model/describe-wait.ts";
import { showControls } from "../../../domain/approval/show-controls.ts";
import { STOPPED_EXIT_CODE } from "../../../lib/exit-code.ts";
import { toPlainText } from "../../../lib/plain-text.ts";
import { oneLine } from "../../../lib/text.ts";
import { openContext } from "../../../mind.ts";
import { formatCallLine } from "../chat/format-call-line.ts";
import { askPerson } from "../parts/ask-person.ts";
import { type CliCommand, newFlag } from "../parts/command.ts";
import { composePrompt } from "../parts/compose-prompt.ts";
import { requireMode } from "../parts/require-mode.ts";
import { newStopSignal } from "../parts/stop-signal.ts";

/** One turn of oldhand's own agent, for scripts and for quick questions. */
export const askCommand: CliCommand = {
  name: "ask",
  summary:
    "Asks oldhand's own agent one thing and prints its answer. The text may name files as @file; what is piped in is added. Tools are shown on stderr.",
  usage: "ask TEXT [--continue] [--session ID] [--mode MODE] [--model PROVIDER/MODEL]",
  words: 100_000,
  flags: [
    newFlag("model", "string", "PROVIDER/MODEL; without it, the router chooses"),
    newFlag("continue", "boolean", "go on with the last session of this workspace"),
    newFlag("session", "string", "go on with this session"),
    { ...newFlag("mode", "string", "what it may do without your yes"), values: chatModes },
  ],
  // An agent that calls it must not get more rights than its own.
  isOwnerOnly: (_globals, { mode }) => mode !== "read-only" && mode !== "ask",
  run: async (words, values, globals) => {
    const { text, problems } = await composePrompt(words.join(" "), process.cwd());
    const mode = requireMode(values["mode"]);
    const mind = await openContext({ home: globals.home, now: globals.now, signal: newStopSignal() });
    try {
      const model = typeof values["model"] === "string" ? values["model"] : undefined;
      const session = await openChatSession(mind, {
        surface: "ask",
        cwd: process.cwd(),
        hasPerson: process.stdin.isTTY && process.stderr.isTTY,
        continueLast: values["continue"] === true,
        ...(typeof values["session"] === "string" ? { session: values["session"] } : {}),
        ...{ mode, model },
      });
      try {
        await requireUsableModel(mind, session.model());
        for (const problem of problems) process.stderr.write(`${problem}\n`);
        return await askOnce(session, text, globals.json);
      } finally {
        await session.close();
      }
    } finally {
      await mind.close();
    }
  },
};

async function askOnce(session: ChatSession, text: string, json: boolean): Promise<number> {
  const before = session.usage();
  const first = session.entries().length;
  let end: Extract<TurnEvent, { kind: "turn-end" }> | null = null;
  let isInLine = false;
  for await (const event of session.send(text)) {
    if (event.kind === "turn-end") end = event;
    if (event.kind === "approval") await askPerson(session, event.approval);
    if (event.kind === "text" && !json) {
      // A terminal would obey what is in it; a file or a program gets it as it is.
      process.stdout.write(process.stdout.isTTY ? showControls(event.text) : event.text);
      isInLine = !event.text.endsWith("\n");
    }
    const formatted = formatEvent(event);
    if (formatted === null) continue;
    const line = toPlainText(await session.redact(formatted));
    if (isInLine && !json) process.stdout.write("\n");
    isInLine = false;
    process.stderr.write(`${line}\n`);
  }
  if (isInLine && !json) process.stdout.write("\n");
  const entries = session.entries().slice(first);
  const answer = entries.findLast((one) => one.kind === "assistant");
  const said = answer?.kind === "assistant" ? textOf(answer.message) : "";
  const hasAnswer = end?.reason === "done" && said.trim() !== "";
  if (json) {
    const after = session.usage();
    const tools = entries.flatMap((one) => (one.kind === "tool" ? [{ name: one.name, ok: one.ok }] : []));
    const tokens = {
      in: after.tokensIn - before.tokensIn,
      out: after.tokensOut - before.tokensOut,
      cached: after.tokensCached - before.tokensCached,
    };
    const spent = { calls: after.calls - before.calls, tokens, cost: after.cost - before.cost };
    const ended = { ended: end?.reason ?? "failed", message: end?.message ?? null };
    const answered = { session: session.id, answer: said, model: after.model, ...spent, tools, ...ended };
    process.stdout.write(`${JSON.stringify(answered)}\n`);
  }
  if (end?.reason === "stopped") return STOPPED_EXIT_CODE;
  return hasAnswer ? 0 : 1;
}

/** A line for stderr; null if there is nothing to show. */
function formatEvent(event: TurnEvent): string | null {
  switch (event.kind) {
    case "tool-start":
      return `· ${oneLine(event.summary, 200)}`;
    case "tool-end":
      if (!event.ok)
        return formatCallLine({ ...event, summary: oneLine(event.summary, 200), text: oneLine(event.text, 600) });
      return event.diff === null || event.diff === "" ? null : showControls(event.diff).trimEnd();
    case "restart":
      return `(what came before is void, another model starts over: ${event.why})`;
    case "wait":
      return formatWait(event);
    case "notice":
      return event.text;
    case "compacted":
      return `(compacted: ${event.tokensBefore} tokens became ${event.tokensAfter})`;
    case "turn-end":
      return event.reason === "done"
        ? null
        : `oldhand: ended (${event.reason})${event.message === null ? "" : `: ${event.message}`}`;
    default:
      return null;
  }
}

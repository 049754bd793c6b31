import { describeAnswerLimit } from "../../domain/model/answer-limit.ts";
import type { RunningTurn, TurnEnd } from "./turn-parts.ts";

/** `tokens`: of the answer. */
export async function noteCutAnswer(turn: RunningTurn, tokens: number): Promise<void> {
  const { log, number, emit, ctx } = turn;
  const limit = describeAnswerLimit(tokens, ctx.config.policy.chat.answerTokens, "chat.answerTokens");
  const text = `Your answer was cut off ${limit.after}. What comes after it was not said.`;
  await log.append({ kind: "note", turn: number, text });
  emit({
    kind: "notice",
    text: `The answer was cut off ${limit.after} (${limit.by}); the model is told so with your next message.`,
  });
}

/** It ended without a word. After tool calls that may be all it had to do. */
export async function endEmpty(turn: RunningTurn, model: string): Promise<TurnEnd> {
  await turn.host.stop("");
  const hasWorked = turn.log.entries().some((one) => one.kind === "tool" && one.turn === turn.number);
  const message = `${model} answered nothing${hasWorked ? " after its last tool call" : ""}. What to do: ${emptyRemedies[turn.session.surface ?? "ask"]}`;
  if (!hasWorked) return { reason: "failed", message };
  turn.emit({ kind: "notice", text: message });
  return { reason: "done", message };
}

const emptyRemedies = {
  ask: "ask again, or let another model answer: --model PROVIDER/MODEL.",
  chat: "send the message again, or let another model answer: /model PROVIDER/MODEL.",
  serve: "send the message again, or choose another model.",
  cycle: "the next cycle tries again; --model lets another model answer.",
} as const;

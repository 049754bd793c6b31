import type { ServerResponse } from "node:http";
import { CLOSED } from "../../domain/model/failure.ts";
import type { Placeholders } from "../../domain/model/placeholders.ts";
import type { Clock } from "../../lib/clock.ts";
import { newAnswerReader } from "./answer-reader.ts";
import type { CallEnd } from "./meter.ts";
import { type AnswerState, noAnswer } from "./read-answer.ts";
import { sendRefusal } from "./refusal.ts";
import { relayAnswer } from "./relay.ts";
import { newRestore } from "./restore-answer.ts";
import type { HealedExchange } from "./send-healing.ts";
import type { Upstream } from "./upstream.ts";
import type { WireApi } from "./wire-api.ts";

export interface PassedAnswer {
  readonly api: WireApi;
  readonly clock: Clock;
  readonly response: ServerResponse;
  readonly upstream: Upstream;
  readonly placeholders: Placeholders | null;
  /** The id of the row; null if the request is not counted. */
  readonly call: string | null;
  readonly healed: HealedExchange;
  finish(end: CallEnd): Promise<void>;
}

/** Passes the last attempt's answer on, even if it is an error, and finishes the call. */
export async function passAnswer(passed: PassedAnswer): Promise<void> {
  const { api, clock, response, upstream } = passed;
  const { exchange, failure, failed, attemptAt } = passed.healed;
  const finish = (end: Omit<CallEnd, "failed" | "attemptAt">) => passed.finish({ ...end, failed, attemptAt });
  if (exchange.kind === "failed") {
    if (exchange.failure === "aborted")
      // The provider may already charge for the prompt.
      return finish({ outcome: "aborted", failure: "aborted", answer: noAnswer, firstTokenMs: null });
    await finish({ outcome: "failed", failure, answer: null, firstTokenMs: null });
    const how = exchange.code === "ECONNRESET" ? `: ${CLOSED}` : ` cannot be reached (${exchange.code})`;
    const what = `${upstream.provider} at ${upstream.url.origin}${how}`;
    return sendRefusal(response, api, { status: 502, why: what });
  }
  const from = exchange.response;
  const firstTokenMs = clock.now() - attemptAt;
  const { "content-type": type, "content-encoding": encoding } = from.headers;
  const isGood = (from.statusCode ?? 0) < 400;
  // A page for people, such as that of a proxy or of a network's sign-in: no model answered.
  const isPage = isGood && /^\s*(?:text\/html|application\/xhtml)/i.test(type ?? "");
  const isAnswer = isGood && !isPage;
  const isPlain = encoding === undefined || encoding === "identity";
  const reader = passed.call !== null && isAnswer ? newAnswerReader(api, { type, encoding }) : null;
  const { placeholders } = passed;
  const endWith = (cause: Pick<CallEnd, "outcome" | "failure">) =>
    finish({ ...cause, answer: reader?.state() ?? null, firstTokenMs: isAnswer ? firstTokenMs : null });
  const end = await relayAnswer({
    from,
    to: response,
    reader,
    restore: placeholders !== null && isAnswer && isPlain ? newRestore(api, type, placeholders) : null,
    extra: passed.call === null ? [] : ["x-oldhand-call", passed.call],
    onComplete: () =>
      endWith(
        isAnswer
          ? judgeAnswer(reader?.state() ?? noAnswer)
          : { outcome: "failed", failure: isPage ? "malformed" : failure },
      ),
  });
  if (end === "complete") return;
  await reader?.end();
  await endWith(
    end === "cut-off" ? { outcome: "failed", failure: "cut-off" } : { outcome: "aborted", failure: "aborted" },
  );
}

/** Judges an answer whose connection ended normally. If its last event is missing, the provider or a proxy cut it off. */
function judgeAnswer(answer: AnswerState): Pick<CallEnd, "outcome" | "failure"> {
  if (answer.failure !== null) return { outcome: "failed", failure: answer.failure };
  if (!answer.isEnded && answer.reported !== "all") return { outcome: "failed", failure: "cut-off" };
  return { outcome: "ok", failure: null };
}

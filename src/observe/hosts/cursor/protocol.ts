import type { CallControl } from "../../../domain/rule/delivery.ts";
import { decodeLike, type Dialect } from "../../protocol/claude-like.ts";
import { type Hearing, UNBOUNDED, type Protocol } from "../../protocol/host.ts";
import { isRecord } from "../../../lib/json.ts";
import { type Answer, inOneText, type HookEvent } from "../../protocol/hook-event.ts";
import { toldVersion } from "../../protocol/told-version.ts";

/** What is said when a session begins its editor drops; an answer to a stop would be a message of the user's. */
const hears: Hearing = { prompt: UNBOUNDED, "before-call": UNBOUNDED, "after-call": UNBOUNDED };

const calls: CallControl = { note: "with the result", refusal: "the call", asks: "no", holds: false };

export const cursorProtocol: Protocol = { hears, calls, decode, encode };

/** Every payload tells the version; once a prompt is enough. */
function decode(payload: unknown): readonly HookEvent[] {
  const version = isRecord(payload) ? toldVersion(payload["cursor_version"]) : {};
  return decodeLike(payload, dialect).map((seen) =>
    seen.moment === "session-start" || seen.moment === "prompt" ? { ...seen, ...version } : seen,
  );
}

/** Without those of single kinds of calls: each is told here already. */
const dialect: Dialect = {
  host: "cursor",
  moments: {
    sessionStart: "session-start",
    beforeSubmitPrompt: "prompt",
    preToolUse: "before-call",
    postToolUse: "after-call",
    postToolUseFailure: "failed-call",
    stop: "stop",
    sessionEnd: "session-end",
  },
};

function encode(seen: HookEvent, answer: Answer): string {
  // A context at its end would start the work anew: there it is a message of the user's.
  if (seen.moment === "stop" || seen.moment === "session-end") return "";
  const { context, decision } = answer;
  if (seen.moment === "before-call" && decision?.kind === "deny") {
    const said = inOneText(decision.reason, context);
    return JSON.stringify({ permission: "deny", user_message: decision.reason, agent_message: said });
  }
  // Before a tool it knows no asking: what its user would have been asked is told to the model.
  const said = inOneText(seen.moment === "before-call" ? decision?.reason : undefined, context);
  return said === "" ? "" : JSON.stringify({ additional_context: said });
}

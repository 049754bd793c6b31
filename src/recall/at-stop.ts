import type { Context } from "../context.ts";
import { describeLogAccess } from "../domain/advice/reminder.ts";
import { stopMessageOpenings } from "../domain/advice/stop-messages.ts";
import { summariseCall } from "../domain/event/call-summary.ts";
import type { Event } from "../domain/event/event.ts";
import { oneLine } from "../lib/text.ts";
import { readSessionWork } from "../store/events/around-session.ts";
import { listSessionCalls, hasFailureWithSignature } from "../store/events/events.ts";
import type { ShownSoFar } from "../store/shown/shown.ts";
import { composeMessage, type MessageSection, type Message } from "./compose-message.ts";
import type { Recipient } from "./message-parts.ts";

/**
 * Before a session stops, once per session: known failures that were never resolved, or much work without a
 * ledger entry. Null if there is neither.
 */
export async function composeAtStop(
  ctx: Pick<Context, "db" | "clock" | "config">,
  to: Recipient,
  shown: ShownSoFar,
): Promise<Message | null> {
  const { db } = ctx;
  if (shown.parts.has("reminder stop")) return null;
  const open = await listOpenFailures(ctx, to);
  if (open.length > 0) return composeSection(openFailuresSection(open), to, shown);
  const { interactions, logged } = await readSessionWork(db, { host: to.host, id: to.session });
  const wasReminded = shown.parts.has("reminder insist") || shown.parts.has("reminder closing");
  if (interactions < ctx.config.policy.recall.insistAfter || logged || wasReminded) return null;
  const by = describeLogAccess((await to.wayToKeep?.()) ?? "tools");
  return by === null ? null : composeSection(unloggedSection(by), to, shown);
}

function composeSection(says: MessageSection, to: Recipient, shown: ShownSoFar): Message | null {
  return composeMessage("", [says], { characters: to.maxCharacters, already: shown.parts });
}

function unloggedSection(kept: string): MessageSection {
  const says = `${stopMessageOpenings.nothingLogged}of it was written down. Save what a later session must know with ${kept}; if there is nothing, say so and end.`;
  return { heading: "", share: 1, parts: [{ kind: "reminder", subject: "stop", says }] };
}

/** One line, which the user reads too, with facts only. It contains the session's own commands, but no tool output. */
function openFailuresSection(open: readonly OpenFailure[]): MessageSection {
  const names = open.map(({ call }) => `\`${oneLine(summariseCall(call).replaceAll("`", "'"), 80)}\``).join(", ");
  const isOne = open.length === 1;
  const [they, them, are] = isOne ? ["It", "it", "it is"] : ["They", "them", "they are"];
  const known = open.every(({ known: how }) => how === "failed")
    ? `${they} failed in earlier sessions too.`
    : `oldhand has a rule about ${them}.`;
  const says = `${stopMessageOpenings.failuresLeft}${isOne ? "this call" : "these calls"} failed, and I saw no later success: ${names}. ${known} Fix ${them}, or tell the user that ${are} open.`;
  return { heading: "", share: 1, parts: [{ kind: "reminder", subject: "stop", says }] };
}

/** Unresolved failures that were known before. Others may be the first of their kind. */
async function listOpenFailures(
  ctx: Pick<Context, "db" | "clock" | "config">,
  to: Recipient,
): Promise<readonly OpenFailure[]> {
  const all = await listSessionCalls(ctx.db, { host: to.host, id: to.session });
  const calls = all.filter((call) => call.agent === null).slice(-MOST);
  if (!calls.some((call) => call.ok === false || call.outcome === "failed" || (call.exitCode ?? 0) !== 0)) return [];
  const { readCall } = await import("../domain/cause/read-call.ts");
  const { findUnresolvedFailures } = await import("../domain/event/unresolved.ts");
  const read = calls.map((call) => (call.outcome === null ? { ...call, ...readCall(call) } : call));
  const open: OpenFailure[] = [];
  for (const call of findUnresolvedFailures(read).toReversed()) {
    const known = open.length < SHOWN ? await findHowKnown(ctx, to, call) : null;
    if (known !== null) open.unshift({ call, known });
  }
  return open;
}

/** A failure without a later success, and how it is known: it failed in another session too, or a rule is about it. */
interface OpenFailure {
  readonly call: Event;
  readonly known: "failed" | "rule";
}

async function findHowKnown(
  ctx: Pick<Context, "db" | "clock" | "config">,
  to: Recipient,
  call: Event,
): Promise<OpenFailure["known"] | null> {
  if (
    call.signature !== null &&
    (await hasFailureWithSignature(ctx.db, call.signature, { host: to.host, id: to.session }))
  )
    return "failed";
  const { findRulesForFailure } = await import("./after-failure.ts");
  return (await findRulesForFailure(ctx, to, call)).length > 0 ? "rule" : null;
}

/** Older failures no longer matter. */
const MOST = 200;
const SHOWN = 3;

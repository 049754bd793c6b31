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
  const says = `${stopMessageOpenings.nothingLogged} Save what a later session must know with ${kept}; if there is nothing, say so and end.`;
  return { heading: "", share: 1, parts: [{ kind: "reminder", subject: "stop", says }] };
}

/** One line, which the user reads too, with facts only. It contains the session's own commands, but no tool output. */
function openFailuresSection(open: readonly Event[]): MessageSection {
  const names = open.map((call) => `\`${oneLine(summariseCall(call).replaceAll("`", "'"), 80)}\``).join(", ");
  const says = `${stopMessageOpenings.failuresLeft} ${names}. It is a known problem. Fix it, or tell the user that it is open.`;
  return { heading: "", share: 1, parts: [{ kind: "reminder", subject: "stop", says }] };
}

/** Unresolved failures that were known before. Others may be the first of their kind. */
async function listOpenFailures(
  ctx: Pick<Context, "db" | "clock" | "config">,
  to: Recipient,
): Promise<readonly Event[]> {
  const all = await listSessionCalls(ctx.db, { host: to.host, id: to.session });
  const calls = all.filter((call) => call.agent === null).slice(-MOST);
  if (!calls.some((call) => call.ok === false || call.outcome === "failed" || (call.exitCode ?? 0) !== 0)) return [];
  const { readCall } = await import("../domain/cause/read-call.ts");
  const { findUnresolvedFailures } = await import("../domain/event/unresolved.ts");
  const read = calls.map((call) => (call.outcome === null ? { ...call, ...readCall(call) } : call));
  const known: Event[] = [];
  for (const call of findUnresolvedFailures(read).toReversed()) {
    if (known.length < SHOWN && (await isKnown(ctx, to, call))) known.unshift(call);
  }
  return known;
}

/** True if it failed in another session too, or a rule warns against it. */
async function isKnown(ctx: Pick<Context, "db" | "clock" | "config">, to: Recipient, call: Event): Promise<boolean> {
  if (
    call.signature !== null &&
    (await hasFailureWithSignature(ctx.db, call.signature, { host: to.host, id: to.session }))
  )
    return true;
  const { findRulesForFailure } = await import("./after-failure.ts");
  return (await findRulesForFailure(ctx, to, call)).length > 0;
}

/** Older failures no longer matter. */
const MOST = 200;
const SHOWN = 3;

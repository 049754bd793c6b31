import type { Context } from "../context.ts";
import type { LogAccess } from "../domain/advice/reminder.ts";
import type { NewEvent } from "../domain/event/event.ts";
import type { Memory } from "../domain/memory/memory.ts";
import type { ActiveRule } from "../domain/rule/rule.ts";
import { isHeldByUs } from "../domain/text/rule-message-text.ts";
import type { ContextLimits } from "../observe/protocol/host.ts";
import { isFailedCallEvent, type HookEvent } from "../observe/protocol/hook-event.ts";
import type { Message } from "../recall/compose-message.ts";
import type { Recipient } from "../recall/message-parts.ts";
import { findLastSession } from "../store/events/around-session.ts";
import { getSummary } from "../store/sessions/session-summaries.ts";
import {
  closeHolds,
  CONTEXT_RESTARTED,
  recordShownParts,
  CONTEXT_RESUMED,
  type ShownMoment,
  readShownSoFar,
} from "../store/shown/shown.ts";
import { mayHaveAnswer, mayHideFailedCall } from "./may-have-answer.ts";
import { keepPendingAdvice, mayHavePendingAdvice, takePendingAdvice } from "./pending-advice.ts";

type AdviseContext = Pick<Context, "config" | "db" | "clock" | "models">;

interface AdviceRequest {
  readonly host: string;
  readonly workspace: string | null;
  readonly contextLimits: ContextLimits;
  readonly logAccess?: LogAccess | undefined;
  /** The stored form of the event, if it is a call. */
  readonly call: NewEvent | null;
  /** The rules in force, if the caller has read them already. */
  readonly inPlay?: readonly ActiveRule[] | undefined;
  /** Memories that were just stored because the prompt asks for it. */
  readonly kept?: readonly Memory[] | undefined;
}

/**
 * Composes advice for every moment except before a call. If the host cannot take text now, the advice stays pending
 * until it can.
 */
export async function advise(ctx: AdviseContext, event: HookEvent, request: AdviceRequest): Promise<string> {
  const { contextLimits } = request;
  const now = contextLimits[event.moment] ?? 0;
  const least = Math.min(...Object.values(contextLimits));
  if (event.moment === "session-end") await summarise(ctx, event);
  const characters = now > 0 ? now : least;
  if (!Number.isFinite(characters) || isSkipped(event)) return "";
  const to: Recipient = {
    host: request.host,
    session: event.session,
    agent: event.agent,
    workspace: request.workspace,
    cwd: event.cwd,
    model: event.model,
    maxCharacters: characters,
    wayToKeep: async () =>
      request.logAccess ?? (await import("./ways-to-keep.ts")).findWayToKeep(request.host, ctx.config.home),
    wasOffSince: async (other) => {
      const { readOffTimes } = await import("../observe/off-times.ts");
      return readOffTimes(ctx.config.home, ctx.clock.now()).hasSince(other);
    },
  };
  const late = now > 0 && mayHavePendingAdvice(contextLimits) ? await takePendingAdvice(ctx, to) : [];
  // Recorded first, so that the advice that is due now does not repeat it.
  for (const one of late) await recordShown(ctx, to, one.moment, one.told);
  const message = await composeAdvice(ctx, event, to, request);
  if (now > 0) {
    if (message !== null) await recordShown(ctx, to, toShownMoment(event), message);
    return [...late.map((one) => one.told), ...(message === null ? [] : [message])].map((one) => one.text).join("\n");
  }
  if (message !== null) await keepPendingAdvice(ctx, to, { moment: toShownMoment(event), told: message });
  return "";
}

/**
 * A sub-agent has its own context, and its task comes from an agent that was shown the advice already. So it gets
 * rules only at its start and after its failures.
 */
function isSkipped(event: HookEvent): boolean {
  return event.agent !== null && event.moment !== "after-call" && event.moment !== "session-start";
}

async function composeAdvice(
  ctx: AdviseContext,
  event: HookEvent,
  to: Recipient,
  { call, inPlay, kept }: Pick<AdviceRequest, "call" | "inPlay" | "kept">,
): Promise<Message | null> {
  const { db } = ctx;
  const policy = ctx.config.policy.recall;
  switch (event.moment) {
    case "session-start": {
      if (event.agent !== null) return policy.speakAtStart ? composeForSubAgent(ctx, to) : null;
      // Done even if nothing is shown at the start: later moments of the session depend on both.
      await recordStart(ctx, to, event.source);
      await summariseLast(ctx, to);
      if (!policy.speakAtStart) return null;
      const { composeAtSessionStart } = await import("../recall/at-session-start.ts");
      const { composeIdentity, loadIdentity } = await import("../recall/identity/identity.ts");
      const files = await loadIdentity(ctx);
      const identity = (characters: number) => composeIdentity(files, characters);
      return composeAtSessionStart({ ...ctx, identity }, to, await readShownSoFar(db, to.host, to.session));
    }
    case "prompt": {
      if (!policy.speakAtPrompt) return null;
      const { composeAtPrompt } = await import("../recall/at-prompt.ts");
      // Stored memories need no semantic search, and the line that confirms them must not wait for a model.
      const models = kept === undefined || kept.length === 0 ? ctx.models : { embedder: async () => null };
      const shown = await readShownSoFar(db, to.host, to.session);
      return composeAtPrompt({ ...ctx, models }, to, { prompt: event.prompt, kept, shown });
    }
    case "after-call": {
      // Where the whole batch has ended, the model has read the hold when it makes its next call.
      if (event.endsBatch === true && isHeldByUs(event.text))
        await closeHolds(db, { host: to.host, session: to.session, agent: event.agent });
      const failed = call === null || isFailedCallEvent(event) ? call : await findHiddenFailedCall(call);
      return failed === null ? null : composeAfterFailedCall(ctx, { ...to, inPlay }, failed);
    }
    case "stop": {
      // A text at stop makes the agent continue. Without a screen, its answer would no longer be the last thing
      // printed.
      if (event.again || !policy.speakAtStop || event.hasScreen !== true) return null;
      const { composeAtStop } = await import("../recall/at-stop.ts");
      return composeAtStop(ctx, to, await readShownSoFar(db, to.host, to.session));
    }
    default:
      return null;
  }
}

/** The call as one that failed, if only its output says so; null if it worked. */
async function findHiddenFailedCall(call: NewEvent): Promise<NewEvent | null> {
  const { tool, input, text } = call;
  if (tool === null || text === null || !mayHideFailedCall(call)) return null;
  const { findHiddenFailure, isOnlyMissingPath } = await import("../domain/cause/hidden-failure.ts");
  const isFailure = findHiddenFailure({ tool, input }, text) !== null || isOnlyMissingPath({ tool, input }, text);
  return isFailure ? { ...call, ok: false, error: text, text: null } : null;
}

/**
 * Returns either rules or an answer. A rule that names a remedy wins, because it also helps with later calls. A rule
 * that only warns is useless once the call has failed, so the answer wins: it says what exists.
 */
async function composeAfterFailedCall(
  ctx: AdviseContext,
  to: Recipient & Pick<AdviceRequest, "inPlay">,
  call: NewEvent,
): Promise<Message | null> {
  const { composeAfterFailure, wasToldRemedy } = await import("../recall/after-failure.ts");
  const found = to.inPlay?.length === 0 ? null : await composeAfterFailure(ctx, to, call);
  const isAnswerable = ctx.config.policy.recall.answerFailures && mayHaveAnswer(call.error);
  if (found === null && !isAnswerable) return null;
  // A fact that was shown before the call is not repeated with its failure, unless there is more to say.
  const isSaid = await (await import("../recall/said-as-fact.ts")).findSaidFacts(ctx, call);
  const rules = found !== null && isSaid !== null && (!found.nameRemedy || isSaid(found.text)) ? null : found;
  if (rules?.nameRemedy === true || !isAnswerable) return rules;
  if (await wasToldRemedy(ctx.db, call)) return rules;
  const { answerFailure } = await import("../recall/answers/answer-failure.ts");
  const answer = await answerFailure(ctx, to, call, isSaid ?? (() => false));
  return answer ?? rules;
}

async function composeForSubAgent(ctx: AdviseContext, to: Recipient): Promise<Message | null> {
  return (await import("../recall/at-sub-agent-start.ts")).composeAtSubAgentStart(ctx, to);
}

function toShownMoment(event: HookEvent): ShownMoment {
  if (event.moment === "after-call") return "after-failure";
  return event.moment === "session-end" ? "stop" : event.moment;
}

/** Marks that the context was restarted or the session resumed: what was shown before may then be shown again. */
async function recordStart(ctx: AdviseContext, to: Recipient, source: string | null): Promise<void> {
  const subject =
    source === "resume" ? CONTEXT_RESUMED : source === "compact" || source === "clear" ? CONTEXT_RESTARTED : null;
  if (subject === null) return;
  const part = { kind: "start", subject, level: "watch", tokens: 0 } as const;
  await recordShown(ctx, { ...to, agent: null }, "session-start", { text: "", parts: [part] });
}

/** Called only for messages that are sent. */
function recordShown(ctx: AdviseContext, to: Recipient, moment: ShownMoment, message: Message): Promise<void> {
  const { host, session, agent = null } = to;
  return recordShownParts(ctx.db, { at: ctx.clock.now(), host, session, agent, moment }, message.parts);
}

async function summarise(ctx: AdviseContext, event: HookEvent): Promise<void> {
  const { summariseSession } = await import("../record/session-summaries.ts");
  await summariseSession(ctx.db, { host: event.host, id: event.session });
}

/** If the last session in the workspace sent no session end, the next one writes its summary. */
async function summariseLast({ db }: AdviseContext, to: Recipient): Promise<void> {
  const last =
    to.workspace === null ? null : await findLastSession(db, to.workspace, { host: to.host, id: to.session });
  if (last === null || (await getSummary(db, last))?.upTo === last.upTo) return;
  const { summariseSession } = await import("../record/session-summaries.ts");
  await summariseSession(db, last);
}

import type { Context } from "../context.ts";
import type { NewEvent } from "../domain/event/event.ts";
import type { Memory } from "../domain/memory/memory.ts";
import type { ActiveRule } from "../domain/rule/rule.ts";
import type { ContextLimits } from "../observe/protocol/host.ts";
import { isFailedCallEvent, type HookEvent } from "../observe/protocol/hook-event.ts";
import type { Message } from "../recall/compose-message.ts";
import type { Recipient } from "../recall/message-parts.ts";
import { findLastSession } from "../store/events/around-session.ts";
import { getSummary } from "../store/sessions/session-summaries.ts";
import {
  CONTEXT_RESTARTED,
  recordShownParts,
  CONTEXT_RESUMED,
  type ShownMoment,
  readShownSoFar,
} from "../store/shown/shown.ts";
import { mayHaveAnswer } from "./may-have-answer.ts";
import { keepPendingAdvice, mayHavePendingAdvice, takePendingAdvice } from "./pending-advice.ts";

type AdviseContext = Pick<Context, "config" | "db" | "clock" | "models">;

interface AdviceRequest {
  readonly host: string;
  readonly workspace: string | null;
  readonly contextLimits: ContextLimits;
  /** The stored form of what was event, where it is a call. */
  readonly call: NewEvent | null;
  /** The rules in force, where they were read already. */
  readonly inPlay?: readonly ActiveRule[] | undefined;
  /** What was kept just now because the prompt asks for it. */
  readonly kept?: readonly Memory[] | undefined;
}

/** What there is to say at a moment other than before a call; what the host cannot hear now stays pending until it can. */
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
    model: event.model,
    hears: characters,
    wayToKeep: async () => (await import("./ways-to-keep.ts")).findWayToKeep(request.host, ctx.config.home),
    wasOffSince: async (other) => {
      const { readOffTimes } = await import("../observe/off-times.ts");
      return readOffTimes(ctx.config.home, ctx.clock.now()).hasSince(other);
    },
  };
  const late = now > 0 && mayHavePendingAdvice(contextLimits) ? await takePendingAdvice(ctx, to) : [];
  // Written down first: what comes late is not said a second time with what is due now.
  for (const one of late) await recordShown(ctx, to, one.moment, one.told);
  const message = await composeAdvice(ctx, event, to, request);
  if (now > 0) {
    if (message !== null) await recordShown(ctx, to, toShownMoment(event), message);
    return [...late.map((one) => one.told), ...(message === null ? [] : [message])].map((one) => one.text).join("\n");
  }
  if (message !== null) await keepPendingAdvice(ctx, to, { moment: toShownMoment(event), told: message });
  return "";
}

/** A sub-agent has a context of its own, and a task from somebody who was told already: it hears rules when it starts, and of its failures. */
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
      // Also where nothing is said at the start: what comes later in the session builds on both.
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
      // What is only told needs no search by meaning, and the line that it is kept must not wait for a model.
      const models = kept === undefined || kept.length === 0 ? ctx.models : { embedder: async () => null };
      const shown = await readShownSoFar(db, to.host, to.session);
      return composeAtPrompt({ ...ctx, models }, to, { prompt: event.prompt, kept, shown });
    }
    case "after-call": {
      if (call === null || !isFailedCallEvent(event)) return null;
      return composeAfterFailedCall(ctx, { ...to, inPlay }, call);
    }
    case "stop": {
      // It makes the agent go on: where nobody is at the screen, its answer would no longer be the last thing that is printed.
      if (event.again || !policy.speakAtStop || event.hasScreen !== true) return null;
      const { composeAtStop } = await import("../recall/at-stop.ts");
      return composeAtStop(ctx, to, await readShownSoFar(db, to.host, to.session));
    }
    default:
      return null;
  }
}

/**
 * One of both. A rule that names what works helps with later calls too. One that only warns has nothing to say to a call that has
 * failed already: there the answer comes first, for it says what is there.
 */
async function composeAfterFailedCall(
  ctx: AdviseContext,
  to: Recipient & Pick<AdviceRequest, "inPlay">,
  call: NewEvent,
): Promise<Message | null> {
  const { composeAfterFailure } = await import("../recall/after-failure.ts");
  const found = to.inPlay?.length === 0 ? null : await composeAfterFailure(ctx, to, call);
  const isAnswerable = ctx.config.policy.recall.answerFailures && mayHaveAnswer(call.error);
  if (found === null && !isAnswerable) return null;
  // What the session heard as a fact before the call is not said again with its failure, unless there is more to say.
  const isSaid = await (await import("../recall/said-as-fact.ts")).findSaidFacts(ctx, call);
  const rules = found !== null && isSaid !== null && (!found.nameRemedy || isSaid(found.text)) ? null : found;
  if (rules?.nameRemedy === true || !isAnswerable) return rules;
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

/** Where a context started over, or a session was resumed: what was said before may be said again. */
async function recordStart(ctx: AdviseContext, to: Recipient, source: string | null): Promise<void> {
  const subject =
    source === "resume" ? CONTEXT_RESUMED : source === "compact" || source === "clear" ? CONTEXT_RESTARTED : null;
  if (subject === null) return;
  const part = { kind: "start", subject, level: "watch", tokens: 0 } as const;
  await recordShown(ctx, { ...to, agent: null }, "session-start", { text: "", parts: [part] });
}

/** Only what goes out is written down as shown. */
function recordShown(ctx: AdviseContext, to: Recipient, moment: ShownMoment, message: Message): Promise<void> {
  const { host, session, agent = null } = to;
  return recordShownParts(ctx.db, { at: ctx.clock.now(), host, session, agent, moment }, message.parts);
}

async function summarise(ctx: AdviseContext, event: HookEvent): Promise<void> {
  const { summariseSession } = await import("../record/session-summaries.ts");
  await summariseSession(ctx.db, { host: event.host, id: event.session });
}

/** A session that ended without a word is summed up by the next in its workspace. */
async function summariseLast({ db }: AdviseContext, to: Recipient): Promise<void> {
  const last =
    to.workspace === null ? null : await findLastSession(db, to.workspace, { host: to.host, id: to.session });
  if (last === null || (await getSummary(db, last))?.upTo === last.upTo) return;
  const { summariseSession } = await import("../record/session-summaries.ts");
  await summariseSession(db, last);
}

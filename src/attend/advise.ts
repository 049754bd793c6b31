import type { Context } from "../context.ts";
import type { NewEvent } from "../domain/event/event.ts";
import type { Memory } from "../domain/memory/memory.ts";
import type { RuleInPlay } from "../domain/rule/rule.ts";
import type { Hearing } from "../observe/protocol/host.ts";
import { hasFailed, type HookEvent } from "../observe/protocol/hook-event.ts";
import type { Told } from "../recall/compose.ts";
import type { Listener } from "../recall/parts.ts";
import { lastIn } from "../store/around-session.ts";
import { getSummary } from "../store/session-summaries.ts";
import { ANEW, recordParts, RESUMED, type ShownMoment, shownTo } from "../store/shown.ts";
import { mayHaveAnswer } from "./may-have-answer.ts";
import { keepPending, mayBePending, takePending } from "./pending-advice.ts";

type AdviseContext = Pick<Context, "config" | "db" | "clock" | "models">;

interface Occasion {
  readonly host: string;
  readonly workspace: string | null;
  readonly hears: Hearing;
  /** The stored form of what was event, where it is a call. */
  readonly call: NewEvent | null;
  /** The rules in force, where they were read already. */
  readonly inPlay?: readonly RuleInPlay[] | undefined;
  /** What was kept just now because the prompt asks for it. */
  readonly kept?: readonly Memory[] | undefined;
}

/** What there is to say at a moment other than before a call; what the host cannot hear now stays pending until it can. */
export async function advise(ctx: AdviseContext, event: HookEvent, occasion: Occasion): Promise<string> {
  const { hears } = occasion;
  const now = hears[event.moment] ?? 0;
  const least = Math.min(...Object.values(hears));
  if (event.moment === "session-end") await summarise(ctx, event);
  const characters = now > 0 ? now : least;
  if (!Number.isFinite(characters) || isLeftAlone(event)) return "";
  const to: Listener = {
    host: occasion.host,
    session: event.session,
    agent: event.agent,
    workspace: occasion.workspace,
    model: event.model,
    hears: characters,
    wayToKeep: async () => (await import("./ways-to-keep.ts")).wayToKeep(occasion.host, ctx.config.home),
    wasOffSince: async (other) => {
      const { offTimes } = await import("../observe/off-times.ts");
      return offTimes(ctx.config.home, ctx.clock.now()).hasSince(other);
    },
  };
  const late = now > 0 && mayBePending(hears) ? await takePending(ctx, to) : [];
  // Written down first: what comes late is not said a second time with what is due now.
  for (const one of late) await record(ctx, to, one.moment, one.told);
  const told = await composeAdvice(ctx, event, to, occasion);
  if (now > 0) {
    if (told !== null) await record(ctx, to, momentOf(event), told);
    return [...late.map((one) => one.told), ...(told === null ? [] : [told])].map((one) => one.text).join("\n");
  }
  if (told !== null) await keepPending(ctx, to, { moment: momentOf(event), told });
  return "";
}

/** A sub-agent has a context of its own, and a task from somebody who was told already: it hears rules when it starts, and of its failures. */
function isLeftAlone(event: HookEvent): boolean {
  return event.agent !== null && event.moment !== "after-call" && event.moment !== "session-start";
}

async function composeAdvice(
  ctx: AdviseContext,
  event: HookEvent,
  to: Listener,
  { call, inPlay, kept }: Pick<Occasion, "call" | "inPlay" | "kept">,
): Promise<Told | null> {
  const { db } = ctx;
  const law = ctx.config.policy.recall;
  switch (event.moment) {
    case "session-start": {
      if (event.agent !== null) return law.speakAtStart ? atSubAgentStart(ctx, to) : null;
      // Also where nothing is said at the start: what comes later in the session builds on both.
      await markStart(ctx, to, event.source);
      await summariseLast(ctx, to);
      if (!law.speakAtStart) return null;
      const { atSessionStart } = await import("../recall/at-session-start.ts");
      const { identityText, loadIdentity } = await import("../recall/identity.ts");
      const files = await loadIdentity(ctx);
      const identity = (characters: number) => identityText(files, characters);
      return atSessionStart({ ...ctx, identity }, to, await shownTo(db, to.host, to.session));
    }
    case "prompt": {
      if (!law.speakAtPrompt) return null;
      const { atPrompt } = await import("../recall/at-prompt.ts");
      // What is only told needs no search by meaning, and the line that it is kept must not wait for a model.
      const models = kept === undefined || kept.length === 0 ? ctx.models : { embedder: async () => null };
      const shown = await shownTo(db, to.host, to.session);
      return atPrompt({ ...ctx, models }, to, { prompt: event.prompt, kept, shown });
    }
    case "after-call": {
      if (call === null || !hasFailed(event)) return null;
      return afterFailedCall(ctx, { ...to, inPlay }, call);
    }
    case "stop": {
      // It makes the agent go on: where nobody is at the screen, its answer would no longer be the last thing that is printed.
      if (event.again || !law.speakAtStop || event.hasScreen !== true) return null;
      const { atStop } = await import("../recall/at-stop.ts");
      return atStop(ctx, to, await shownTo(db, to.host, to.session));
    }
    default:
      return null;
  }
}

/**
 * One of both. A rule that names what works helps with later calls too. One that only warns has nothing to say to a call that has
 * failed already: there the answer comes first, for it says what is there.
 */
async function afterFailedCall(
  ctx: AdviseContext,
  to: Listener & Pick<Occasion, "inPlay">,
  call: NewEvent,
): Promise<Told | null> {
  const { afterFailure } = await import("../recall/after-failure.ts");
  const rules = to.inPlay?.length === 0 ? null : await afterFailure(ctx, to, call);
  if (rules?.nameRemedy === true || !ctx.config.policy.recall.answerFailures || !mayHaveAnswer(call.error))
    return rules;
  const { answerFailure } = await import("../recall/answers/answer-failure.ts");
  return (await answerFailure(ctx, to, call)) ?? rules;
}

async function atSubAgentStart(ctx: AdviseContext, to: Listener): Promise<Told | null> {
  return (await import("../recall/at-sub-agent-start.ts")).atSubAgentStart(ctx, to);
}

function momentOf(event: HookEvent): ShownMoment {
  if (event.moment === "after-call") return "after-failure";
  return event.moment === "session-end" ? "stop" : event.moment;
}

/** Where a context started over, or a session was resumed: what was said before may be said again. */
async function markStart(ctx: AdviseContext, to: Listener, source: string | null): Promise<void> {
  const subject = source === "resume" ? RESUMED : source === "compact" || source === "clear" ? ANEW : null;
  if (subject === null) return;
  const part = { kind: "start", subject, level: "watch", tokens: 0 } as const;
  await record(ctx, { ...to, agent: null }, "session-start", { text: "", parts: [part] });
}

/** Only what goes out is written down as shown. */
function record(ctx: AdviseContext, to: Listener, moment: ShownMoment, told: Told): Promise<void> {
  const { host, session, agent = null } = to;
  return recordParts(ctx.db, { at: ctx.clock.now(), host, session, agent, moment }, told.parts);
}

async function summarise(ctx: AdviseContext, event: HookEvent): Promise<void> {
  const { summariseSession } = await import("../record/session-summaries.ts");
  await summariseSession(ctx.db, { host: event.host, id: event.session });
}

/** A session that ended without a word is summed up by the next in its workspace. */
async function summariseLast({ db }: AdviseContext, to: Listener): Promise<void> {
  const last = to.workspace === null ? null : await lastIn(db, to.workspace, { host: to.host, id: to.session });
  if (last === null || (await getSummary(db, last))?.upTo === last.upTo) return;
  const { summariseSession } = await import("../record/session-summaries.ts");
  await summariseSession(db, last);
}

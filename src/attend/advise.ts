import type { Config } from "../config.ts";
import type { NewEvent } from "../domain/event/event.ts";
import type { Clock } from "../lib/clock.ts";
import { type Hearing, waits } from "../observe/protocol/host.ts";
import { hasFailed, type Seen } from "../observe/protocol/seen.ts";
import type { Told } from "../recall/compose.ts";
import type { Listener } from "../recall/parts.ts";
import { lastIn } from "../store/around-session.ts";
import type { Db } from "../store/engine/db.ts";
import { getSummary } from "../store/session-summaries.ts";
import { recordParts, type ShownMoment, shownTo } from "../store/shown.ts";

export interface SpeakWorld {
  readonly config: Config;
  readonly db: Db;
  readonly clock: Clock;
}

interface Occasion {
  readonly host: string;
  readonly workspace: string | null;
  readonly hears: Hearing;
  /** The stored form of what was seen, where it is a call. */
  readonly call: NewEvent | null;
}

/** What there is to say at a moment other than before a call; what the host does not hear now waits until it does. */
export async function speak(world: SpeakWorld, seen: Seen, occasion: Occasion): Promise<string> {
  const { hears } = occasion;
  const now = hears[seen.moment] ?? 0;
  const least = Math.min(...Object.values(hears));
  if (seen.moment === "session-end") await sumUp(world, seen);
  const characters = now > 0 ? now : least;
  if (!Number.isFinite(characters) || isSubAgents(seen)) return "";
  const to: Listener = {
    host: occasion.host,
    session: seen.session,
    workspace: occasion.workspace,
    model: seen.model,
    hears: characters,
    lots: world.config.policy.distil,
  };
  const told = await whatToSay(world, seen, to, occasion.call);
  if (now > 0) {
    const late = waits(hears) ? await takeWaiting(world, to) : [];
    const all = told === null ? late : [...late, { moment: momentOf(seen), told }];
    for (const one of all) await record(world, to, one.moment, one.told);
    return all.map((one) => one.told.text).join("\n");
  }
  if (told !== null) await keepWaiting(world, to, momentOf(seen), told);
  return "";
}

/** A sub-agent has a context of its own, and a task from somebody who was told already; only of its failures is spoken. */
function isSubAgents(seen: Seen): boolean {
  return seen.agent !== null && seen.moment !== "after-call";
}

async function whatToSay(world: SpeakWorld, seen: Seen, to: Listener, call: NewEvent | null): Promise<Told | null> {
  const { db, clock, config } = world;
  const law = config.policy.recall;
  const asked = { db, law, now: clock.now() };
  switch (seen.moment) {
    case "session-start": {
      if (!law.speakAtStart) return null;
      if (seen.source === "compact" || seen.source === "clear") await beginAnew(world, to);
      await sumUpLast(world, to);
      const { atSessionStart } = await import("../recall/at-session-start.ts");
      const { identityText, loadIdentity } = await import("../recall/identity.ts");
      const files = await loadIdentity(world);
      const identity = (characters: number) => identityText(files, characters);
      return atSessionStart({ ...asked, identity }, to, await shownTo(db, to.host, to.session));
    }
    case "prompt": {
      if (!law.speakAtPrompt) return null;
      const { atPrompt } = await import("../recall/at-prompt.ts");
      return atPrompt(asked, to, { prompt: seen.prompt, shown: await shownTo(db, to.host, to.session) });
    }
    case "after-call": {
      if (call === null || !hasFailed(seen)) return null;
      const { afterFailure } = await import("../recall/after-failure.ts");
      return afterFailure(asked, to, call);
    }
    case "stop": {
      if (seen.again || !law.speakAtStop) return null;
      const { atStop } = await import("../recall/at-stop.ts");
      return atStop(asked, to, await shownTo(db, to.host, to.session));
    }
    default:
      return null;
  }
}

function momentOf(seen: Seen): ShownMoment {
  if (seen.moment === "after-call") return "after-failure";
  return seen.moment === "session-end" ? "stop" : seen.moment;
}

/** What was said before is gone from its context, and may be said again. */
function beginAnew(world: SpeakWorld, to: Listener): Promise<void> {
  const part = { kind: "start", subject: "anew", level: "watch", tokens: 0 } as const;
  return recordParts(world.db, { at: world.clock.now(), ...whose(to), moment: "session-start" }, [part]);
}

/** Only what goes out is written down as shown. */
async function record(world: SpeakWorld, to: Listener, moment: ShownMoment, told: Told): Promise<void> {
  const at = world.clock.now();
  await recordParts(world.db, { at, ...whose(to), moment }, told.parts);
  const memories = told.parts.filter((part) => part.kind === "memory").map((part) => part.subject);
  if (memories.length === 0) return;
  const { recordUses } = await import("../store/memory-uses.ts");
  await recordUses(world.db, memories, { at, deed: "recalled", ...whose(to) });
}

function whose({ host, session }: Listener): Pick<Listener, "host" | "session"> {
  return { host, session };
}

async function sumUp(world: SpeakWorld, seen: Seen): Promise<void> {
  const { summariseSession } = await import("../record/session-summaries.ts");
  await summariseSession(world.db, { host: seen.host, id: seen.session });
}

/** A session that ended without a word is summed up by the next in its workspace. */
async function sumUpLast({ db }: SpeakWorld, to: Listener): Promise<void> {
  const last = to.workspace === null ? null : await lastIn(db, to.workspace, { host: to.host, id: to.session });
  if (last === null || (await getSummary(db, last))?.upTo === last.upTo) return;
  const { summariseSession } = await import("../record/session-summaries.ts");
  await summariseSession(db, last);
}

interface Waiting {
  readonly moment: ShownMoment;
  readonly told: Told;
}

async function keepWaiting(world: SpeakWorld, to: Listener, moment: ShownMoment, told: Told): Promise<void> {
  const { keepAdvice } = await import("../store/waiting-advice.ts");
  const waiting: Waiting = { moment, told };
  await keepAdvice(world.db, whose(to), { key: moment, value: JSON.stringify(waiting), now: world.clock.now() });
}

async function takeWaiting(world: SpeakWorld, to: Listener): Promise<readonly Waiting[]> {
  const { takeAdvice } = await import("../store/waiting-advice.ts");
  const values = await takeAdvice(world.db, whose(to), world.clock.now());
  return values.map((value) => JSON.parse(value) as Waiting);
}

import type { Context } from "../../../../context.ts";
import { localTimeZone } from "../../../../lib/local-zone.ts";
import { cap } from "../../../../lib/text.ts";
import { formatZoned } from "../../../../lib/zoned-time.ts";
import { findChatSession } from "../../../../store/chat/chat-sessions.ts";
import {
  beginDaySession,
  readDaySession,
  readLastDayBefore,
  writeHandoff,
} from "../../../../store/goals/day-sessions.ts";

/** The day of the agent of a goal: its first cycle begins a session, later ones go on with it. */
export interface AgentDay {
  /** To be opened again; null: the day begins. */
  readonly session: string | null;
  /** What the day before left; null if there was none, or if the day has begun. */
  readonly handoff: string | null;
  /** Says which session it is. */
  keep(session: string): Promise<void>;
  /** What the next day must know. */
  handOver(text: string): Promise<void>;
}

/** One session for each goal and day: what is known of one goal is not told to the agent of another. */
export async function beginAgentDay({ db, clock }: Pick<Context, "db" | "clock">, goal: string): Promise<AgentDay> {
  const day = formatZoned(clock.now(), localTimeZone()).slice(0, 10);
  const today = await readDaySession(db, goal, day);
  const isThere = today !== null && (await findChatSession(db, today.session)) !== null;
  return {
    session: isThere ? today.session : null,
    handoff: isThere ? null : ((await readLastDayBefore(db, goal, day))?.handoff ?? null),
    keep: async (session) => {
      if (!isThere) await beginDaySession(db, { agent: goal, day, session, beganAt: clock.now() });
    },
    handOver: async (text) => {
      const now = await readDaySession(db, goal, day);
      if (now !== null) await writeHandoff(db, now, cap(text, MOST_CHARACTERS));
    },
  };
}

const MOST_CHARACTERS = 1_500;

import type { Event } from "../domain/event.ts";
import type { Evidence, Level, Matcher, Origin, Scope } from "../domain/rule.ts";
import { oneLine } from "../lib/text.ts";
import type { Db } from "../store/db.ts";
import { eventsByIds } from "../store/events.ts";

/** How a matcher does on what was recorded. */
export interface Backtest {
  /** Calls in which the situation arose, in the rule's scope. */
  readonly opportunities: number;
  /** Those of them it would have spoken before. */
  readonly fired: number;
  readonly hits: number;
  readonly falseAlarms: number;
  readonly precision: number;
  /** Of precision, at 95 %. */
  readonly lower: number;
}

/** A rule that could be, with what speaks for it. */
export interface Proposal {
  readonly miner: string;
  readonly text: string;
  readonly signature: string | null;
  readonly matcher: Matcher | null;
  readonly scope: Scope;
  readonly origin: Origin;
  readonly level: Level;
  readonly confidence: number;
  readonly evidence: Evidence;
  readonly backtest: Backtest | null;
}

const KEPT_REFS = 20;

/** The latest calls are cited, with a few words of what went wrong. */
export async function evidenceOf(
  db: Db,
  calls: readonly Pick<Event, "id" | "host" | "session" | "seq" | "at">[],
): Promise<Evidence> {
  const cited = calls.slice(-KEPT_REFS);
  const events = new Map(
    (
      await eventsByIds(
        db,
        cited.map((call) => call.id),
      )
    ).map((event) => [event.id, event]),
  );
  let [first, last] = [calls[0]?.at ?? 0, 0];
  for (const { at } of calls) [first, last] = [Math.min(first, at), Math.max(last, at)];
  return {
    observations: calls.length,
    sessions: new Set(calls.map((call) => `${call.host} ${call.session}`)).size,
    first,
    last,
    refs: cited.map(({ id, host, session, seq, at }) => {
      const event = events.get(id);
      return { host, session, seq, at, excerpt: oneLine(event?.error ?? event?.text ?? "", 200) };
    }),
  };
}

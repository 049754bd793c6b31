import { excerptOf } from "../../domain/cause/rule-cause.ts";
import type { Event } from "../../domain/event/event.ts";
import type { Evidence, Level, Matcher, Origin, Scope } from "../../domain/rule/rule.ts";
import { oneLine } from "../../lib/text.ts";
import type { Db } from "../../store/engine/db.ts";
import { getEventsByIds } from "../../store/events/events.ts";

export const miners = ["failures", "edits", "bypasses", "blocks", "mistakes", "corrections", "recoveries"] as const;
export type Miner = (typeof miners)[number];

/** How a matcher performs on recorded calls. */
export interface Backtest {
  /** Calls in the rule's scope where the mistake could have been made. */
  readonly opportunities: number;
  /** Opportunities that it would have matched. */
  readonly fired: number;
  readonly hits: number;
  readonly falseAlarms: number;
  readonly precision: number;
  /** Lower bound of `precision`, at 95 %. */
  readonly lower: number;
}

/** A possible rule, with its evidence. */
export interface Proposal {
  readonly miner: Miner;
  readonly text: string;
  readonly signature: string | null;
  readonly matcher: Matcher | null;
  readonly scope: Scope;
  readonly origin: Origin;
  readonly level: Level;
  readonly confidence: number;
  readonly evidence: Evidence;
  readonly backtest: Backtest | null;
  /** Keys of all failing calls of its cause; the evidence cites only the latest. Not stored. */
  readonly calls?: ReadonlySet<string>;
  /** True if it advises what only the latest sessions did. Not stored. */
  readonly hasNewestAdvice?: boolean;
}

export function callKey(call: Pick<Event, "host" | "session"> & { readonly seq: number | null }): string {
  return `${call.host} ${call.session} ${call.seq}`;
}

const KEPT_REFS = 20;

export function makeEvidence(
  events: readonly Event[],
  describe: (event: Event) => string = (event) => oneLine(event.error ?? event.text ?? "", 200),
): Evidence {
  const times = events.map((event) => event.at);
  return {
    observations: events.length,
    sessions: new Set(events.map((event) => `${event.host} ${event.session}`)).size,
    first: times.reduce((a, b) => Math.min(a, b), times[0] ?? 0),
    last: times.reduce((a, b) => Math.max(a, b), 0),
    refs: events.slice(-KEPT_REFS).map((event) => ({
      host: event.host,
      session: event.session,
      seq: event.seq,
      at: event.at,
      excerpt: describe(event),
    })),
  };
}

/** Cites the latest calls, each with a short excerpt of its error. */
export async function makeCallEvidence(
  db: Db,
  calls: readonly Pick<Event, "id" | "host" | "session" | "seq" | "at">[],
): Promise<Evidence> {
  const cited = calls.slice(-KEPT_REFS);
  const events = new Map(
    (
      await getEventsByIds(
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
      return { host, session, seq, at, excerpt: excerptOf(event?.error ?? event?.text ?? "") };
    }),
  };
}

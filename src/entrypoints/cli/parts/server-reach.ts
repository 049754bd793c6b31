import type { ServerReach } from "../../../store/engine/db.ts";
import { SERVER_PATIENCE_MS } from "../../hook/patience.ts";

/** Whether the server is near enough for hooks, in a sentence. */
export interface ReachFinding {
  readonly inTime: boolean;
  readonly text: string;
  readonly hint: string | null;
}

export function describeReach({ connectMs, roundTripMs }: ServerReach): ReachFinding {
  const needed = Math.round(connectMs + STATEMENTS * roundTripMs);
  const inTime = needed <= SERVER_PATIENCE_MS;
  const trip = `round trip ${roundTripMs < 1 ? "below 1" : Math.round(roundTripMs)} ms: a hook at a call waits about ${needed} ms for the server`;
  if (inTime) return { inTime, text: `${trip}; rules arrive at the call`, hint: null };
  return {
    inTime,
    text: `${trip}, and gives up after ${SERVER_PATIENCE_MS} ms; only rules at ask and deny arrive at the call, from the local copy`,
    hint: "use a server nearer by, or a host whose hooks share one process (docs/postgres.md)",
  };
}

/** What a hook asks after it has connected, for a call that a rule matches: schema, rules, shown, evidence, records. */
const STATEMENTS = 6;

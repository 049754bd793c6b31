import type { HookEvent } from "../../observe/protocol/hook-event.ts";
import type { Db } from "../../store/engine/db.ts";
import { claimMoment } from "../../store/events/moments.ts";

/** True if this moment was not reported yet, for example by other oldhand hooks in the same host. */
export function isFirstReport(db: Db, event: HookEvent, now: number): Promise<boolean> {
  const { host, session, agent } = event;
  // Some hosts report one moment twice themselves: once to be replied to, once to be stored.
  const moment = event.only === undefined ? event.moment : `${event.moment} ${event.only}`;
  return claimMoment(db, { host, session, agent, moment, detail: momentDetail(event) }, now);
}

function momentDetail(event: HookEvent): string {
  switch (event.moment) {
    case "session-start":
      return event.source ?? "";
    case "prompt":
      return event.promptId ?? event.prompt;
    case "stop":
      return String(event.again);
    case "session-end":
      return event.reason ?? "";
    default:
      return "";
  }
}

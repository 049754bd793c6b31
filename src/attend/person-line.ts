import type { Context } from "../context.ts";
import type { HookEvent } from "../observe/protocol/hook-event.ts";
import { takeLearnedLine, wrongLine } from "../recall/learned-line.ts";
import type { DecodedPayload } from "./decode-payload.ts";

/** The line for the person, if the host can show it now. It is returned only once, so the caller must show it. */
export async function takePersonLine(
  ctx: Pick<Context, "db" | "clock" | "config">,
  { events, protocol, workspace }: Pick<DecodedPayload, "events" | "protocol" | "workspace">,
): Promise<{ readonly event: HookEvent; readonly text: string } | null> {
  const event = events.find((one) => protocol.personMoments?.includes(one.moment) && isSeenByPerson(one));
  if (event === undefined) return null;
  // One line at a time; the others follow at the next events.
  const text = (await takeLearnedLine(ctx, workspace)) ?? (await wrongLine(ctx, workspace));
  return text === null ? null : { event, text };
}

/** False for a sub-agent: no person sees its output. */
function isSeenByPerson(event: HookEvent): boolean {
  return event.agent === null && event.only !== "stored" && event.hasScreen !== false;
}

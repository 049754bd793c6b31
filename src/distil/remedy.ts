import type { Context } from "../context.ts";
import { isShellTool, mainCommand } from "../domain/shell/command.ts";
import { shellTextOf } from "../domain/shell/shell-text.ts";
import type { Event } from "../domain/event/event.ts";
import { oneLine } from "../lib/text.ts";
import { eventsByIds } from "../store/events.ts";
import { recoveriesOf } from "../store/recoveries.ts";

/** What worked after it had failed, most often. */
export interface Remedy {
  /** A command to run instead, or the tools that were used in between. */
  readonly command: string | null;
  readonly head: string | null;
  readonly through: string | null;
  readonly times: number;
}

/** A remedy of one session may be that session's. */
const LEAST_SESSIONS = 2;
/** A mistake made more often is told by its latest. */
const LOOKED_AT = 400;

export async function remedyOf(db: Context["db"], failures: readonly number[], within: number): Promise<Remedy | null> {
  const latest = failures.slice(-LOOKED_AT);
  const byId = new Map((await eventsByIds(db, latest)).map((event) => [event.id, event]));
  const found = new Map<string, { times: number; sessions: Set<string>; remedy: Omit<Remedy, "times"> }>();
  for (const { failure, through, by } of await recoveriesOf(db, latest, within)) {
    const failed = byId.get(failure);
    const remedy = failed === undefined ? null : remedyIn(failed, by, through);
    if (remedy === null) continue;
    const key = JSON.stringify(remedy);
    const known = found.get(key) ?? { times: 0, sessions: new Set<string>(), remedy };
    found.set(key, { ...known, times: known.times + 1, sessions: known.sessions.add(`${by.host} ${by.session}`) });
  }
  const [best] = [...found].toSorted((a, b) => b[1].times - a[1].times || (a[0] < b[0] ? -1 : 1));
  if (best === undefined || best[1].sessions.size < LEAST_SESSIONS) return null;
  return { ...best[1].remedy, times: best[1].times };
}

function remedyIn(failed: Event, by: Event, through: string | null): Omit<Remedy, "times"> | null {
  if (by.tool === null || !isShellTool(by.tool))
    return through === null ? null : { command: null, head: null, through };
  const [before, after] = [failed, by].map((event) => mainCommand(shellTextOf(event.input) ?? ""));
  if (!after) return null;
  if (before?.text !== after.text)
    // A head of its own is the remedy, whatever it was run on: arguments are of the one case.
    return before?.head === after.head
      ? { command: oneLine(after.text, 120), head: null, through: null }
      : { command: after.head, head: after.head, through: null };
  // Where the command itself is the same, what was put before it made the difference.
  return { command: oneLine(shellTextOf(by.input) ?? "", 120), head: null, through: null };
}

import { agentOfSession } from "../domain/event/agent-session.ts";
import { summariseCall } from "../domain/event/call-summary.ts";
import type { Event } from "../domain/event/event.ts";
import { plainName } from "../domain/trust/trust.ts";
import { MINUTE } from "../lib/clock.ts";
import { groupBy } from "../lib/group-by.ts";
import { oneLine, plural } from "../lib/text.ts";
import { listOtherSessionsEvents } from "../store/events/around-session.ts";
import type { Db } from "../store/engine/db.ts";
import { readImportedSessions, isOnlyImported } from "../store/events/imported-sessions.ts";
import type { Part } from "./compose-message.ts";
import type { Recipient } from "./message-parts.ts";

/**
 * What other live sessions of this mind did recently: for the same workspace their last actions, for others
 * only that they are at work. The subject contains the last event, so that a session is mentioned again only
 * after something new.
 */
export async function listOtherSessionParts(
  db: Db,
  to: Pick<Recipient, "host" | "session" | "workspace" | "wasOffSince">,
  when: { readonly now: number; readonly minutes: number },
): Promise<readonly Part[]> {
  const since = when.now - when.minutes * MINUTE;
  const events = await listOtherSessionsEvents(db, { host: to.host, id: to.session }, since);
  if (events.length === 0) return [];
  const imported = await readImportedSessions(db, when.now);
  const sessions: (readonly Event[])[] = [];
  for (const done of groupBySession(events).values()) {
    const last = done.at(-1);
    if (last === undefined || hasEnded(done) || isOnlyImported(imported, last)) continue;
    // The memory of a named agent is its own.
    if (agentOfSession(last) !== null) continue;
    if ((await to.wasOffSince?.(last)) !== true) sessions.push(done);
  }
  const clones = await findClones(db, to.workspace, sessions);
  const isThisFolder = (done: readonly Event[]) => done.at(-1)?.workspace === to.workspace;
  const isHere = (done: readonly Event[]) => isThisFolder(done) || clones.has(done);
  const here = sessions.filter(isHere).slice(-MOST_HERE);
  return [...here, ...joinByWorkspace(sessions.filter((done) => !isHere(done))).slice(-MOST_ELSEWHERE)].flatMap(
    (done) => {
      const last = done.at(-1);
      if (last === undefined) return [];
      const actions = done.filter((event) => event.kind === "call" || event.kind === "prompt");
      if (actions.length === 0) return [];
      const text = isHere(done)
        ? actions.slice(-MOST).map(formatAction).join("\n")
        : `${plural(actions.length, "step")} lately`;
      const place = isThisFolder(done)
        ? "in this workspace"
        : `in another ${clones.has(done) ? "clone of this workspace" : "workspace"}${quoteName(last.workspace)}`;
      const label = `session ${last.session} of ${last.host}, ${place}`;
      const subject = `${last.host} ${last.session} ${actions.at(-1)?.id}`;
      return [{ kind: "session" as const, subject, says: { label, origin: "agent" as const, text } }];
    },
  );
}

/** Sessions in other folders with the same repository. */
async function findClones(
  db: Db,
  workspace: string | null,
  sessions: readonly (readonly Event[])[],
): Promise<ReadonlySet<readonly Event[]>> {
  const clones = new Set<readonly Event[]>();
  // In a mind of one machine, folders go by their paths.
  if (db.machine === undefined || workspace === null) return clones;
  const { nameSessionWorkspace, nameWorkspace } = await import("../store/state/workspaces.ts");
  const own = await nameWorkspace(db, workspace);
  for (const done of sessions) {
    const last = done.at(-1);
    if (last?.workspace == null || last.workspace === workspace) continue;
    const { session, host } = last;
    if ((await nameSessionWorkspace(db, { session, host, workspace: last.workspace })) === own) clones.add(done);
  }
  return clones;
}

const MOST = 5;
const MOST_HERE = 3;
const MOST_ELSEWHERE = 3;

/** One line for each other workspace, however many sessions work there; the latest last. */
function joinByWorkspace(sessions: readonly (readonly Event[])[]): readonly (readonly Event[])[] {
  const groups = groupBy(sessions, (done) => done.at(-1)?.workspace ?? "");
  return [...groups.values()]
    .map((some) => some.flat().toSorted((a, b) => a.id - b.id))
    .toSorted((a, b) => (a.at(-1)?.id ?? 0) - (b.at(-1)?.id ?? 0));
}

/** A session that was resumed after its end has not ended. */
function hasEnded(done: readonly Event[]): boolean {
  const end = done.findLastIndex((event) => event.kind === "session-end");
  return end !== -1 && !done.slice(end).some((event) => event.kind === "session-start" || event.kind === "prompt");
}

function groupBySession(events: readonly Event[]): Map<string, Event[]> {
  const groups = new Map<string, Event[]>();
  for (const event of events) {
    const key = `${event.host} ${event.session}`;
    groups.set(key, [...(groups.get(key) ?? []), event]);
  }
  return groups;
}

function formatAction(event: Event): string {
  if (event.kind === "prompt") return `was asked: ${oneLine(event.text ?? "", 120)}`;
  return oneLine(`${summariseCall(event)}${event.ok === false ? " (failed)" : ""}`, 140);
}

/** A folder name is arbitrary text: it is shown in our own line only if it is a plain name. */
function quoteName(folder: string | null): string {
  const name = plainName(folder?.split(/[\\/]/).findLast(Boolean) ?? "");
  return name === null ? "" : ` (${name})`;
}

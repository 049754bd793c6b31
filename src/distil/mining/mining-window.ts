import type { Event } from "../../domain/event/event.ts";
import { scopeCovers, type Evidence, type Scope } from "../../domain/rule/rule.ts";
import type { Db } from "../../store/engine/db.ts";
import { getEventsByIds } from "../../store/events/events.ts";
import { type Cursor, readCursor } from "../../store/state/cursors.ts";
import {
  type Repeat,
  listRepeatedKeys,
  type RepeatFilter,
  type RepeatKind,
  listRepeats,
} from "../../store/derived/repeats.ts";
import { makeEvidence } from "./proposal.ts";

/** The events and limits of one mining run. */
export interface MiningWindow {
  /** Nothing older is read, in any workspace. */
  readonly since: number;
  /** The start of the window in a workspace: `mineDays` before its newest event. */
  sinceIn(workspace: string | null): number;
  readonly workspace: string | null;
  /** Makes global rules, wherever the evidence is from. */
  readonly global: boolean;
  /** Replaces each miner's own minimum count. */
  readonly minCount: number | null;
  /** About this many calls of failing groups are examined; the next run takes the other groups. */
  readonly calls: number;
  /** Only items with something new since the last run that wrote. */
  readonly isIncremental: boolean;
}

/** Something that occurred often enough, with the latest call of each session. */
export interface RecurringItem {
  readonly key: string;
  readonly times: number;
  readonly sessions: number;
  readonly events: readonly Event[];
  /** One row per session. */
  readonly rows: readonly Repeat[];
}

export async function findRecurring(
  db: Db,
  kind: RepeatKind,
  least: { readonly times: number; readonly sessions: number },
  window: MiningWindow,
): Promise<readonly RecurringItem[]> {
  const filter = await makeRepeatFilter(db, kind, window);
  const found: RecurringItem[] = [];
  for (const one of await listRepeatedKeys(db, kind, least, filter)) {
    const rows = await listRepeats(db, kind, { ...filter, after: 0 }, one.key);
    const times = rows.reduce((sum, row) => sum + row.times, 0);
    if (times < least.times || rows.length < least.sessions) continue;
    found.push({ key: one.key, times, sessions: rows.length, events: await loadRepeatEvents(db, rows), rows });
  }
  return found.filter((one) => one.events.length > 0);
}

export async function makeRepeatFilter(db: Db, kind: RepeatKind, window: MiningWindow): Promise<RepeatFilter> {
  const after = window.isIncremental ? await readCursor(db, minedCursor(kind)) : 0;
  return { since: window.since, sinceIn: window.sinceIn, workspace: window.workspace, after };
}

export function minedCursor(kind: RepeatKind): Cursor {
  return `repeats mined for ${kind}`;
}

/** Evidence cites the latest calls; older ones are only counted. */
const MAX_CITED_EVENTS = 200;

export async function loadRepeatEvents(db: Db, rows: readonly Repeat[]): Promise<readonly Event[]> {
  const events = await getEventsByIds(
    db,
    rows.slice(-MAX_CITED_EVENTS).map((row) => row.event),
  );
  return events.toSorted((a, b) => a.id - b.id);
}

export function makeRecurringEvidence(one: RecurringItem, describe?: (event: Event) => string): Evidence {
  return { ...makeEvidence(one.events, describe), observations: one.times, sessions: one.sessions };
}

/** The outermost workspace if it covers all others; else global. */
export function findCommonScope(workspaces: readonly (string | null)[], window: Pick<MiningWindow, "global">): Scope {
  const [outer] = [...new Set(workspaces)].toSorted((a, b) => (a ?? "").length - (b ?? "").length);
  if (window.global || outer === null || outer === undefined) return { kind: "global" };
  const scope: Scope = { kind: "workspace", workspace: outer };
  return workspaces.every((one) => scopeCovers(scope, one)) ? scope : { kind: "global" };
}

import type { Event } from "../domain/event/event.ts";
import { covers, type Evidence, type Scope } from "../domain/rule/rule.ts";
import type { Db } from "../store/engine/db.ts";
import { eventsByIds } from "../store/events.ts";
import { type Cursor, readCursor } from "../store/cursors.ts";
import { type Repeat, repeated, type RepeatFilter, type RepeatKind, repeatsOf } from "../store/repeats.ts";
import { evidenceOf } from "./proposal.ts";

/** What a run of the miners looks at. */
export interface Look {
  /** Nothing older is looked at in any workspace. */
  readonly since: number;
  /** Only what happened from then on: `mineDays` count back from each workspace's own newest event. */
  sinceIn(workspace: string | null): number;
  readonly workspace: string | null;
  /** Rules for everywhere, wherever the evidence is from. */
  readonly global: boolean;
  /** Instead of each miner's own number. */
  readonly minCount: number | null;
  /** Failing groups are looked at up to about so many calls; the next look takes the others. */
  readonly calls: number;
  /** Only where something came since the last run that wrote. */
  readonly fresh: boolean;
}

/** Something that came often enough, with the latest call of each session it came in. */
export interface Recurring {
  readonly key: string;
  readonly times: number;
  readonly sessions: number;
  readonly events: readonly Event[];
}

export async function recurring(
  db: Db,
  kind: RepeatKind,
  least: { readonly times: number; readonly sessions: number },
  look: Look,
): Promise<readonly Recurring[]> {
  const filter = await filterOf(db, kind, look);
  const found: Recurring[] = [];
  for (const one of await repeated(db, kind, least, filter)) {
    const rows = await repeatsOf(db, kind, { ...filter, after: 0 }, one.key);
    const times = rows.reduce((sum, row) => sum + row.times, 0);
    if (times < least.times || rows.length < least.sessions) continue;
    found.push({ key: one.key, times, sessions: rows.length, events: await eventsOf(db, rows) });
  }
  return found.filter((one) => one.events.length > 0);
}

export async function filterOf(db: Db, kind: RepeatKind, look: Look): Promise<RepeatFilter> {
  const after = look.fresh ? await readCursor(db, minedMark(kind)) : 0;
  return { since: look.since, sinceIn: look.sinceIn, workspace: look.workspace, after };
}

export function minedMark(kind: RepeatKind): Cursor {
  return `repeats mined for ${kind}`;
}

/** Evidence is cited by its latest calls; older ones are only counted. */
const LOOKED_AT = 200;

export async function eventsOf(db: Db, rows: readonly Repeat[]): Promise<readonly Event[]> {
  const events = await eventsByIds(
    db,
    rows.slice(-LOOKED_AT).map((row) => row.event),
  );
  return events.toSorted((a, b) => a.id - b.id);
}

export function evidenceFrom(one: Recurring, tell?: (event: Event) => string): Evidence {
  return { ...evidenceOf(one.events, tell), observations: one.times, sessions: one.sessions };
}

/** The outermost workspace, where it covers all; else everywhere. */
export function scopeOf(workspaces: readonly (string | null)[], look: Pick<Look, "global">): Scope {
  const [outer] = [...new Set(workspaces)].toSorted((a, b) => (a ?? "").length - (b ?? "").length);
  if (look.global || outer === null || outer === undefined) return { kind: "global" };
  const scope: Scope = { kind: "workspace", workspace: outer };
  return workspaces.every((one) => covers(scope, one)) ? scope : { kind: "global" };
}

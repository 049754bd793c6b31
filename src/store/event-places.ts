import type { Event } from "../domain/event/event.ts";
import type { Db, Narrowed, Value } from "./engine/db.ts";

/** What of an event can be looked for: who spoke, what was said, called and answered. */
export function textOfEvent(event: Event): string {
  const input = event.input === null ? "" : JSON.stringify(event.input);
  return [event.agent, event.text, event.head, input, event.error].filter(Boolean).join("\n");
}

export interface Place {
  readonly id: number;
  readonly host: string;
  readonly session: string;
  readonly seq: number;
}

/** The events stored shortly before and after others, in the order of their numbers: their neighbours, if of the same session. */
export async function placesAround(db: Db, ids: readonly number[], reach: number): Promise<Place[]> {
  const places: Place[] = [];
  const ranges = joined(ids, reach);
  for (let from = 0; from < ranges.length; from += RANGES) {
    const some = ranges.slice(from, from + RANGES);
    // A question for each: of alternatives in one, either store would make a look at every event.
    places.push(...(await db.all<Place>(some.map(() => placesIn).join(" union all "), some.flat())));
  }
  return places.toSorted((a, b) => a.id - b.id);
}

const placesIn = `select id, host, session, coalesce(seq, id) as seq from events
  where id between ? and ? and kind in ('prompt', 'answer', 'call')`;

export interface EventScope {
  readonly workspace?: string | undefined;
  readonly host?: string | undefined;
  readonly session?: string | undefined;
}

/** Of a workspace with so few events each is named: else every row with a common word would be asked where it is from. */
const FEW = 3_000;

/** The condition under which the word index looks; undefined where everything may be seen. */
export async function withinEvents(db: Db, scope: EventScope): Promise<Narrowed["within"]> {
  const { conditions, values } = conditionsOf(scope);
  if (conditions.length === 0) return undefined;
  const few = scope.workspace === undefined ? null : await fewIn(db, scope.workspace);
  if (few !== null && few.length === 0) return { sql: "1 = 0", values: [] };
  const named = few === null ? "" : `:id in (${few.map(() => "?").join(", ")}) and `;
  return {
    sql: `${named}exists (select 1 from events where events.id = :id and ${conditions.join(" and ")})`,
    values: [...(few ?? []), ...values],
  };
}

/** The digested events of a workspace; null where there are many. */
async function fewIn(db: Db, workspace: string): Promise<readonly number[] | null> {
  const rows = await db.all<{ id: number }>(
    `select e.id from session_workspaces w join events e on e.session = w.session and e.host = w.host
     where w.workspace = ? and e.workspace = ? limit ?`,
    [workspace, workspace, FEW + 1],
  );
  return rows.length > FEW ? null : rows.map((row) => row.id);
}

/** The numbers of a scope's events that may have a vector; undefined where everything may be seen. */
export async function idsInScope(db: Db, scope: EventScope): Promise<number[] | undefined> {
  const { conditions, values } = conditionsOf(scope);
  if (conditions.length === 0) return undefined;
  const where = `kind in ('prompt', 'answer', 'call') and ${conditions.join(" and ")}`;
  if (scope.workspace === undefined)
    return (await db.all<{ id: number }>(`select id from events where ${where}`, values)).map((row) => row.id);
  // By its sessions: nothing else leads to the events of a workspace.
  const rows = await db.all<{ id: number }>(
    `select events.id from (select session as in_session, host as of_host from session_workspaces where workspace = ?) w
       join events on session = in_session and host = of_host where ${where}`,
    [scope.workspace, ...values],
  );
  return rows.map((row) => row.id);
}

function conditionsOf(scope: EventScope): { readonly conditions: string[]; readonly values: Value[] } {
  const asked = (["workspace", "host", "session"] as const).flatMap((column) => {
    const value = scope[column];
    return value === undefined ? [] : [{ column, value }];
  });
  return { conditions: asked.map(({ column }) => `${column} = ?`), values: asked.map(({ value }) => value) };
}

const RANGES = 100;

function joined(ids: readonly number[], reach: number): [number, number][] {
  const ranges: [number, number][] = [];
  for (const id of ids.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && last[1] >= id - reach) last[1] = id + reach;
    else ranges.push([id - reach, id + reach]);
  }
  return ranges;
}

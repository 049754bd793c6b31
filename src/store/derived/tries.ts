import type { Event } from "../../domain/event/event.ts";
import { folderCovers } from "../../domain/workspace.ts";
import { groupBy } from "../../lib/group-by.ts";
import { tryParseJson } from "../../lib/json.ts";
import type { Db, SqlValue } from "../engine/db.ts";
import { buildFolderCondition } from "../state/folder-condition.ts";

/** A call under one of its heads (or its tool), with its session's situation before it. Derived from events. */
export interface Try {
  readonly group: string;
  readonly event: number;
  readonly result: TryResult;
  /** The traits of the situation that applied. */
  readonly state: readonly string[];
}

/** Unclear: denied or refused before it ran, or a pipe hid its result. It was tried, but the result is unknown. */
export type TryResult = "worked" | "failed" | "unclear";

const results: readonly TryResult[] = ["worked", "failed", "unclear"];

export interface TryGroup {
  readonly group: string;
  readonly failed: number;
  readonly worked: number;
  /** The number of failures when the group was last mined. */
  readonly mined: number;
}

/** Each try is counted once, even if it is added again. */
export async function addTries(tx: Db, tries: readonly Try[]): Promise<void> {
  // Ordered by group, as they are stored: adjacent rows cost less.
  const rows: SqlValue[][] = [];
  for (const [group, some] of groupBy(tries, (one) => one.group))
    for (const one of some)
      rows.push([
        group,
        one.event,
        results.indexOf(one.result),
        one.state.length === 0 ? null : JSON.stringify(one.state),
      ]);
  await tx.insertMany(
    { table: "tries", columns: ["grp", "event", "failed", "state"], tail: "on conflict (grp, event) do nothing" },
    rows,
  );
  const counts = new Map<string, { failed: number; worked: number }>();
  for (const one of tries) {
    if (one.result === "unclear") continue;
    const count = counts.get(one.group) ?? { failed: 0, worked: 0 };
    counts.set(one.group, count);
    if (one.result === "failed") count.failed++;
    else count.worked++;
  }
  await tx.insertMany(
    {
      table: "tried_groups",
      columns: ["grp", "failed", "worked", "mined"],
      tail: "on conflict (grp) do update set failed = tried_groups.failed + excluded.failed, worked = tried_groups.worked + excluded.worked",
    },
    [...counts].map(([group, { failed, worked }]) => [group, failed, worked, 0]),
  );
}

/**
 * Groups with at least this many failures; incrementally only those whose failures grew by a tenth since they
 * were last mined: fewer would change no condition.
 */
export async function listGroupsToMine(db: Db, least: number, isIncremental: boolean): Promise<readonly TryGroup[]> {
  const rows = await db.all<{ grp: string; failed: number; worked: number; mined: number }>(
    `select grp, failed, worked, mined from tried_groups where failed >= ? ${isIncremental ? "and failed > mined and failed * 10 >= mined * 11" : ""} order by grp`,
    [least],
  );
  return rows.map(({ grp, ...counts }) => ({ group: grp, ...counts }));
}

/** How many calls mining these groups reads, with a maximum per group. */
export function countTriesIn(groups: readonly TryGroup[], most: number): number {
  return groups.reduce((sum, group) => sum + Math.min(most, group.failed + group.worked), 0);
}

export async function markGroupsMined(tx: Db, groups: readonly TryGroup[]): Promise<void> {
  for (const { group, failed } of groups)
    await tx.run("update tried_groups set mined = ? where grp = ?", [failed, group]);
}

/** Lets the miners examine groups again, although no new failure came. */
export async function markGroupsUnmined(tx: Db, groups: readonly string[]): Promise<void> {
  for (const group of groups) await tx.run("update tried_groups set mined = 0 where grp = ?", [group]);
}

/** How many calls of each group worked and failed, as a text that changes with every call. */
export async function readGroupStamps(db: Db): Promise<ReadonlyMap<string, string>> {
  const rows = await db.all<{ grp: string; failed: number; worked: number }>(
    "select grp, failed, worked from tried_groups",
  );
  return new Map(rows.map(({ grp, failed, worked }) => [grp, `${failed}/${worked}`]));
}

/** A group's counts. Works also for groups with few failures. */
export async function getTryGroup(db: Db, group: string): Promise<TryGroup> {
  const row = await db.get<Omit<TryGroup, "group">>("select failed, worked, mined from tried_groups where grp = ?", [
    group,
  ]);
  return { group, ...(row ?? { failed: 0, worked: 0, mined: 0 }) };
}

/** The event of each session in which a call of the group first worked, by host and session. */
export async function listFirstWorked(db: Db, group: string): Promise<ReadonlyMap<string, number>> {
  const rows = await db.all<{ host: string; session: string; event: number | string }>(
    `select e.host, e.session, min(t.event) as event from tries t join events e on e.id = t.event
     where t.grp = ? and t.failed = ? group by e.host, e.session`,
    [group, results.indexOf("worked")],
  );
  return new Map(rows.map(({ host, session, event }) => [`${host} ${session}`, Number(event)]));
}

/** How many calls of a group worked in a folder. */
export async function workedIn(db: Db, group: string, folder: string): Promise<number> {
  const there = buildFolderCondition(folder);
  const row = await db.get<{ count: number }>(
    `select count(*) as count from tries t join events e on e.id = t.event where t.grp = ? and t.failed = ? and ${there.sql}`,
    [group, results.indexOf("worked"), ...there.values],
  );
  return row?.count ?? 0;
}

/** The fields of a call that rules need. */
export type TriedCall = Pick<
  Event,
  "id" | "host" | "session" | "seq" | "at" | "workspace" | "cwd" | "input" | "outcome" | "signature"
> & {
  readonly tool: string;
  /** The error text of a failure. */
  readonly error: string | null;
};

export interface TriedEvent {
  readonly event: TriedCall;
  readonly result: TryResult;
  readonly state: readonly string[];
}

/** Clones of one repository on several machines are one workspace (`store/state/workspaces.ts`). */
const placed = "left join session_places p on p.session = e.session and p.host = e.host and p.path = e.workspace";

const select = `select t.event, t.failed, t.state, e.host, e.session, coalesce(e.seq, e.id) as seq, e.at, e.workspace, e.cwd, p.name as place, e.tool,
    e.input, e.outcome, e.signature, case when t.failed = 1 then coalesce(e.error, e.text) end as error from tries t join events e on e.id = t.event ${placed}`;

/** The latest tries of a group, in order. Deleted calls are missing. */
export async function listTries(db: Db, group: string, limit: number): Promise<readonly TriedEvent[]> {
  const rows = await db.all<TryRow>(`${select} where t.grp = ? order by t.event desc limit ?`, [group, limit]);
  return rows.toReversed().map(fromRow);
}

/** The latest tries of a group in one workspace, newest first. */
export async function listTriesIn(
  db: Db,
  group: string,
  { workspace, limit }: { readonly workspace: string; readonly limit: number },
): Promise<readonly TriedEvent[]> {
  const rows = await db.all<TryRow>(
    `${select} where t.grp = ? and (e.workspace = ? or p.name = ?) order by t.event desc limit ?`,
    [group, workspace, workspace, limit],
  );
  return rows.map(fromRow);
}

/** The latest tries of a group per workspace with enough failures, so that a busy one does not hide the others. */
export async function listTriesByWorkspace(
  db: Db,
  group: string,
  { least, limit }: { readonly least: number; readonly limit: number },
): Promise<readonly TriedEvent[]> {
  const workspaces = await db.all<{ workspace: string | null }>(
    `select e.workspace from tries t join events e on e.id = t.event where t.grp = ? and t.failed = 1
     group by e.workspace having count(*) >= ? order by max(t.event) desc limit ${MOST_WORKSPACES}`,
    [group, least],
  );
  const found: TriedEvent[] = [];
  for (const { workspace } of workspaces) {
    const rows = await db.all<TryRow>(
      `${select} where t.grp = ? and e.workspace ${workspace === null ? "is null" : "= ?"} order by t.event desc limit ?`,
      [group, ...(workspace === null ? [] : [workspace]), limit],
    );
    found.push(...rows.map(fromRow));
  }
  return found.toSorted((a, b) => a.event.id - b.event.id);
}

const MOST_WORKSPACES = 50;

/** A try whose call is not parsed yet, because few need to be. */
export interface UnreadTry {
  readonly id: number;
  readonly host: string;
  readonly session: string;
  readonly at: number;
  readonly workspace: string | null;
  readonly result: TryResult;
  readonly state: readonly string[];
  /** Stored JSON. */
  readonly input: string;
  /** For a failure: its output's length, its duration, and the calls until its recovery. */
  readonly cost: { readonly characters: number; readonly ms: number; readonly calls: number };
  /** For a failure: the start and the end of its error. */
  readonly error: string;
  readonly signature: string | null;
  /** The call as matchers see it. */
  call(): Pick<TriedCall, "tool" | "input" | "cwd" | "workspace">;
}

/** The tries of a group in a range of events, in order, one page. */
export async function listTriesBetween(
  db: Db,
  group: string,
  range: { readonly after: number; readonly upTo: number },
  limit: number,
): Promise<readonly UnreadTry[]> {
  const rows = await db.all<UnreadRow>(
    `select t.event, t.failed, t.state, e.host, e.session, e.at, e.workspace, p.name as place, e.cwd, e.input, ${costs}
     from tries t join events e on e.id = t.event ${placed} ${recovered} where t.grp = ? and t.event > ? and t.event <= ? order by t.event limit ?`,
    [group, range.after, range.upTo, limit],
  );
  return rows.map((row) => ({
    id: row.event,
    host: row.host,
    session: row.session,
    at: row.at,
    workspace: row.place ?? row.workspace,
    result: results[row.failed] ?? "worked",
    state: parseStates(row.state),
    input: row.input ?? "",
    cost: { characters: row.characters ?? 0, ms: Number(row.ms ?? 0), calls: row.calls ?? 0 },
    error: row.error ?? "",
    signature: row.signature ?? null,
    call: () => ({
      tool: group.startsWith("shell ") ? "bash" : group,
      input: row.input === null || row.input === undefined ? null : tryParseJson(row.input),
      ...placeOf({ workspace: row.workspace, cwd: row.cwd ?? null, place: row.place }),
    }),
  }));
}

/** The cause may stand at the end of a long error. */
function startAndEnd(text: string): string {
  return `case when length(${text}) <= 4000 then ${text} else substr(${text}, 1, 2000) || '\n' || substr(${text}, length(${text}) - 1999) end`;
}

/** Only for failures: other outputs are many and long. */
const costs = `case when t.failed = 1 then length(coalesce(e.error, e.text)) end as characters,
    case when t.failed = 1 then e.duration_ms end as ms,
    case when t.failed = 1 then ${startAndEnd("coalesce(e.error, e.text)")} end as error,
    case when t.failed = 1 then e.signature end as signature, r.calls`;
const recovered = "left join recoveries r on r.failure = t.event and t.failed = 1";

type UnreadRow = Pick<TryRow, "event" | "failed" | "state" | "host" | "session" | "at" | "workspace" | "place"> &
  Partial<Pick<TryRow, "cwd" | "input">> & {
    readonly characters?: number | null;
    readonly ms?: number | null;
    readonly calls?: number | null;
    readonly error?: string | null;
    readonly signature?: string | null;
  };

const none: readonly string[] = [];

function parseStates(state: string | null): readonly string[] {
  return state === null ? none : (JSON.parse(state) as string[]);
}

export async function listGroupNames(db: Db): Promise<readonly string[]> {
  return (await db.all<{ grp: string }>("select grp from tried_groups order by grp")).map((row) => row.grp);
}

/** Removes the tries of purged events from the counts, and groups without any tries. */
export async function removeTries(tx: Db, events: readonly number[]): Promise<void> {
  for (let from = 0; from < events.length; from += CHUNK) {
    const some = events.slice(from, from + CHUNK);
    const list = some.map(() => "?").join(", ");
    const rows = await tx.all<{ grp: string; failed: number; count: number }>(
      `select grp, failed, count(*) as count from tries where event in (${list}) group by grp, failed`,
      some,
    );
    await tx.run(`delete from tries where event in (${list})`, some);
    for (const { grp, failed, count } of rows) {
      const counted = results[failed];
      if (counted === "failed" || counted === "worked")
        await tx.run(`update tried_groups set ${counted} = ${counted} - ? where grp = ?`, [count, grp]);
    }
  }
  await tx.run(
    "delete from tried_groups where failed <= 0 and worked <= 0 and not exists (select 1 from tries where tries.grp = tried_groups.grp)",
  );
}

const CHUNK = 500;

interface TryRow {
  event: number;
  failed: number;
  state: string | null;
  host: string;
  session: string;
  seq: number;
  at: number;
  workspace: string | null;
  cwd: string | null;
  place: string | null;
  tool: string | null;
  input: string | null;
  outcome: string | null;
  signature: string | null;
  error: string | null;
}

/** The folder of a call, in the workspace's first clone. */
function placeOf({ workspace, cwd, place }: Pick<TryRow, "workspace" | "cwd" | "place">): {
  readonly workspace: string | null;
  readonly cwd: string | null;
} {
  if (place === null || workspace === null) return { workspace, cwd };
  const isInside = cwd !== null && folderCovers(workspace, cwd);
  return { workspace: place, cwd: isInside ? place + cwd.slice(workspace.length) : cwd };
}

function fromRow(row: TryRow): TriedEvent {
  const { event, failed, state, tool, input, outcome, place, workspace, cwd, ...rest } = row;
  return {
    event: {
      ...rest,
      ...placeOf({ workspace, cwd, place }),
      id: event,
      outcome: outcome as Event["outcome"],
      tool: tool ?? "",
      input: input === null ? null : tryParseJson(input),
    },
    result: results[failed] ?? "worked",
    state: parseStates(state),
  };
}

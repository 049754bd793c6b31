import { type Event, isFailure } from "../../domain/event/event.ts";
import { hasCallWorked } from "../../domain/fact/fact-tracker.ts";
import { isFactExpired, mayConcernFact, refutesFact } from "../../domain/fact/fact.ts";
import { findFactAlternative, MAX_ALTERNATIVE_DISTANCE } from "../../domain/fact/fact-alternative.ts";
import { findCallNeeds } from "../../domain/fact/call-needs.ts";
import { findFactsInFailure } from "../../domain/fact/read-failure.ts";
import { groupBy } from "../../lib/group-by.ts";
import { cursors, readCursor } from "../state/cursors.ts";
import type { Db } from "../engine/db.ts";
import { getEventsByIds } from "../events/events.ts";
import { listLatestFailureIds } from "./failures.ts";
import { addFacts, dropFact, type FactRow, listFactRows, trimFacts } from "./facts.ts";
import { readMeta, writeMeta } from "../state/meta.ts";

/** Limited, because calls are compared with all facts of their workspace. */
const MOST_IN_WORKSPACE = 300;

/**
 * Adds the facts that new events show, and drops those they refute. `calls`: earlier and new calls of each
 * session, in order, because what worked instead of a failure may come in a later batch.
 */
export async function foldFacts(
  tx: Db,
  events: readonly Event[],
  calls: ReadonlyMap<string, readonly Event[]> = new Map(),
): Promise<void> {
  const fresh = groupBy(events, sessionKey);
  const around = (event: Event) => {
    const [before, own] = [calls.get(sessionKey(event)) ?? [], fresh.get(sessionKey(event)) ?? []];
    return own.length > before.length ? own : before;
  };
  const books = new Map<string, WorkspaceFacts>();
  for (const event of events) {
    const { workspace, tool } = event;
    if (event.kind !== "call" || workspace === null || tool === null) continue;
    const book = books.get(workspace) ?? (await loadWorkspaceFacts(tx, workspace));
    books.set(workspace, book);
    const call = { ...event, tool };
    if (isFailure(event)) await book.learn(call);
    else if (book.size() > 0) book.unlearn(call, around(event));
  }
  for (const [workspace, book] of books) {
    await book.write();
    if (book.size() > MOST_IN_WORKSPACE) await trimFacts(tx, workspace, MOST_IN_WORKSPACE);
  }
}

function sessionKey({ host, session }: Event): string {
  return `${host} ${session}`;
}

type Call = Event & { readonly tool: string };

interface WorkspaceFacts {
  size(): number;
  learn(call: Call): Promise<void>;
  unlearn(call: Call, session: readonly Event[]): void;
  write(): Promise<void>;
}

async function loadWorkspaceFacts(tx: Db, workspace: string): Promise<WorkspaceFacts> {
  const known = new Map<string, FactRow>();
  const keyOf = (row: FactRow) => JSON.stringify([row.kind, row.subject, row.session, row.host]);
  for (const row of await listFactRows(tx, workspace)) known.set(keyOf(row), row);
  const changed = new Set<string>();
  const gone = new Map<string, FactRow>();
  const drop = (row: FactRow) => {
    for (const [key, one] of known) if (one.kind === row.kind && one.subject === row.subject) known.delete(key);
    gone.set(`${row.kind} ${row.subject}`, row);
  };
  return {
    size: () => known.size,
    learn: async (call) => {
      for (const fact of findFactsInFailure(call, call.error ?? "")) {
        const row = { ...fact, workspace, host: call.host, session: call.session, event: call.id, at: call.at };
        const key = keyOf({ ...row, instead: null });
        known.set(key, { ...row, instead: known.get(key)?.instead ?? null });
        changed.add(key);
      }
    },
    unlearn: (call, session) => {
      const text = JSON.stringify(call.input) ?? "";
      // An imported call from before the failure refutes nothing.
      const rows = [...known].filter(([, row]) => row.at <= call.at && row.event < call.id);
      for (const [, row] of rows) if (isFactExpired(row, call.at)) drop(row);
      const open = rows.filter(([key]) => known.has(key));
      const concerned = open.filter(([, row]) => mayConcernFact(row, text));
      if (concerned.length > 0 && hasCallWorked(call)) {
        const worked = findCallNeeds(call);
        for (const [, row] of concerned) if (refutesFact(row, worked)) drop(row);
      }
      for (const [key, row] of open) {
        const instead = known.has(key) && row.instead === null ? findReplacement(row, call, session) : null;
        if (instead === null) continue;
        known.set(key, { ...row, instead });
        changed.add(key);
      }
    },
    write: async () => {
      for (const row of gone.values()) await dropFact(tx, row);
      await addFacts(
        tx,
        [...changed].flatMap((key) => known.get(key) ?? []),
      );
    },
  };
}

/** What the session used instead, soon after it met the fact. */
function findReplacement(row: FactRow, worked: Call, session: readonly Event[]): string | null {
  if (row.session !== worked.session || row.host !== worked.host || worked.outcome !== "ok") return null;
  const from = session.findIndex((one) => one.id === row.event);
  const to = session.findIndex((one) => one.id === worked.id);
  const failed = session[from];
  if (failed === undefined || failed.tool === null || to <= from || to - from > MAX_ALTERNATIVE_DISTANCE) return null;
  if (failed.agent !== worked.agent || !hasCallWorked(worked)) return null;
  return findFactAlternative(row, { ...failed, tool: failed.tool }, worked);
}

const FACTS_MADE = "facts made";
/** Older failures say little about the workspace now. */
const MOST_FAILURES = 2_000;
const CHUNK = 500;

/** For a mind digested before facts existed: adds those of its latest failures. A later check drops outdated ones. */
export async function backfillFacts(db: Db): Promise<void> {
  if ((await readMeta(db, FACTS_MADE)) !== null) return;
  await db.tx(async (tx) => {
    const digested = await readCursor(tx, cursors.digested);
    const failures = digested === 0 ? [] : await listLatestFailureIds(tx, MOST_FAILURES);
    for (let from = 0; from < failures.length; from += CHUNK)
      await foldFacts(tx, await getEventsByIds(tx, failures.slice(from, from + CHUNK)));
    await writeMeta(tx, FACTS_MADE, "1");
  });
}

import { type Event, isFailure } from "../domain/event/event.ts";
import { hasWorked } from "../domain/fact/book.ts";
import { isOver, mayConcern, refutes } from "../domain/fact/fact.ts";
import { insteadIn, MOST_APART } from "../domain/fact/instead.ts";
import { needsOf } from "../domain/fact/needs.ts";
import { factsShownBy } from "../domain/fact/read-failure.ts";
import { grouped } from "../lib/grouped.ts";
import { cursors, readCursor } from "./cursors.ts";
import type { Db } from "./engine/db.ts";
import { eventsByIds } from "./events.ts";
import { latestFailures } from "./failures.ts";
import { addFacts, dropFact, type FactRow, factRows, trimFacts } from "./facts.ts";
import { readMeta, writeMeta } from "./meta.ts";

/** Calls are compared with all facts of their workspace. */
const MOST_IN_WORKSPACE = 300;

/**
 * What new events show of their workspaces, and what of that they refute. `calls`: of each session, in order, what came
 * before them as well: what worked instead of a failure may come in a later batch.
 */
export async function foldFacts(
  tx: Db,
  events: readonly Event[],
  calls: ReadonlyMap<string, readonly Event[]> = new Map(),
): Promise<void> {
  const fresh = grouped(events, sessionOf);
  const around = (event: Event) => {
    const [before, own] = [calls.get(sessionOf(event)) ?? [], fresh.get(sessionOf(event)) ?? []];
    return own.length > before.length ? own : before;
  };
  const books = new Map<string, Book>();
  for (const event of events) {
    const { workspace, tool } = event;
    if (event.kind !== "call" || workspace === null || tool === null) continue;
    const book = books.get(workspace) ?? (await openBook(tx, workspace));
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

function sessionOf({ host, session }: Event): string {
  return `${host} ${session}`;
}

type Call = Event & { readonly tool: string };

interface Book {
  size(): number;
  learn(call: Call): Promise<void>;
  unlearn(call: Call, session: readonly Event[]): void;
  write(): Promise<void>;
}

async function openBook(tx: Db, workspace: string): Promise<Book> {
  const known = new Map<string, FactRow>();
  const keyOf = (row: FactRow) => JSON.stringify([row.kind, row.subject, row.session, row.host]);
  for (const row of await factRows(tx, workspace)) known.set(keyOf(row), row);
  const changed = new Set<string>();
  const gone = new Map<string, FactRow>();
  const drop = (row: FactRow) => {
    for (const [key, one] of known) if (one.kind === row.kind && one.subject === row.subject) known.delete(key);
    gone.set(`${row.kind} ${row.subject}`, row);
  };
  return {
    size: () => known.size,
    learn: async (call) => {
      for (const fact of factsShownBy(call, call.error ?? "")) {
        const row = { ...fact, workspace, host: call.host, session: call.session, event: call.id, at: call.at };
        const key = keyOf({ ...row, instead: null });
        known.set(key, { ...row, instead: known.get(key)?.instead ?? null });
        changed.add(key);
      }
    },
    unlearn: (call, session) => {
      const text = JSON.stringify(call.input) ?? "";
      // What an old record says of a time before the failure refutes nothing.
      const rows = [...known].filter(([, row]) => row.at <= call.at && row.event < call.id);
      for (const [, row] of rows) if (isOver(row, call.at)) drop(row);
      const open = rows.filter(([key]) => known.has(key));
      const concerned = open.filter(([, row]) => mayConcern(row, text));
      if (concerned.length > 0 && hasWorked(call)) {
        const worked = needsOf(call);
        for (const [, row] of concerned) if (refutes(row, worked)) drop(row);
      }
      for (const [key, row] of open) {
        const instead = known.has(key) && row.instead === null ? insteadFor(row, call, session) : null;
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

/** What a session did soon after it met the fact. */
function insteadFor(row: FactRow, worked: Call, session: readonly Event[]): string | null {
  if (row.session !== worked.session || row.host !== worked.host || worked.outcome !== "ok") return null;
  const from = session.findIndex((one) => one.id === row.event);
  const to = session.findIndex((one) => one.id === worked.id);
  const failed = session[from];
  if (failed === undefined || failed.tool === null || to <= from || to - from > MOST_APART) return null;
  if (failed.agent !== worked.agent || !hasWorked(worked)) return null;
  return insteadIn(row, { ...failed, tool: failed.tool }, worked);
}

const MADE = "facts made";
/** Older failures than these tell little of how a workspace is now. */
const MOST_FAILURES = 2_000;
const CHUNK = 500;

/** Of a mind that was digested before there were facts: those of its latest failures. What no longer holds goes when it is looked at. */
export async function makeFactsOnce(db: Db): Promise<void> {
  if ((await readMeta(db, MADE)) !== null) return;
  await db.tx(async (tx) => {
    const digested = await readCursor(tx, cursors.digested);
    const failures = digested === 0 ? [] : await latestFailures(tx, MOST_FAILURES);
    for (let from = 0; from < failures.length; from += CHUNK)
      await foldFacts(tx, await eventsByIds(tx, failures.slice(from, from + CHUNK)));
    await writeMeta(tx, MADE, "1");
  });
}

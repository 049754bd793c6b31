import { agentOfSession } from "../../domain/event/agent-session.ts";
import {
  type CitedCall,
  isLearnedOnlyFrom,
  markPurged,
  removePurgedCalls,
} from "../../domain/rule/lifecycle/purged-evidence.ts";
import { removeSubSessions } from "../chat/chat-sessions.ts";
import { countForgottenEntries, forgetChatsBefore, listChatsWithoutEvents } from "../chat/forget-chat.ts";
import type { Db } from "../engine/db.ts";
import { removeFromEpisodes } from "./episodes.ts";
import { listDigestedSessionEvents } from "../events/events.ts";
import { notePendingScrub } from "../state/scrub-forgotten.ts";
import { type Provenance, applyAllChanges, planChange } from "../journal/journal.ts";
import { cursors, readCursor } from "../state/cursors.ts";
import {
  buildPurgeCondition,
  buildSessionConditions,
  listPurgedIds,
  type PurgeScope,
  type TouchedSession,
  listTouchedSessions,
} from "../events/purge-scope.ts";
import { removeEvents } from "./remove-events.ts";
import { rewritePast } from "./rewrite-past.ts";
import { listRules, ruleNoun } from "../nouns/rules.ts";
import { foldIntoSessions } from "../sessions/sessions.ts";
import { tables } from "../state/tables.ts";
import { putTombstones } from "../events/tombstones.ts";
import { removeTries } from "../derived/tries.ts";

/** What a purge deletes, and what remains that was derived from it. */
export interface PurgeReport {
  /** Rows per table; tables without any are left out. */
  readonly counts: Readonly<Record<string, number>>;
  readonly sessions: { readonly whole: number; readonly partly: number };
  /** They stay, without the purged calls. `only`: none of their evidence remains. */
  readonly rules: readonly {
    readonly id: string;
    readonly text: string;
    readonly cited: number;
    readonly only: boolean;
  }[];
  /** They stay unchanged; each can be forgotten by its id. */
  readonly stays: readonly { readonly id: string; readonly text: string }[];
}

/** What would be deleted; changes nothing. The digest must be up to date. */
export function previewPurge(db: Db, scope: PurgeScope): Promise<PurgeReport> {
  return db.snapshot(async (view) => describePurge(view, scope, await listAllTouched(view, scope)));
}

/** All in one transaction. `scrubForgotten` removes the bytes from the store's files. Cannot be undone. */
export function purgeEvents(db: Db, scope: PurgeScope, by: Provenance): Promise<PurgeReport> {
  return db.tx(async (tx) => {
    const touched = await listAllTouched(tx, scope);
    const report = await describePurge(tx, scope, touched);
    const ids = await listPurgedIds(tx, scope);
    await removeCitedCalls(tx, await findPurgedCalls(tx, scope, touched), by);
    await removeTries(tx, ids);
    await removeEvents(tx, ids);
    const gone = touched.filter((one) => one.gone);
    await dropWordsAboutCalls(tx, touched);
    await dropSessions(tx, gone);
    for (const { id } of gone) await removeSubSessions(tx, id);
    await forgetChatsBefore(tx, scope);
    for (const session of touched) if (!session.gone) await refoldSession(tx, session, ids);
    const upTo = (one: TouchedSession) =>
      scope.before === undefined ? (one.gone ? by.at : one.last) : scope.before - 1;
    await putTombstones(
      tx,
      touched.map((one) => ({ host: one.host, session: one.id, upTo: upTo(one) })),
    );
    await notePendingScrub(tx, "everything");
    return report;
  });
}

async function listAllTouched(db: Db, scope: PurgeScope): Promise<readonly TouchedSession[]> {
  return [...(await listTouchedSessions(db, scope)), ...(await listChatsWithoutEvents(db, scope))];
}

async function describePurge(db: Db, scope: PurgeScope, touched: readonly TouchedSession[]): Promise<PurgeReport> {
  const gone = touched.filter((one) => one.gone);
  const calls = await findPurgedCalls(db, scope, touched);
  const rules = (await listRules(db)).flatMap((rule) => {
    const cited = rule.evidence.refs.filter(calls).length;
    return cited === 0 ? [] : [{ id: rule.id, text: rule.text, cited, only: isLearnedOnlyFrom(rule, calls) }];
  });
  return {
    counts: await countRows(db, scope, gone),
    sessions: { whole: gone.length, partly: touched.length - gone.length },
    rules,
    stays: await listWhatStays(db, scope, gone),
  };
}

async function countRows(db: Db, scope: PurgeScope, gone: readonly TouchedSession[]): Promise<Record<string, number>> {
  const { sql, values } = buildPurgeCondition(scope);
  const counts: Record<string, number> = {};
  const add = async (name: string, where: string, given: typeof values) => {
    const row = await db.get<{ count: number }>(`select count(*) as count from ${name} where ${where}`, given);
    if ((row?.count ?? 0) > 0) counts[name] = (counts[name] ?? 0) + (row?.count ?? 0);
  };
  for (const { name, events, session } of tables) {
    const ofEvents = events?.map((column) => `${column} in (select id from events where ${sql})`).join(" or ");
    if (ofEvents !== undefined)
      await add(
        name,
        ofEvents,
        (events ?? []).flatMap(() => values),
      );
    // A row that names an event and a session is deleted with its event.
    else if (session?.purge === "delete")
      for (const part of buildSessionConditions(gone, session)) await add(name, part.sql, part.values);
  }
  const partly = await countForgottenEntries(db, scope, new Set(gone.map(({ id }) => id)));
  if (partly > 0) counts["chat_entries"] = (counts["chat_entries"] ?? 0) + partly;
  return counts;
}

/** Memories that agents marked in the purged events, and ledger entries that name a purged session. */
async function listWhatStays(
  db: Db,
  scope: PurgeScope,
  gone: readonly TouchedSession[],
): Promise<PurgeReport["stays"]> {
  const { sql, values } = buildPurgeCondition(scope);
  const stays: { id: string; text: string }[] = await db.all(
    `select distinct memories.id, memories.text from memories join journal on journal.noun = 'memory' and journal.subject = memories.id
     where journal.cause_kind = 'event'
       and journal.cause_id in (select cast(id as text) from events where ${sql}) order by memories.id`,
    values,
  );
  const ids = new Set(gone.map((one) => one.id));
  for (const table of ["mistakes", "wins"])
    for (const row of await db.all<{ id: string; text: string; session: string }>(
      `select id, what as text, session from ${table} where session is not null order by id`,
    ))
      if (ids.has(row.session)) stays.push({ id: row.id, text: row.text });
  return stays;
}

/** Returns a check whether a cited call is purged. */
async function findPurgedCalls(
  db: Db,
  scope: PurgeScope,
  touched: readonly TouchedSession[],
): Promise<(ref: CitedCall) => boolean> {
  const keyOf = (one: { readonly host: string; readonly session: string; readonly seq?: number }) =>
    JSON.stringify([one.host, one.session, one.seq ?? null]);
  const gone = new Set(touched.filter((one) => one.gone).map((one) => keyOf({ host: one.host, session: one.id })));
  const partly = new Set<string>();
  for (const session of touched.filter((one) => !one.gone)) {
    const { sql, values } = buildPurgeCondition({ ...scope, session });
    for (const row of await db.all<{ host: string; session: string; seq: number }>(
      `select host, session, coalesce(seq, id) as seq from events where ${sql}`,
      values,
    ))
      partly.add(keyOf(row));
  }
  return (ref) => gone.has(keyOf({ host: ref.host, session: ref.session })) || partly.has(keyOf(ref));
}

/** Removes purged calls from rules and their journal; the removal itself becomes a change. */
async function removeCitedCalls(tx: Db, isPurged: (ref: CitedCall) => boolean, by: Provenance): Promise<void> {
  const cited = (await listRules(tx)).map((rule) => ({
    id: rule.id,
    count: rule.evidence.refs.filter(isPurged).length,
  }));
  await rewritePast(tx, ruleNoun, (rule) => ({ ...rule, evidence: removePurgedCalls(rule.evidence, isPurged) }));
  const counts = new Map(cited.map((one) => [one.id, one.count]));
  const changed = (await listRules(tx)).filter((rule) => (counts.get(rule.id) ?? 0) > 0);
  await applyAllChanges(
    tx,
    changed.map(({ id }) => planChange(ruleNoun, id, by, (rule) => rule && markPurged(rule, counts.get(id) ?? 0))),
  );
}

/**
 * What was said about model calls of these sessions, and the working memory of named agents, which repeats their events. A
 * session that is not purged as a whole loses all of both: neither tells which events it is about.
 */
async function dropWordsAboutCalls(tx: Db, touched: readonly TouchedSession[]): Promise<void> {
  for (const { host, id } of touched) {
    await tx.run(
      "update model_quality set note = null where note is not null and call in (select id from model_calls where session = ?)",
      [id],
    );
    if (agentOfSession({ host, session: id }) !== null)
      await tx.run("delete from kv where space = ?", [`working ${id}`]);
  }
}

async function dropSessions(tx: Db, gone: readonly TouchedSession[]): Promise<void> {
  for (const { name, session } of tables) {
    if (session === undefined) continue;
    const { id, host, purge } = session;
    for (const part of buildSessionConditions(gone, session))
      await tx.run(
        purge === "delete"
          ? `delete from ${name} where ${part.sql}`
          : `update ${name} set ${id} = null${host === null ? "" : `, ${host} = null`} where ${part.sql}`,
        part.values,
      );
  }
  for (const { host, id } of gone) {
    await tx.run("delete from kv where space = ? or space = ?", [`working ${id}`, `advice ${host} ${id}`]);
    // Files named after the session. If they are read again, the tombstone rejects their events.
    await tx.run("delete from kv where space like '% transcripts' and replace(key, ?, '') <> key", [id]);
    await tx.run("delete from imports where replace(path, ?, '') <> path", [id]);
  }
}

/** Recomputes a session's row from its remaining events. */
async function refoldSession(tx: Db, session: TouchedSession, ids: readonly number[]): Promise<void> {
  const whose = [session.id, session.host];
  await tx.run("delete from sessions where id = ? and host = ?", whose);
  await tx.run("delete from session_summaries where session = ? and host = ?", whose);
  await removeFromEpisodes(tx, session, new Set(ids));
  const upTo = await readCursor(tx, cursors.digested);
  for (let after = 0; ;) {
    const page = await listDigestedSessionEvents(tx, session, { after, upTo, limit: PAGE });
    await foldIntoSessions(
      tx,
      page.filter((event) => event.kind !== "correction"),
    );
    after = page.at(-1)?.id ?? after;
    if (page.length < PAGE) return;
  }
}

const PAGE = 2_000;

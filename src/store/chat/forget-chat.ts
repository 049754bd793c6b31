import { AGENT_HOST } from "../../domain/event/agent-session.ts";
import { isRecord, tryParseJson } from "../../lib/json.ts";
import type { Db, SqlValue } from "../engine/db.ts";
import type { PurgeScope, TouchedSession } from "../events/purge-scope.ts";
import { buildFolderCondition, type SqlCondition } from "../state/folder-condition.ts";

/** Sessions of oldhand's own agent without any event, as where observation is off: they are forgotten too. */
export async function listChatsWithoutEvents(db: Db, scope: PurgeScope): Promise<readonly TouchedSession[]> {
  const { sql, values } = buildChatCondition(scope);
  const before =
    scope.before === undefined ? { sql: "", values: [] } : { sql: "and used_at < ?", values: [scope.before] };
  const rows = await db.all<{ readonly id: string; readonly last: number }>(
    `select id, used_at as last from chat_sessions where parent is null and ${sql} ${before.sql}
     and not exists (select 1 from events where events.session = chat_sessions.id and events.host = ?)
     and not exists (select 1 from sessions where sessions.id = chat_sessions.id and sessions.host = ?)`,
    [...values, ...before.values, AGENT_HOST, AGENT_HOST],
  );
  return rows.map(({ id, last }) => ({ host: AGENT_HOST, id, last, gone: true }));
}

/**
 * Forgets what sessions that stay contain from before a time. Each entry keeps its number, so that a process which has
 * the session open can go on; nothing of it is sent or shown any more. A yes that covers later calls stays, without
 * its details.
 */
export async function forgetChatsBefore(tx: Db, scope: PurgeScope): Promise<void> {
  const { before } = scope;
  if (before === undefined) return;
  const { sql, values } = buildChatCondition(scope);
  const sessions = `select id from chat_sessions where at < ? and ${sql}`;
  const whose: readonly SqlValue[] = [before, ...values];
  const entries = await tx.all<{ readonly session: string; readonly seq: number; readonly data: string }>(
    `select session, seq, data from chat_entries where at < ? and kind <> 'forgotten' and session in (${sessions})`,
    [before, ...whose],
  );
  for (const { session, seq, data } of entries) {
    const details = tryParseJson(data);
    const turn = isRecord(details) && typeof details["turn"] === "number" ? details["turn"] : 0;
    await tx.run("update chat_entries set kind = 'forgotten', data = ? where session = ? and seq = ?", [
      JSON.stringify({ turn }),
      session,
      seq,
    ]);
  }
  await tx.run(`update chat_sessions set title = '' where at < ? and ${sql}`, whose);
  await tx.run(`delete from chat_inbox where at < ? and session in (${sessions})`, [before, ...whose]);
  await tx.run(`delete from checkpoints where at < ? and session in (${sessions})`, [before, ...whose]);
  const standing = "status = 'approved' and grants in ('session', 'always')";
  await tx.run(`delete from approvals where at < ? and not (${standing}) and session in (${sessions})`, [
    before,
    ...whose,
  ]);
  await tx.run(
    `update approvals set summary = action, detail = '' where at < ? and ${standing} and session in (${sessions})`,
    [before, ...whose],
  );
}

/** How many entries `forgetChatsBefore` forgets of sessions that stay. */
export async function countForgottenEntries(db: Db, scope: PurgeScope, gone: ReadonlySet<string>): Promise<number> {
  const { before } = scope;
  if (before === undefined) return 0;
  const { sql, values } = buildChatCondition(scope);
  const rows = await db.all<{ readonly session: string; readonly count: number }>(
    `select session, count(*) as count from chat_entries where at < ? and kind <> 'forgotten'
     and session in (select id from chat_sessions where at < ? and ${sql}) group by session`,
    [before, before, ...values],
  );
  return rows.reduce((sum, { session, count }) => (gone.has(session) ? sum : sum + count), 0);
}

/** Of the rows of `chat_sessions`; sub-agents' sessions go with the session that started them. */
function buildChatCondition({ session, workspace }: PurgeScope): SqlCondition {
  const parts: SqlCondition[] = [];
  if (session !== undefined) {
    const isOurs = session.host === AGENT_HOST;
    parts.push({
      sql: isOurs ? "(id = ? or parent = ?)" : "id is null",
      values: isOurs ? [session.id, session.id] : [],
    });
  }
  if (workspace !== undefined) parts.push(buildFolderCondition(workspace));
  if (parts.length === 0) return { sql: "id is not null", values: [] };
  return { sql: parts.map((one) => one.sql).join(" and "), values: parts.flatMap((one) => one.values) };
}

import type { FailureCost, HoldEvidence } from "../../domain/rule/delivery/hold.ts";
import type { BacktestTally } from "../../domain/rule/promote.ts";
import { type ChanceCall, countChances, type LastChanceCall } from "../../domain/proof/chances.ts";
import { isWish } from "../../domain/rule/backing.ts";
import type { Evidence, Matcher, Origin, Scope } from "../../domain/rule/rule.ts";
import { hashText } from "../../lib/hash.ts";
import { stableJson } from "../../lib/json.ts";
import type { Db } from "../engine/db.ts";
import { tallyDeliveries } from "./reinforcements.ts";

/** One session's counts for one rule. Derived from events. */
export interface RuleSession {
  readonly rule: string;
  readonly host: string;
  readonly session: string;
  /** Time of the first opportunity. */
  readonly at: number;
  readonly opportunities: number;
  readonly attempts: number;
  /** Failures with the rule's own cause. */
  readonly failed: number;
  /** The other attempts failed with another cause, or are unclear: held back, or hidden by a pipe. */
  readonly worked: number;
  /** First attempts, and how many of them made the mistake; null if the session was counted by an earlier version. */
  readonly chances: number | null;
  readonly mistakes: number | null;
}

/** The same during counting, with the cost of its failures if known. */
export type CountedSession = Omit<RuleSession, "rule" | "chances" | "mistakes"> & {
  readonly cost?: FailureCost;
  /** Its opportunities, in order; absent if only their number is known. */
  readonly calls?: readonly ChanceCall[];
};

/** What was counted: another matcher or scope concerns other calls. */
interface CountedRule {
  readonly id: string;
  readonly matcher: Matcher;
  readonly scope?: Scope;
  readonly origin?: Origin;
  readonly evidence?: Pick<Evidence, "overturned">;
  readonly signature?: string | null;
}

/** Up to which event a rule was counted, and with which matcher and scope. */
export interface RuleCursor {
  readonly matcher: string;
  readonly upTo: number;
}

/**
 * The event up to which a rule was counted; 0 if its matcher or scope changed. Locked until the transaction ends:
 * otherwise two processes of a server would add the same calls twice. Lock several in the order of their ids.
 */
export async function lockRuleCursor(tx: Db, rule: CountedRule): Promise<number> {
  await tx.run(
    `insert into rule_marks (rule, matcher, up_to, recent, changed) values (?, '', 0, 0, 0)
     on conflict (rule) do update set matcher = rule_marks.matcher`,
    [rule.id],
  );
  return getCursorPosition((await readRuleCursors(tx, rule.id)).get(rule.id), rule);
}

/** The cursors of one rule, or of all. */
export async function readRuleCursors(db: Db, rule: string | null = null): Promise<ReadonlyMap<string, RuleCursor>> {
  const select = "select rule, matcher, up_to from rule_marks";
  type MarkRow = { readonly rule: string; readonly matcher: string; readonly up_to: number };
  const rows =
    rule === null ? await db.all<MarkRow>(select) : await db.all<MarkRow>(`${select} where rule = ?`, [rule]);
  return new Map(rows.map((row) => [row.rule, { matcher: row.matcher, upTo: row.up_to }]));
}

export function getCursorPosition(cursor: RuleCursor | undefined, rule: Omit<CountedRule, "id">): number {
  return cursor?.matcher === serializeCounted(rule) ? cursor.upTo : 0;
}

function serializeCounted({ matcher, scope, evidence }: Omit<CountedRule, "id">): string {
  const since = evidence?.overturned === undefined ? "" : ` since ${evidence.overturned}`;
  return `${stableJson(matcher)}${scope?.kind === "workspace" ? ` ${scope.workspace}` : ""}${since}`;
}

/** Adds what was counted since the cursor; from 0 on, replaces earlier counts. */
export async function addRuleSessions(
  tx: Db,
  rule: CountedRule,
  counted: {
    readonly from: number;
    readonly upTo: number;
    readonly recentSince: number;
    readonly sessions: readonly CountedSession[];
  },
): Promise<void> {
  if (counted.from === 0) await tx.run("delete from rule_sessions where rule = ?", [rule.id]);
  const last =
    counted.from === 0 ? new Map<string, LastChanceCall>() : await readLastCalls(tx, rule.id, counted.sessions);
  const everyMistake = isWish({ origin: rule.origin ?? "owner", signature: rule.signature ?? null });
  await tx.insertMany(
    {
      table: "rule_sessions",
      columns: ["rule", "host", "session", "at", ...sums, "last_call"],
      tail: `on conflict (rule, session, host) do update set last_call = excluded.last_call,
        ${sums.map((sum) => `${sum} = rule_sessions.${sum} + excluded.${sum}`).join(", ")}`,
    },
    counted.sessions.map((one) => {
      const before = last.get(`${one.host} ${one.session}`) ?? null;
      const { chances, mistakes, last: now } = countChances(one.calls ?? [], { last: before, everyMistake });
      return [
        rule.id,
        one.host,
        one.session,
        one.at,
        one.opportunities,
        one.attempts,
        one.failed,
        one.worked,
        one.cost?.failures ?? 0,
        one.cost?.characters ?? 0,
        one.cost?.ms ?? 0,
        one.cost?.calls ?? 0,
        one.calls === undefined ? null : chances,
        one.calls === undefined ? null : mistakes,
        now === null ? null : `${now.isOpen ? OPEN : ""}${now.key}`,
      ];
    }),
  );
  const row = await tx.get<{ count: number | null }>(
    "select sum(opportunities) as count from rule_sessions where rule = ? and at >= ?",
    [rule.id, counted.recentSince],
  );
  await tx.run(
    `insert into rule_marks (rule, matcher, up_to, recent, changed) values (?, ?, ?, ?, ?)
     on conflict (rule) do update set matcher = excluded.matcher, up_to = excluded.up_to, recent = excluded.recent,
       changed = rule_marks.changed + excluded.changed`,
    [
      rule.id,
      serializeCounted(rule),
      counted.upTo,
      Number(row?.count ?? 0),
      counted.from === 0 || counted.sessions.length > 0 ? 1 : 0,
    ],
  );
}

/** Before the key of a call that was not corrected yet. */
const OPEN = "open ";
const CHUNK = 400;

/** The last calls of these sessions in earlier counts, by host and session. */
async function readLastCalls(
  tx: Db,
  rule: string,
  sessions: readonly Pick<CountedSession, "session">[],
): Promise<ReadonlyMap<string, LastChanceCall>> {
  const found = new Map<string, LastChanceCall>();
  for (let from = 0; from < sessions.length; from += CHUNK) {
    const some = sessions.slice(from, from + CHUNK).map(({ session }) => session);
    const rows = await tx.all<{ host: string; session: string; last_call: string }>(
      `select host, session, last_call from rule_sessions
       where rule = ? and last_call is not null and session in (${some.map(() => "?").join(", ")})`,
      [rule, ...some],
    );
    for (const { host, session, last_call: call } of rows) {
      const isOpen = call.startsWith(OPEN);
      found.set(`${host} ${session}`, { key: isOpen ? call.slice(OPEN.length) : call, isOpen });
    }
  }
  return found;
}

/** Failures with another cause than the rule's. */
const otherwise = "case when costed > failed then costed - failed else 0 end";

/** Columns that are added up when a session is counted again. */
const sums = [
  "opportunities",
  "attempts",
  "failed",
  "worked",
  "costed",
  "characters",
  "ms",
  "lost_calls",
  // Null and a number are null: of a session that an earlier version began to count, they stay unknown.
  "chances",
  "mistakes",
] as const;

/** The number of recent opportunities, and since when some sessions are randomly not shown the rule. */
export interface HoldoutState {
  readonly recent: number;
  readonly heldSince: number | null;
}

/** The states of one rule, or of all. */
export async function readHoldoutStates(
  db: Db,
  rule: string | null = null,
): Promise<ReadonlyMap<string, HoldoutState>> {
  const rows = await db.all<{ rule: string; recent: number; held_since: number | null }>(
    `select rule, recent, held_since from rule_marks ${rule === null ? "" : "where rule = ?"}`,
    rule === null ? [] : [rule],
  );
  return new Map(rows.map((row) => [row.rule, { recent: row.recent, heldSince: row.held_since }]));
}

export async function startHoldout(tx: Db, rule: string, since: number): Promise<void> {
  await tx.run("update rule_marks set held_since = ? where rule = ?", [since, rule]);
}

export function listRuleSessions(db: Db, rule: string): Promise<RuleSession[]> {
  return db.all<RuleSession>(
    `select rule, host, session, at, opportunities, attempts, failed, worked, chances, mistakes from rule_sessions
     where rule = ? order by at, session, host`,
    [rule],
  );
}

/** A conclusion about a rule is valid as long as both are unchanged. */
export interface RuleStamp {
  /** Its last change in the journal. */
  readonly change: number;
  /** Version of its counts: the matcher, the number of changes, the start of the holdout. */
  readonly counts: string;
}

export async function readRuleStamps(db: Db): Promise<ReadonlyMap<string, RuleStamp>> {
  const changes = await db.all<{ subject: string; id: number }>(
    "select subject, max(id) as id from journal where noun = 'rule' group by subject",
  );
  const cursors = await db.all<{ rule: string; matcher: string; changed: number; held_since: number | null }>(
    "select rule, matcher, changed, held_since from rule_marks",
  );
  const counts = new Map(
    cursors.map((cursor) => [
      cursor.rule,
      `${cursor.changed} ${cursor.held_since ?? ""} ${hashText(cursor.matcher).slice(0, 8)}`,
    ]),
  );
  return new Map(changes.map(({ subject, id }) => [subject, { change: id, counts: counts.get(subject) ?? "" }]));
}

export interface RuleTotals {
  readonly opportunities: number;
  readonly attempts: number;
  readonly failed: number;
  readonly worked: number;
  /** Failures with other causes. */
  readonly otherwise: number;
  /** Sessions in which it failed. */
  readonly sessions: number;
  /** Sessions with an opportunity. */
  readonly met: number;
  /** The first opportunity of the latest session. */
  readonly last: number;
}

/**
 * The totals of one rule, or of all. Of a learned rule that is valid everywhere, outcomes count only in workspaces where
 * the call failed: after a success, it speaks only there.
 */
export async function readRuleTotals(db: Db, rule: string | null = null): Promise<ReadonlyMap<string, RuleTotals>> {
  const rows = await db.all<Record<keyof RuleTotals, Sum> & { rule: string }>(
    `select rule, sum(opportunities) as opportunities, sum(met) as met, max(last) as last, sum(failed) as failed, sum(sessions) as sessions,
       sum(case when ${speaksThere} then attempts else 0 end) as attempts,
       sum(case when ${speaksThere} then worked else 0 end) as worked,
       sum(case when ${speaksThere} then otherwise else 0 end) as otherwise
     from (
       select s.rule, rules.scope, rules.origin, sum(s.opportunities) as opportunities, sum(s.attempts) as attempts, sum(s.failed) as failed,
         sum(s.worked) as worked, sum(${otherwise}) as otherwise, sum(case when s.failed > 0 then 1 else 0 end) as sessions,
         count(*) as met, max(s.at) as last
       from rule_sessions s left join rules on rules.id = s.rule
         left join sessions on sessions.id = s.session and sessions.host = s.host
       ${rule === null ? "" : "where s.rule = ?"} group by s.rule, rules.scope, rules.origin, sessions.workspace
     ) places group by rule order by rule`,
    rule === null ? [] : [rule],
  );
  return new Map(rows.map(({ rule, ...totals }) => [rule, toNumbers(totals)]));
}

/** Of a row with what a rule's calls came to in one workspace. */
const speaksThere = `(failed > 0 or scope is null or scope <> '{"kind":"global"}' or origin <> 'tool')`;

/** The backtest from all calls that a rule matches; a failure with another cause is a false alarm. */
export function toBacktestTally(
  totals: Pick<RuleTotals, "failed" | "worked" | "otherwise" | "sessions">,
): BacktestTally {
  const { failed, worked, otherwise, sessions } = totals;
  return { hits: failed, falseAlarms: worked + otherwise, sessions };
}

/** PostgreSQL returns sums as text. */
function toNumbers(totals: Record<keyof RuleTotals, Sum>): RuleTotals {
  return {
    opportunities: Number(totals.opportunities),
    attempts: Number(totals.attempts),
    failed: Number(totals.failed),
    worked: Number(totals.worked),
    otherwise: Number(totals.otherwise),
    sessions: Number(totals.sessions),
    met: Number(totals.met),
    last: Number(totals.last),
  };
}

/** A version per counted rule that changes with its counts. */
export async function readCountVersions(db: Db): Promise<ReadonlyMap<string, string>> {
  const rows = await db.all<{ rule: string; changed: number }>("select rule, changed from rule_marks");
  return new Map(rows.map(({ rule, changed }) => [rule, String(changed)]));
}

/**
 * The outcomes of a rule's calls in sessions since then. For a global rule only in workspaces where it
 * failed: elsewhere the first success silences it.
 */
export async function tallyCallsSince(
  db: Db,
  rule: { readonly id: string; readonly scope: Scope },
  since: number,
  until = Number.MAX_SAFE_INTEGER,
): Promise<BacktestTally> {
  const rows = await db.all<Readonly<Record<"failed" | "worked" | "sessions", Sum>>>(
    `select sum(s.failed) as failed, sum(s.worked + ${otherwise}) as worked, sum(case when s.failed > 0 then 1 else 0 end) as sessions
     from rule_sessions s left join sessions on sessions.id = s.session and sessions.host = s.host
     where s.rule = ? and s.at >= ? and s.at <= ? group by sessions.workspace`,
    [rule.id, since, until],
  );
  const sums = rule.scope.kind === "global" ? rows.filter((row) => Number(row.failed) > 0) : rows;
  const sum = (of: "failed" | "worked" | "sessions") => sums.reduce((all, row) => all + Number(row[of] ?? 0), 0);
  return { hits: sum("failed"), falseAlarms: sum("worked"), sessions: sum("sessions") };
}

/** The outcomes of the latest sessions that made a rule's call, the newest first. */
export function listLatestOutcomes(
  db: Db,
  rule: string,
  limit: number,
): Promise<readonly Pick<RuleSession, "attempts" | "worked">[]> {
  return db.all(
    "select attempts, worked from rule_sessions where rule = ? and attempts > 0 order by at desc, session desc limit ?",
    [rule, limit],
  );
}

/**
 * Whether such a call worked in any workspace, and whether it failed in this one, as far as sessions were counted.
 */
export async function readOutcomesOf(
  db: Db,
  rule: string,
  workspace: string,
): Promise<{ readonly hasWorked: boolean; readonly hasFailedHere: boolean }> {
  const row = await db.get<Readonly<Record<"worked" | "failed", Sum>>>(
    `select sum(s.worked) as worked, sum(case when sessions.workspace = ? then s.failed else 0 end) as failed
     from rule_sessions s join sessions on sessions.id = s.session and sessions.host = s.host
     where s.rule = ? and sessions.workspace is not null`,
    [workspace, rule],
  );
  return { hasWorked: Number(row?.worked ?? 0) > 0, hasFailedHere: Number(row?.failed ?? 0) > 0 };
}

/** The outcomes of a rule's calls, the failures since its proposal, and what sessions did after they were shown it. */
export async function readHoldEvidence(db: Db, rule: string): Promise<HoldEvidence> {
  return { ...(await readHoldCounts(db, rule)), deliveries: await tallyDeliveries(db, rule) };
}

/** The same for a call, which waits: without a failure no hold is sure enough to weigh how it is followed. */
export async function readHoldEvidenceAtCall(db: Db, rule: string): Promise<HoldEvidence> {
  const counts = await readHoldCounts(db, rule);
  return { ...counts, deliveries: counts.failed === 0 ? [] : await tallyDeliveries(db, rule) };
}

async function readHoldCounts(db: Db, rule: string): Promise<Omit<HoldEvidence, "deliveries">> {
  const row = await db.get<
    Readonly<Record<"failed" | "worked" | "since" | "costed" | "characters" | "ms" | "lost", Sum>>
  >(
    `select sum(failed) as failed, sum(case when ${speaksThere} then worked else 0 end) as worked, sum(since) as since,
       sum(costed) as costed, sum(characters) as characters, sum(ms) as ms, sum(lost) as lost
     from (
       select rules.scope, rules.origin, sum(s.failed) as failed, sum(s.worked + ${otherwise}) as worked,
         sum(case when s.at >= rules.created_at then s.failed else 0 end) as since,
         sum(s.costed) as costed, sum(s.characters) as characters, sum(s.ms) as ms, sum(s.lost_calls) as lost
       from rule_sessions s join rules on rules.id = s.rule
         left join sessions on sessions.id = s.session and sessions.host = s.host
       where s.rule = ? group by rules.scope, rules.origin, sessions.workspace
     ) places`,
    [rule],
  );
  return {
    failed: Number(row?.failed ?? 0),
    worked: Number(row?.worked ?? 0),
    failedSince: Number(row?.since ?? 0),
    cost: {
      failures: Number(row?.costed ?? 0),
      characters: Number(row?.characters ?? 0),
      ms: Number(row?.ms ?? 0),
      calls: Number(row?.lost ?? 0),
    },
  };
}

/** Null without rows; PostgreSQL returns text. */
type Sum = number | string | null;

import type { Delivery } from "../../domain/rule/delivery/delivery.ts";
import type { CallNotice } from "../../domain/rule/delivery/hold.ts";
import type { Level } from "../../domain/rule/rule.ts";
import type { Db } from "../engine/db.ts";
import { buildFolderCondition } from "../state/folder-condition.ts";

export type ShownMoment = "session-start" | "prompt" | "before-call" | "after-failure" | "stop";

/** What may be shown to a session. `start` marks where its context was cleared or resumed. */
export type ShownKind =
  | "rule"
  | "fact"
  | "memory"
  | "entry"
  | "handoff"
  | "session"
  | "reminder"
  | "identity"
  | "answer"
  | "messages"
  | "start";

/** The context was cleared: it contains nothing shown before. */
export const CONTEXT_RESTARTED = "anew";
/** The context is the old one, but what was shown with calls is far back. */
export const CONTEXT_RESUMED = "resumed";

/** What was shown to which session, and when. */
export interface ShownRecord {
  readonly at: number;
  readonly host: string;
  readonly session: string;
  readonly rule: string;
  readonly moment: ShownMoment;
  readonly level: Level;
  readonly tokens: number;
  readonly delivery: Delivery;
}

/** The same for any kind. */
export interface ShownPart {
  readonly kind: ShownKind;
  readonly subject: string;
  readonly level: Level;
  readonly tokens: number;
  /** Default: note. */
  readonly delivery?: Delivery;
}

/** One agent of a session: the main agent if `agent` is null, else a sub-agent, which has its own context. */
export interface AgentKey {
  readonly host: string;
  readonly session: string;
  readonly agent: string | null;
}

/** The only function that records what was shown. A shown memory counts as used. */
export async function recordShownParts(
  db: Db,
  to: Pick<ShownRecord, "at" | "host" | "session" | "moment"> & {
    readonly agent?: string | null;
    /** For a hold, a key by which equal calls are recognised; else the call's uid. */
    readonly call?: string | null;
  },
  parts: readonly ShownPart[],
): Promise<void> {
  await db.insertMany(
    {
      table: "shown",
      columns: ["at", "host", "session", "kind", "subject", "moment", "level", "tokens", "delivery", "agent", "call"],
    },
    parts.map(({ kind, subject, level, tokens, delivery = "note" }) => {
      const { at, host, session, moment, agent = null, call = null } = to;
      return [at, host, session, kind, subject, moment, level, tokens, delivery, agent, call];
    }),
  );
  const memories = parts.filter((part) => part.kind === "memory").map((part) => part.subject);
  if (memories.length === 0) return;
  const { recordMemoryUses } = await import("./memory-uses.ts");
  await recordMemoryUses(db, memories, { at: to.at, kind: "recalled", host: to.host, session: to.session });
}

/**
 * Records it if `isDue` accepts what was shown so far; returns whether it did. Hooks of one batch run
 * concurrently: each sees what the earlier ones recorded.
 */
export function recordShownIfDue(
  db: Db,
  to: Parameters<typeof recordShownParts>[1] & AgentKey,
  parts: readonly ShownPart[],
  isDue: (shown: ShownAtCalls) => boolean,
): Promise<boolean> {
  return db.tx(async (tx) => {
    if (tx.dialect.lockShown !== null) await tx.run(tx.dialect.lockShown);
    if (!isDue(await readShownAtCalls(tx, to))) return false;
    await recordShownParts(tx, to, parts);
    return true;
  });
}

/** Ids of the rules that came as a note with this very call. */
export async function listRulesShownWith(
  db: Db,
  { host, session, uid }: { readonly host: string; readonly session: string; readonly uid: string },
): Promise<readonly string[]> {
  const rows = await db.all<{ subject: string }>(
    `select subject from shown where session = ? and host = ? and call = ?
       and kind = 'rule' and moment = 'before-call' and delivery = 'note' and level <> 'watch' order by id`,
    [session, host, uid],
  );
  return rows.map(({ subject }) => subject);
}

/** The agent has read its holds: an equal call is now a repeat, not another call of the batch that was held. */
export async function closeHolds(db: Db, { host, session, agent }: AgentKey): Promise<void> {
  await db.run(
    `update shown set call = null
     where session = ? and host = ? and coalesce(agent, '') = ? and kind = 'rule' and delivery = 'hold'`,
    [session, host, agent ?? ""],
  );
}

/** What an agent was shown at its calls. */
export interface ShownAtCalls {
  /** Rules shown since its start or resumption. Those shown at session start do not count: rules work at the call. */
  readonly rules: ReadonlySet<string>;
  /** All notices of a rule in the session, oldest first: a hold stays used up even if the context was cleared. */
  readonly ofRule: (rule: string) => readonly CallNotice[];
}

export async function readShownAtCalls(db: Db, { host, session, agent }: AgentKey): Promise<ShownAtCalls> {
  const rows = await db.all<{ kind: string; subject: string; at: number; delivery: string; call: string | null }>(
    `select kind, subject, at, delivery, call from shown
     where session = ? and host = ? and coalesce(agent, '') = ?
       and (kind = 'start' or (kind = 'rule' and moment in ('before-call', 'after-failure'))) order by id`,
    [session, host, agent ?? ""],
  );
  const began = rows.findLastIndex((row) => row.kind === "start") + 1;
  return {
    rules: new Set(rows.slice(began).map((row) => row.subject)),
    ofRule: (rule) =>
      rows
        .filter(({ kind, subject, delivery }, at) => {
          return kind === "rule" && subject === rule && (at >= began || delivery === "hold");
        })
        .map(({ at, delivery, call }) => ({ at, isHold: delivery === "hold", call })),
  };
}

export interface ShownSoFar {
  /** `kind subject` of everything that is still in its context. */
  readonly parts: ReadonlySet<string>;
  readonly tokens: number;
}

/** What the session's main agent was shown since its context was last cleared. */
export async function readShownSoFar(db: Db, host: string, session: string): Promise<ShownSoFar> {
  const rows = await db.all<{ kind: string; subject: string; tokens: number }>(
    "select kind, subject, tokens from shown where session = ? and host = ? and agent is null order by id",
    [session, host],
  );
  const since = rows.slice(rows.findLastIndex((row) => row.kind === "start" && row.subject === CONTEXT_RESTARTED) + 1);
  return {
    parts: new Set(since.map((row) => `${row.kind} ${row.subject}`)),
    tokens: since.reduce((sum, row) => sum + row.tokens, 0),
  };
}

/** When each rule was last shown. */
export async function readLastShownTimes(db: Db): Promise<ReadonlyMap<string, number>> {
  const rows = await db.all<{ rule: string; at: number }>(
    "select subject as rule, max(at) as at from shown where kind = 'rule' group by subject",
  );
  return new Map(rows.map((row) => [row.rule, row.at]));
}

/** A rule that was shown to a session, and the result once counted. */
export interface ShownRule extends ShownRecord {
  /** Null if the rule was forgotten since. */
  readonly text: string | null;
  /** Null until the session is quiet and counted, and if the rule was wrong. */
  readonly broken: boolean | null;
}

/** Newest first; of one rule, of one session, or of all. */
export async function listShownRules(
  db: Db,
  wanted: {
    readonly rule?: string | undefined;
    readonly session?: string | undefined;
    /** Only sessions of these workspaces. */
    readonly within?: readonly string[] | undefined;
    readonly limit: number;
  },
): Promise<ShownRule[]> {
  const of = [
    ...(wanted.rule === undefined ? [] : [["s.subject = ?", wanted.rule] as const]),
    ...(wanted.session === undefined ? [] : [["s.session = ?", wanted.session] as const]),
  ];
  const there = wanted.within?.map(buildFolderCondition);
  const where = [
    "s.kind = 'rule'",
    ...of.map(([test]) => test),
    ...(there === undefined
      ? []
      : [`(s.host, s.session) in (select host, id from sessions where ${there.map(({ sql }) => sql).join(" or ")})`]),
  ].join(" and ");
  const rows = await db.all<Omit<ShownRule, "broken"> & { broken: number | null }>(
    `select s.at, s.host, s.session, s.subject as rule, s.moment, s.level, s.tokens, s.delivery, rules.text, nullif(r.broken, 2) as broken
     from shown s
     left join rules on rules.id = s.subject
     left join reinforced r on r.rule = s.subject and r.session = s.session and r.host = s.host
     where ${where} order by s.id desc limit ?`,
    [...of.map(([, value]) => value), ...(there ?? []).flatMap(({ values }) => values), wanted.limit],
  );
  return rows.map((row) => ({ ...row, broken: row.broken === null ? null : row.broken === 1 }));
}

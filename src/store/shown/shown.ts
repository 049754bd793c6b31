import type { Delivery } from "../../domain/rule/delivery.ts";
import type { CallNotice } from "../../domain/rule/hold.ts";
import type { Level } from "../../domain/rule/rule.ts";
import type { Db } from "../engine/db.ts";
import { buildFolderCondition } from "../state/folder-condition.ts";

export type ShownMoment = "session-start" | "prompt" | "before-call" | "after-failure" | "stop";

/** What may be put before a session. `start` marks where its context started over, or where it was resumed. */
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
  | "start";

/** The context started over: what came before is gone from it. */
export const CONTEXT_RESTARTED = "anew";
/** The context is the old one, but what was said with its calls lies far back. */
export const CONTEXT_RESUMED = "resumed";

/** What was put in front of which session, and when. */
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

/** The same, of anything. */
export interface ShownPart {
  readonly kind: ShownKind;
  readonly subject: string;
  readonly level: Level;
  readonly tokens: number;
  /** A note where nothing is said. */
  readonly delivery?: Delivery;
}

/** One agent of a session: the session's own where `agent` is null, else a sub-agent, which has a context of its own. */
export interface AgentKey {
  readonly host: string;
  readonly session: string;
  readonly agent: string | null;
}

/** The one way in which it is written down that something was shown; a memory was used by that. */
export async function recordShownParts(
  db: Db,
  to: Pick<ShownRecord, "at" | "host" | "session" | "moment"> & {
    readonly agent?: string | null;
    /** The name of the call it came with, where equal calls must be known; of a fact, the call's own. */
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
 * Records it where `isDue` says so of what was said by then; whether it did. Hooks of one batch run at once: each sees what
 * those before it have recorded.
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

/** What was said to an agent with the calls that rules warn against. */
export interface ShownAtCalls {
  /** The rules said since it began or was resumed. Told at its start they count for nothing here: at the call is where they work. */
  readonly rules: ReadonlySet<string>;
  /** Of each rule, all that was said in the session, oldest first: a hold is spent, also when the context started over. */
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
  /** `kind subject`, of everything its context still holds. */
  readonly parts: ReadonlySet<string>;
  readonly tokens: number;
}

/** What a session's own agent has before it, since its context last started over. */
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

/** When each rule was last put before anybody. */
export async function readLastShownTimes(db: Db): Promise<ReadonlyMap<string, number>> {
  const rows = await db.all<{ rule: string; at: number }>(
    "select subject as rule, max(at) as at from shown where kind = 'rule' group by subject",
  );
  return new Map(rows.map((row) => [row.rule, row.at]));
}

/** A rule that was put before a session, and what the session made of it once it was counted. */
export interface ShownRule extends ShownRecord {
  /** Null where the rule was forgotten since. */
  readonly text: string | null;
  /** Null until the session has gone quiet and was counted, and where the rule was wrong. */
  readonly broken: boolean | null;
}

/** Newest first; of one rule, of one session, or of all. */
export async function listShownRules(
  db: Db,
  wanted: {
    readonly rule?: string | undefined;
    readonly session?: string | undefined;
    /** Only before sessions of these workspaces. */
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

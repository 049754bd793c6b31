import {
  type Doubt,
  type Evidence,
  type Matcher,
  type Rule,
  type RuleRemedy,
  type ActiveRule,
  type Scope,
  listCoveringScopes,
  silentLevel,
  activeStatuses,
} from "../../domain/rule/rule.ts";
import type { Db } from "../engine/db.ts";
import type { Noun } from "./noun.ts";

const columns =
  "id, text, status, level, confidence, salience, origin, scope, signature, matcher, evidence, pinned, merged_into, created_at, doubt";

export async function getRule(db: Db, id: string): Promise<Rule | null> {
  const row = await db.get<RuleRow>(`select ${columns} from rules where id = ?`, [id]);
  return row ? fromRow(row) : null;
}

export async function listRules(db: Db): Promise<Rule[]> {
  const rows = await db.all<RuleRow>(`select ${columns} from rules order by created_at, id`);
  return rows.map(fromRow);
}

/** Rules that their owner muted or rejected, whose scope covers the workspace. */
export async function listDismissedRules(db: Db, workspace: string): Promise<readonly Rule[]> {
  const scopes = listCoveringScopes(workspace).map(serializeRuleScope);
  const own = serializeRuleScope({ kind: "workspace", workspace });
  const shared = db.machine === undefined ? null : await import("../state/shared-scopes.ts");
  const within = shared?.buildScopeCondition(db, { scopes, own, workspace }) ?? {
    sql: `scope in (${placeholders(scopes)})`,
    values: scopes,
  };
  const rows = await db.all<RuleRow>(
    `select ${columns} from rules where status in ('muted', 'rejected') and ${within.sql} order by created_at, id`,
    within.values,
  );
  return rows.map(fromRow);
}

/** What the law said about a rule's remedy; null for rules of earlier versions, and rules not from failed calls. */
export async function readRuleRemedy(db: Db, id: string): Promise<RuleRemedy | null> {
  const row = await db.get<Pick<RuleRow, "evidence">>("select evidence from rules where id = ?", [id]);
  return row ? ((JSON.parse(row.evidence) as Evidence).remedy ?? null) : null;
}

/** The speaking rules whose scope covers the workspace, with only the fields needed to show them. */
export async function listActiveRules(db: Db, workspace: string | null): Promise<readonly ActiveRule[]> {
  return (await listActiveRulesAndFactNames(db, workspace)).rules;
}

/** What is read before every call. */
export interface ActiveListing {
  readonly rules: readonly ActiveRule[];
  /** The names of the workspace's facts. */
  readonly factNames: readonly string[];
  /** Null for a file, where a statement costs less than to read what few calls need. */
  readonly ahead: ReadAhead | null;
}

/** What a server is asked for with the rules, because each further question costs a round trip. */
export interface ReadAhead {
  /** The number of the last change of the mind. */
  readonly journal: number;
  /** True if this machine is known to have a repository in the workspace's folder. */
  readonly isKnownPlace: boolean;
  /** All unused overrides. */
  readonly overrides: readonly OpenOverride[];
}

export interface OpenOverride {
  readonly id: string;
  readonly rule: string;
}

/** The same, with the names of the workspace's facts: one statement for both, because it runs before every call. */
export async function listActiveRulesAndFactNames(db: Db, workspace: string | null): Promise<ActiveListing> {
  const scopes = listCoveringScopes(workspace).map(serializeRuleScope);
  const shared = db.machine === undefined ? null : await import("../state/shared-scopes.ts");
  const own = serializeRuleScope({ kind: "workspace", workspace: workspace ?? "" });
  const within = shared?.buildScopeCondition(db, { scopes, own, workspace }) ?? {
    sql: `scope in (${placeholders(scopes)})`,
    values: scopes,
  };
  const facts = shared?.buildPathCondition(db, workspace ?? "") ?? { sql: "workspace = ?", values: [workspace ?? ""] };
  const ahead = shared?.buildReadAhead(db, workspace) ?? { sql: "", values: [] };
  const rows = await db.all<ActiveRuleRow>(
    `select id, text, status, level, salience, origin, scope, signature, matcher, created_at from rules
     where status in (${placeholders(activeStatuses)}) and level <> ? and ${within.sql}
     union all select distinct '', name, '', '', 0, '', '', null, null, 0 from facts where ${facts.sql}
     ${ahead.sql}
     order by created_at, id`,
    [...activeStatuses, silentLevel, ...within.values, ...facts.values, ...ahead.values],
  );
  const found = rows.filter(({ id }) => id !== "");
  return {
    rules: (shared?.moveHere(found, { scopes, own, workspace }) ?? found).map(toActiveRule),
    factNames: rows.filter(({ id, status }) => id === "" && status === "").map((row) => row.text),
    ahead: shared?.toReadAhead(rows) ?? null,
  };
}

function placeholders(values: readonly string[]): string {
  return values.map(() => "?").join(", ");
}

/** Always the same text for the same scope: rules are queried by it. */
export function serializeRuleScope(scope: Scope): string {
  return JSON.stringify(
    scope.kind === "global" ? { kind: "global" } : { kind: "workspace", workspace: scope.workspace },
  );
}

/** Only the journal calls these: a rule never changes without an entry. */
export const ruleNoun: Noun<Rule> = {
  name: "rule",
  read: getRule,
  write: async (db, id, rule) => {
    if (rule === null) {
      await db.run("delete from rules where id = ?", [id]);
      return;
    }
    await db.run(
      `insert into rules (${columns}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       on conflict (id) do update set
         text = excluded.text, status = excluded.status, level = excluded.level, confidence = excluded.confidence,
         salience = excluded.salience, origin = excluded.origin, scope = excluded.scope, signature = excluded.signature,
         matcher = excluded.matcher, evidence = excluded.evidence, pinned = excluded.pinned, merged_into = excluded.merged_into,
         created_at = excluded.created_at, doubt = excluded.doubt`,
      [
        id,
        rule.text,
        rule.status,
        rule.level,
        rule.confidence,
        rule.salience,
        rule.origin,
        serializeRuleScope(rule.scope),
        rule.signature,
        rule.matcher === null ? null : JSON.stringify(rule.matcher),
        JSON.stringify(rule.evidence),
        rule.pinned ? 1 : 0,
        rule.mergedInto,
        rule.createdAt,
        rule.doubt === undefined ? null : JSON.stringify(rule.doubt),
      ],
    );
  },
  all: listRules,
  dependants: async (db, id) => {
    const rows = await db.all<{ id: string }>("select id from rules where merged_into = ? order by id", [id]);
    return rows.map((row) => `rule ${row.id}`);
  },
};

interface RuleRow {
  id: string;
  text: string;
  status: string;
  level: string;
  confidence: number;
  salience: number;
  origin: string;
  scope: string;
  signature: string | null;
  matcher: string | null;
  evidence: string;
  pinned: number;
  merged_into: string | null;
  created_at: number;
  doubt: string | null;
}

function fromRow(row: RuleRow): Rule {
  return {
    ...toActiveRule(row),
    confidence: row.confidence,
    evidence: JSON.parse(row.evidence) as Evidence,
    pinned: row.pinned === 1,
    mergedInto: row.merged_into,
    createdAt: row.created_at,
    ...(row.doubt === null ? {} : { doubt: JSON.parse(row.doubt) as Doubt }),
  };
}

type ActiveRuleRow = Pick<RuleRow, keyof ActiveRule>;

function toActiveRule(row: ActiveRuleRow): ActiveRule {
  return {
    id: row.id,
    text: row.text,
    status: row.status as Rule["status"],
    level: row.level as Rule["level"],
    salience: row.salience,
    origin: row.origin as Rule["origin"],
    scope: JSON.parse(row.scope) as Scope,
    signature: row.signature,
    matcher: row.matcher === null ? null : (JSON.parse(row.matcher) as Matcher),
  };
}

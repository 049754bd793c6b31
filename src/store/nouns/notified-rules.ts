import { type Rule, listCoveringScopes } from "../../domain/rule/rule.ts";
import { tryParseJson } from "../../lib/json.ts";
import type { Db } from "../engine/db.ts";
import { readMeta, writeMeta } from "../state/meta.ts";
import { serializeRuleScope } from "./rules.ts";

/** Ids of the rules that the user was notified of, in `meta`. */
const KEY = "told rules";

/** The owner in the journal's notation. A hook does not load the parser for it. */
const OWNER = /^owner(?: on |$)/;

export async function filterUnnotifiedRules(db: Db, rules: readonly string[]): Promise<readonly string[]> {
  if (rules.length === 0) return [];
  const notified = parseNotified(await readMeta(db, KEY));
  return rules.filter((rule) => !notified.has(rule));
}

/** Returns them and marks them as notified; of two concurrent callers, only one gets each. */
export function takeUnnotifiedRules(db: Db, rules: readonly string[]): Promise<readonly string[]> {
  return db.tx(async (tx) => {
    // Writing first makes a concurrent caller wait here.
    await tx.run("insert into meta (key, value) values (?, '[]') on conflict (key) do update set value = meta.value", [
      KEY,
    ]);
    const notified = parseNotified(await readMeta(tx, KEY));
    const untold = rules.filter((rule) => !notified.has(rule));
    await writeMeta(tx, KEY, JSON.stringify([...notified, ...untold]));
    return untold;
  });
}

/** True if a rule was mined without the owner: rules the owner wrote or mined by command are known to them. */
export async function isMinedAutomatically(db: Db, rule: string): Promise<boolean> {
  const made = await db.get<{ actor: string; cause_id: string | null }>(
    "select actor, cause_id from journal where noun = 'rule' and subject = ? order by id limit 1",
    [rule],
  );
  return made?.cause_id === "distil" && !OWNER.test(made.actor);
}

/** The undecided rules whose scope covers the workspace. */
export function listCandidatesIn(
  db: Db,
  workspace: string | null,
): Promise<Pick<Rule, "id" | "signature" | "text" | "origin">[]> {
  const scopes = listCoveringScopes(workspace).map(serializeRuleScope);
  return db.all(
    `select id, signature, text, origin from rules where status = 'candidate' and scope in (${scopes.map(() => "?").join(", ")})`,
    scopes,
  );
}

function parseNotified(value: string | null): ReadonlySet<string> {
  const ids = tryParseJson(value ?? "[]");
  return new Set(Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : []);
}

import { type Rule, listCoveringScopes } from "../../domain/rule/rule.ts";
import { tryParseJson } from "../../lib/json.ts";
import type { Db } from "../engine/db.ts";
import { readMeta, writeMeta } from "../state/meta.ts";
import { serializeRuleScope } from "./rules.ts";

/** The rules of which a person was told, in `meta`: a list of ids, and nothing that was said. */
const KEY = "told rules";

export async function filterUnnotifiedRules(db: Db, rules: readonly string[]): Promise<readonly string[]> {
  if (rules.length === 0) return [];
  const notified = parseNotified(await readMeta(db, KEY));
  return rules.filter((rule) => !notified.has(rule));
}

/** The same, and from now on they are told: of two who ask at once, one gets each. */
export function takeUnnotifiedRules(db: Db, rules: readonly string[]): Promise<readonly string[]> {
  return db.tx(async (tx) => {
    // Updating it first makes the other wait here.
    await tx.run("insert into meta (key, value) values (?, '[]') on conflict (key) do update set value = meta.value", [
      KEY,
    ]);
    const notified = parseNotified(await readMeta(tx, KEY));
    const untold = rules.filter((rule) => !notified.has(rule));
    await writeMeta(tx, KEY, JSON.stringify([...notified, ...untold]));
    return untold;
  });
}

/** Whether a rule was mined, and not in its owner's name: what the owner wrote or mined by hand is known to him. */
export async function isMinedAutomatically(db: Db, rule: string): Promise<boolean> {
  const made = await db.get<{ actor: string; cause_id: string | null }>(
    "select actor, cause_id from journal where noun = 'rule' and subject = ? order by id limit 1",
    [rule],
  );
  return made?.cause_id === "distil" && made.actor !== "owner";
}

/** The rules that hold there and that nobody has decided on yet. */
export function listCandidatesIn(db: Db, workspace: string | null): Promise<Pick<Rule, "id" | "signature" | "text">[]> {
  const scopes = listCoveringScopes(workspace).map(serializeRuleScope);
  return db.all(
    `select id, signature, text from rules where status = 'candidate' and scope in (${scopes.map(() => "?").join(", ")})`,
    scopes,
  );
}

function parseNotified(value: string | null): ReadonlySet<string> {
  const ids = tryParseJson(value ?? "[]");
  return new Set(Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : []);
}

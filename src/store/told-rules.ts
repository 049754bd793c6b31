import { type Rule, scopesOver } from "../domain/rule/rule.ts";
import { tryParse } from "../lib/json.ts";
import type { Db } from "./engine/db.ts";
import { readMeta, writeMeta } from "./meta.ts";
import { scopeText } from "./rules.ts";

/** The rules of which a person was told, in `meta`: a list of ids, and nothing that was said. */
const KEY = "told rules";

export async function untoldOf(db: Db, rules: readonly string[]): Promise<readonly string[]> {
  if (rules.length === 0) return [];
  const told = toldIn(await readMeta(db, KEY));
  return rules.filter((rule) => !told.has(rule));
}

/** The same, and from now on they are told: of two who ask at once, one gets each. */
export function takeUntold(db: Db, rules: readonly string[]): Promise<readonly string[]> {
  return db.tx(async (tx) => {
    // Updating it first makes the other wait here.
    await tx.run("insert into meta (key, value) values (?, '[]') on conflict (key) do update set value = meta.value", [
      KEY,
    ]);
    const told = toldIn(await readMeta(tx, KEY));
    const untold = rules.filter((rule) => !told.has(rule));
    await writeMeta(tx, KEY, JSON.stringify([...told, ...untold]));
    return untold;
  });
}

/** Whether a rule was mined, and not in its owner's name: what the owner wrote or mined by hand is known to him. */
export async function isMinedByItself(db: Db, rule: string): Promise<boolean> {
  const made = await db.get<{ actor: string; cause_id: string | null }>(
    "select actor, cause_id from journal where noun = 'rule' and subject = ? order by id limit 1",
    [rule],
  );
  return made?.cause_id === "distil" && made.actor !== "owner";
}

/** The rules that hold there and that nobody has decided on yet. */
export function candidatesOver(db: Db, workspace: string | null): Promise<Pick<Rule, "id" | "signature" | "text">[]> {
  const scopes = scopesOver(workspace).map(scopeText);
  return db.all(
    `select id, signature, text from rules where status = 'candidate' and scope in (${scopes.map(() => "?").join(", ")})`,
    scopes,
  );
}

function toldIn(value: string | null): ReadonlySet<string> {
  const ids = tryParse(value ?? "[]");
  return new Set(Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : []);
}

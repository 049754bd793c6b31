import { isOwner, parseActor } from "../../domain/actor.ts";
import { isRecord } from "../../lib/json.ts";
import { isMuted, type Level, levels, type Rule } from "../../domain/rule/rule.ts";
import type { Db } from "../../store/engine/db.ts";
import { listChangesOf } from "../../store/journal/journal.ts";

/** That the owner silenced a rule, and by which change, as the end of a sentence; null if the owner did not. */
export async function explainOwnDecision(db: Db, rule: Rule): Promise<string | null> {
  const verb = isMuted(rule) ? "muted" : verbs[rule.status];
  if (verb === undefined) return null;
  const made = (await listChangesOf(db, "rule", rule.id)).findLast(
    ({ before, after }) => statusOf(before) !== rule.status && statusOf(after) === rule.status,
  );
  return made !== undefined && isOwner(parseActor(made.actor)) ? `you ${verb} it (change ${made.id})` : null;
}

/** The level that a muted or rejected rule had before that decision; nothing for others. */
export async function findLevelBefore(
  db: Db,
  { id, status }: Pick<Rule, "id" | "status">,
): Promise<{ readonly levelBefore?: Level }> {
  if (status !== "muted" && status !== "rejected") return {};
  const made = (await listChangesOf(db, "rule", id)).findLast(
    ({ before, after }) => isRecord(before) && statusOf(before) !== status && statusOf(after) === status,
  );
  const before = made?.before;
  const level = isRecord(before) ? levels.find((one) => one === before["level"]) : undefined;
  return level === undefined ? {} : { levelBefore: level };
}

const verbs: Readonly<Partial<Record<Rule["status"], string>>> = { rejected: "rejected", retired: "retired" };

function statusOf(state: unknown): unknown {
  return isRecord(state) ? state["status"] : null;
}

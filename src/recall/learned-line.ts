import type { Context } from "../context.ts";
import type { Rule, RuleInPlay } from "../domain/rule/rule.ts";
import { isSayable, maySay } from "../domain/trust/sayable.ts";
import { oneLine, plural } from "../lib/text.ts";
import type { Db } from "../store/engine/db.ts";
import { rulesInPlay } from "../store/rules.ts";
import { countCandidates, isMinedByItself, takeUntold, untoldOf } from "../store/told-rules.ts";

/**
 * One line for a person: which rules that speak here were mined since somebody was last told, and how many wait for review.
 * Each rule once, in whichever session comes first. Null where there is nothing new.
 */
export async function learnedLine({ db }: Pick<Context, "db">, workspace: string | null): Promise<string | null> {
  const rules = (await rulesInPlay(db, workspace)).filter((rule) => maySay(rule, workspace));
  const ids = rules.map((rule) => rule.id);
  // Nearly always: nothing is written for it.
  if ((await untoldOf(db, ids)).length === 0) return null;
  const taken = await takeUntold(db, ids);
  const learned = await learnedAmong(
    db,
    rules.filter((rule) => taken.includes(rule.id)),
  );
  if (learned.length === 0) return null;
  return `oldhand ${learnedText(learned, await countCandidates(db, workspace))}`;
}

/** Those that speak and were mined from then on, by whomever but their owner. */
export function learnedSince(db: Db, rules: readonly Rule[], since: number): Promise<readonly RuleInPlay[]> {
  return learnedAmong(
    db,
    rules.filter((rule) => rule.createdAt >= since && isSayable(rule)),
  );
}

async function learnedAmong(db: Db, rules: readonly RuleInPlay[]): Promise<readonly RuleInPlay[]> {
  const learned: RuleInPlay[] = [];
  for (const rule of rules) if (await isMinedByItself(db, rule.id)) learned.push(rule);
  return learned;
}

const SENTENCE = 200;
/** Sentences are for reading, not for scrolling. */
const MOST = 2;

/** `learned 1 rule: …; 2 wait for review (oldhand review)` */
function learnedText(rules: readonly Pick<Rule, "text">[], waiting: number): string {
  const review = waiting === 0 ? "" : `; ${waiting} ${waiting === 1 ? "waits" : "wait"} for review (oldhand review)`;
  return `learned ${listedRules(rules)}${review}`;
}

/** `1 rule: …`, the first of them in full. */
export function listedRules(rules: readonly Pick<Rule, "text">[]): string {
  const sentences = rules.slice(0, MOST).map(({ text }) => oneLine(text, SENTENCE).replace(/\.$/, ""));
  const more = rules.length - sentences.length;
  const listed = [...sentences, ...(more > 0 ? [`and ${more} more`] : [])].join(" · ");
  return `${plural(rules.length, "rule")}: ${listed}`;
}

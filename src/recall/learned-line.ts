import type { Context } from "../context.ts";
import type { Rule, RuleStatus } from "../domain/rule/rule.ts";
import { isOfUnknownCause } from "../domain/rule/unknown-cause.ts";
import { isFromUserWords } from "../domain/rule/backing.ts";
import { canShowRule } from "../domain/trust/showable.ts";
import { oneLine, plural } from "../lib/text.ts";
import { listRulesMinedSince } from "../store/derived/day-figures.ts";
import type { Db } from "../store/engine/db.ts";
import { listActiveRules } from "../store/nouns/rules.ts";
import {
  listCandidatesIn,
  isMinedAutomatically,
  takeUnnotifiedRules,
  filterUnnotifiedRules,
} from "../store/nouns/notified-rules.ts";

/**
 * One line for the user: newly mined rules that speak here, and how many wait for review. Rules from a user's
 * words speak only after review, so they are reported as waiting. Each rule is reported once, in the first
 * session of its workspace. Null if nothing is new.
 */
export async function takeLearnedLine({ db }: Pick<Context, "db">, workspace: string | null): Promise<string | null> {
  const speaking = (await listActiveRules(db, workspace)).filter((rule) => canShowRule(rule, workspace));
  const waiting = (await listCandidatesIn(db, workspace)).filter((rule) => !isOfUnknownCause(rule));
  const isNews = (rule: Candidate) => isFromUserWords(rule) || speaking.some(({ id }) => id === rule.id);
  const news = [...speaking, ...waiting.filter(isFromUserWords)];
  const ids = [...new Set(news.map((rule) => rule.id))];
  // The usual case: avoids a write.
  if ((await filterUnnotifiedRules(db, ids)).length === 0) return null;
  // Silent rules are no reason for a line, but they were learned too: where there is a line, it counts them.
  const silent = waiting.filter((rule) => !isNews(rule));
  const unseen = new Set(await filterUnnotifiedRules(db, ids.map(silentName)));
  const taken = new Set(await takeUnnotifiedRules(db, [...ids, ...silent.map(({ id }) => silentName(id))]));
  const fresh = await filterMined(
    db,
    speaking.filter(({ id }) => taken.has(id)),
  );
  const learned: LearnedRule[] = fresh
    .filter(({ id }) => unseen.has(silentName(id)))
    .map((rule) => ({ ...rule, shown: true }));
  const words = waiting.filter((rule) => isFromUserWords(rule) && taken.has(rule.id));
  const quiet = silent.filter(({ id }) => taken.has(silentName(id)));
  for (const rule of await filterMined(db, [...words, ...quiet])) learned.push({ ...rule, shown: false });
  const isReason = learned.some((rule) => rule.shown || isFromUserWords(rule));
  if (isReason) return formatLearnedLine("oldhand learned ", learned, waiting.length);
  const raised = fresh.filter(({ id }) => !unseen.has(silentName(id))).map((rule) => ({ ...rule, shown: true }));
  return raised.length === 0 ? null : formatLearnedLine("oldhand now shows agents ", raised, waiting.length);
}

type Candidate = Pick<Rule, "id" | "text" | "signature">;
type LearnedRule = Candidate & { readonly shown: boolean };

/** Marks that a rule was counted as learned while it was silent. */
function silentName(id: string): string {
  return `silent ${id}`;
}

/**
 * One line for the user about rules in force here that are wrong more often than right, with the command that
 * retires the first. Repeated only after the owner's next decision. Null if nothing is new.
 */
export async function wrongLine(
  ctx: Pick<Context, "db" | "clock" | "config">,
  workspace: string | null,
): Promise<string | null> {
  const { db } = ctx;
  const approved = (await listActiveRules(db, workspace)).filter(
    ({ status, origin }) => status === "approved" && origin === "tool",
  );
  if (approved.length === 0) return null;
  // Loaded only if there are such rules.
  const wrong = await (await import("./wrong-here.ts")).wrongHere(ctx, approved);
  const names = [...wrong.keys()];
  // The usual case: avoids a write.
  if ((await filterUnnotifiedRules(db, names)).length === 0) return null;
  const taken = await takeUnnotifiedRules(db, names);
  const [line] = wrongLines(taken.flatMap((name) => wrong.get(name) ?? []));
  return line === undefined ? null : `oldhand: ${line}`;
}

/** One line, with the command that retires the first of them. */
export function wrongLines(wrong: readonly Pick<Rule, "id" | "text">[]): readonly string[] {
  const [first] = wrong;
  if (first === undefined) return [];
  const one = wrong.length === 1;
  const sentence = oneLine(first.text, 120).replace(/\.$/, "");
  const more = one ? "" : ` · and ${wrong.length - 1} more (oldhand review)`;
  return [
    `${plural(wrong.length, "rule")} in force ${one ? "is" : "are"} wrong more often than right: ${sentence}; oldhand rules retire ${first.id} retires it${more}`,
  ];
}

/** Rules that were mined since, without those that the owner decided against; `status` and `today` count alike. */
export async function listRulesLearnedSince(db: Db, rules: readonly Rule[], since: number): Promise<readonly Rule[]> {
  const mined = await listRulesMinedSince(db, since);
  return rules.filter((rule) => mined.has(rule.id) && !decidedAgainst.has(rule.status) && !isOfUnknownCause(rule));
}

const decidedAgainst: ReadonlySet<RuleStatus> = new Set(["rejected", "muted", "merged"]);

async function filterMined<T extends Pick<Rule, "id">>(db: Db, rules: readonly T[]): Promise<readonly T[]> {
  const mined: T[] = [];
  for (const rule of rules) if (await isMinedAutomatically(db, rule.id)) mined.push(rule);
  return mined;
}

/** A longer line breaks in a terminal of usual width more than once. */
const LONGEST_LINE = 200;

/**
 * `oldhand learned 3 rules, agents hear 1 of them now: …. 2 wait for review: oldhand review`: one sentence, one that
 * agents hear if there is any, cut so that the whole is one short line.
 */
export function formatLearnedLine(
  start: string,
  rules: readonly (Pick<Rule, "text"> & { readonly shown: boolean })[],
  waiting: number,
): string {
  const shown = rules.filter((rule) => rule.shown).length;
  const isMixed = shown > 0 && shown < rules.length;
  const note = isMixed ? `, agents hear ${shown} of them now` : shown === 0 ? ", not shown to agents now" : "";
  const such = (isMixed ? shown : rules.length) > 1 ? ", such as" : "";
  const before = `${start}${plural(rules.length, "rule")}${note}${such}: `;
  const after = waiting === 0 ? "" : ` ${formatWaitingCount(waiting)}`;
  const said = ((rules.find((rule) => rule.shown) ?? rules[0])?.text ?? "").replace(/\.$/, "");
  const sentence = oneLine(said, LONGEST_LINE - before.length - after.length - 1);
  return `${before}${sentence}${after === "" || sentence.endsWith("…") ? "" : "."}${after}`;
}

/** `2 wait for review: oldhand review` */
function formatWaitingCount(waiting: number): string {
  return `${waiting.toLocaleString("en-US")} ${waiting === 1 ? "waits" : "wait"} for review: oldhand review`;
}

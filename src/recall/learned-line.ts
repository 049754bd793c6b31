import type { Context } from "../context.ts";
import { maySay } from "../domain/trust/sayable.ts";
import { oneLine, plural } from "../lib/text.ts";
import { changesOf } from "../store/journal.ts";
import { countCandidates, ruleNoun, rulesInPlay } from "../store/rules.ts";
import { takeUntold, untoldOf } from "../store/told-rules.ts";

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
  const learned: string[] = [];
  for (const rule of rules.filter((one) => taken.includes(one.id))) {
    const [made] = await changesOf(db, ruleNoun, rule.id);
    // What the owner wrote or mined by hand is known to him.
    if (made?.cause.id === "distil" && made.actor !== "owner")
      learned.push(oneLine(rule.text, SENTENCE).replace(/\.$/, ""));
  }
  if (learned.length === 0) return null;
  return learnedText(learned, await countCandidates(db, workspace));
}

const SENTENCE = 200;
/** Sentences are for reading, not for scrolling. */
const MOST = 2;

export function learnedText(sentences: readonly string[], waiting: number): string {
  const more = sentences.length - MOST;
  const listed = [...sentences.slice(0, MOST), ...(more > 0 ? [`and ${more} more`] : [])].join(" · ");
  const review = waiting === 0 ? "" : `; ${waiting} ${waiting === 1 ? "waits" : "wait"} for review (oldhand review)`;
  return `oldhand learned ${plural(sentences.length, "rule")}: ${listed}${review}`;
}

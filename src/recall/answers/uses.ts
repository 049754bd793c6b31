import { holdsFragment } from "../../domain/text/edit-text.ts";
import { DAY } from "../../lib/clock.ts";
import type { Db } from "../../store/engine/db.ts";
import { listInputsAfter, listAnswers, type StoredAnswer } from "../../store/shown/answers.ts";
import { settleAnswer, listUnsettledAnswers } from "../../store/shown/settled-answers.ts";

export interface UseCounts {
  readonly answers: number;
  readonly used: number;
}

/** How often an offered answer was used in the next calls: when it was shown, and by the control group without it. */
export interface AnswerUses {
  readonly shown: UseCounts;
  readonly without: UseCounts;
  /** Shown answers by cause, the most frequent first. */
  readonly causes: readonly (UseCounts & { readonly cause: string })[];
}

export async function countAnswerUses(db: Db, workspace?: string): Promise<AnswerUses> {
  const judged: { readonly answer: StoredAnswer; readonly used: boolean }[] = [];
  for (const answer of await listAnswers(db, MOST, workspace)) judged.push({ answer, used: await wasUsed(db, answer) });
  const count = (some: typeof judged): UseCounts => ({
    answers: some.length,
    used: some.filter(({ used }) => used).length,
  });
  const shown = judged.filter(({ answer }) => answer.given);
  const causes = [...new Set(shown.map(({ answer }) => answer.cause))].map((cause) => ({
    cause,
    ...count(shown.filter(({ answer }) => answer.cause === cause)),
  }));
  return {
    shown: count(shown),
    without: count(judged.filter(({ answer }) => !answer.given)),
    causes: causes.toSorted((a, b) => b.answers - a.answers || (a.cause < b.cause ? -1 : 1)),
  };
}

/** Older answers say nothing about current ones. */
const MOST = 2_000;
/** An answer counts as used only within this many calls after the failure. */
const NEXT_CALLS = 8;

/** Stores which answers were used, once no later call can change it, so that daily figures need not read calls. */
export async function settleAnswers(db: Db, since: number, now: number): Promise<void> {
  for (const answer of await listUnsettledAnswers(db, since, MOST)) {
    const isUsed = await wasUsed(db, answer);
    if (isUsed || answer.at < now - OPEN) await settleAnswer(db, answer, isUsed);
  }
}

/** After this time a running session has made its next calls. */
const OPEN = DAY;

async function wasUsed(db: Db, answer: StoredAnswer): Promise<boolean> {
  const { file, texts } = answer;
  const inputs = await listInputsAfter(db, answer, NEXT_CALLS);
  return inputs.some((input) => {
    const holds = (text: string) => holdsFragment(input, JSON.stringify(text).slice(1, -1));
    return (file === null || holds(file)) && texts.some(holds);
  });
}

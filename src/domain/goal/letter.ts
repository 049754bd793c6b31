import type { TaskAttempt } from "./attempt.ts";
import type { Task } from "./task.ts";

/** What a letter says of one task, one job or one thing that waits. */
export interface LetterItem {
  /** Such as `task`, `goal`, `job`, `question`, `approval`. */
  readonly kind: string;
  readonly id: string;
  readonly title: string;
  /** The goal that it belongs to, in words; null: none. */
  readonly of: string | null;
  /** What came of it, or why; null if nobody said so. */
  readonly why: string | null;
  readonly times: number;
  readonly at: number;
  /** What acts on it; null: nothing is to be done. */
  readonly command: string | null;
}

export const letterSections = ["verified", "claimed", "failed", "asked", "blocked", "skipped"] as const;
export type LetterSection = (typeof letterSections)[number];

/** What became of the goals since the owner last looked. It is made from stored rows, without a model. */
export interface Letter extends Readonly<Record<LetterSection, readonly LetterItem[]>> {
  readonly since: number;
  readonly until: number;
  /** Where the letter before began; null: there was none. */
  readonly before: number | null;
  /** Goals that were reached. */
  readonly reached: readonly LetterItem[];
  readonly cycles: number;
  /** In US dollars; what a subscription pays is apart. */
  readonly cost: readonly {
    readonly model: string;
    readonly calls: number;
    readonly cost: number;
    readonly listPrice: boolean;
  }[];
  readonly learned: readonly { readonly id: string; readonly text: string }[];
}

/** True if nothing happened and nothing waits. */
export function isLetterEmpty(letter: Letter): boolean {
  const lists = [...letterSections.map((name) => letter[name]), letter.reached, letter.learned, letter.cost];
  return letter.cycles === 0 && lists.every((list) => list.length === 0);
}

/** What is done, with who says so. A task never counts as both. */
export function toDoneItem(task: Task, of: string | null): LetterItem {
  const isVerified = task.proof === "verified";
  return {
    ...{ kind: "task", id: task.id, title: task.title, of, times: 1, at: task.endedAt ?? task.madeAt },
    why: isVerified ? task.result : (task.reason ?? task.result),
    command: isVerified
      ? null
      : task.check.kind === "person"
        ? `oldhand task done ${task.id}`
        : `oldhand task verify ${task.id}`,
  };
}

/** One item for each task, however often it was tried; the last reason counts. `attempts` are the oldest first. */
export function toAttemptItems(
  attempts: readonly TaskAttempt[],
  find: (task: string) => { readonly task: Task; readonly of: string | null } | null,
  command: (task: Task) => string | null,
): readonly LetterItem[] {
  const items = new Map<string, LetterItem>();
  for (const attempt of attempts) {
    const found = find(attempt.task);
    if (found === null) continue;
    const { task, of } = found;
    const lost = attempt.state === "lost" ? "the cycle ended without a word" : null;
    items.set(task.id, {
      ...{ kind: "task", id: task.id, title: task.title, of, command: command(task) },
      why: attempt.reason ?? lost ?? items.get(task.id)?.why ?? null,
      times: (items.get(task.id)?.times ?? 0) + 1,
      at: attempt.endedAt ?? attempt.beganAt,
    });
  }
  return [...items.values()];
}

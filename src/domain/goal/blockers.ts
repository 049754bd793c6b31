import { groupBy } from "../../lib/group-by.ts";
import { contentWords } from "../text/similarity.ts";
import type { Board } from "./decide.ts";

/** One cause that blocks several tasks or goals, or a credential that is missing. */
export interface Blocker {
  /** `credential STRIPE_KEY`, or the reason of the first that gave it. */
  readonly cause: string;
  /** A credential is something that only the owner can give. */
  readonly kind: "credential" | "reason";
  readonly goals: readonly string[];
  readonly tasks: readonly string[];
}

/** What blocks, with the most goals first. A cause that blocks a single task is that task's own, unless it is a credential. */
export function findBlockers({ goals, tasks }: Board): readonly Blocker[] {
  const isOpen = new Set(
    goals.filter(({ status }) => status !== "done" && status !== "dropped").map((goal) => goal.id),
  );
  const blocked = [
    ...tasks.flatMap(({ id, goal, status, reason }) =>
      status === "blocked" && reason !== null && isOpen.has(goal) ? [{ goal, task: id, reason }] : [],
    ),
    ...goals.flatMap(({ id, status, reason }) =>
      // The reason of a goal may only repeat that of its task.
      status === "blocked" && reason !== null && !tasks.some((one) => one.goal === id && one.status === "blocked")
        ? [{ goal: id, task: null, reason: withoutIds(reason) }]
        : [],
    ),
  ];
  return [...groupBy(blocked, ({ reason }) => blockerKey(reason)).entries()]
    .flatMap(([key, items]): readonly Blocker[] => {
      const credential = findCredential(items[0]?.reason ?? "");
      if (key === "" || (credential === null && items.length < 2)) return [];
      return [
        {
          cause: credential === null ? (items[0]?.reason ?? "") : `credential ${credential}`,
          kind: credential === null ? "reason" : "credential",
          goals: [...new Set(items.map(({ goal }) => goal))].toSorted(),
          tasks: items.flatMap(({ task }) => task ?? []).toSorted(),
        },
      ];
    })
    .toSorted((a, b) => b.goals.length - a.goals.length || (a.cause < b.cause ? -1 : 1));
}

/** Reasons with the same key have the same cause: the same credential, or the same words without ids and numbers. */
export function blockerKey(reason: string): string {
  const credential = findCredential(reason);
  if (credential !== null) return `credential ${credential}`;
  return contentWords(withoutIds(reason).replaceAll(/\d+/g, "#")).join(" ");
}

/** The name of a credential that a reason says is missing; null: it names none. */
export function findCredential(reason: string): string | null {
  const named = /\bcredentials?\s*(?:for|of|named)?\s*:?\s*[`"']?([\w./-]*\w)/i.exec(reason)?.[1];
  const variable = /\b([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_(?:KEY|TOKEN|SECRET|PASSWORD|PASS|PAT|DSN|CREDENTIALS?))\b/.exec(
    reason,
  )?.[1];
  if (variable !== undefined) return variable;
  return named === undefined || /^(?:is|are|was|were|missing|not|needed|required|to|in)$/i.test(named) ? null : named;
}

/** Without the ids that `settleGoal` puts before the reason of a task. */
function withoutIds(reason: string): string {
  return reason
    .replaceAll(/\b(?:task|goal)_\w+(?: is blocked:)?/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
}

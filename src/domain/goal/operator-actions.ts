import { oneLine } from "../../lib/text.ts";
import type { Board } from "./decide.ts";
import { hasEnded } from "./goal.ts";

/** What only the owner can do so that goals go on, a line each. */
export function listOperatorActions({ goals, tasks }: Board): readonly string[] {
  return goals
    .filter((goal) => !hasEnded(goal))
    .flatMap((goal) => [
      // Its tasks, and those of its parts, say themselves what they need.
      ...(goal.status === "blocked" && !tasks.some((task) => task.goal === goal.id && task.status !== "dropped")
        ? goals.some(({ parent }) => parent === goal.id)
          ? []
          : [`"${oneLine(goal.title, 60)}" is blocked: ${oneLine(goal.reason ?? "no reason is known", 300)}`]
        : []),
      ...tasks
        .filter(
          (task) => task.goal === goal.id && task.status === "blocked" && NEEDS.has(String(task.metadata["needs"])),
        )
        .map(
          ({ id, title, reason, metadata }) =>
            `"${oneLine(title, 60)}" needs a ${String(metadata["needs"])}: ${oneLine(reason ?? "no reason is known", 300)} (then oldhand task retry ${id})`,
        ),
    ]);
}

const NEEDS: ReadonlySet<string> = new Set(["credential", "person"]);

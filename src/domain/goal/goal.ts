/** `proposed`: an agent wants it, and nobody has approved it. */
export const goalStatuses = ["proposed", "active", "paused", "blocked", "done", "dropped"] as const;
export type GoalStatus = (typeof goalStatuses)[number];

export const highestPriority = 1;
export const lowestPriority = 10;

/** Something to reach, in as many tasks as it takes. Its changes are journalled. */
export interface Goal {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly status: GoalStatus;
  /** 1 is the highest. */
  readonly priority: number;
  /** An actor, as the journal writes it. */
  readonly createdBy: string;
  readonly parent: string | null;
  /** Goals that must be done before this one is begun. */
  readonly dependsOn: readonly string[];
  /** The repository that its tasks change; null: its tasks change no files. */
  readonly folder: string | null;
  /** Why it is blocked, paused or dropped. */
  readonly reason: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly madeAt: number;
  /** When it was done or dropped. */
  readonly endedAt: number | null;
}

export function hasEnded({ status }: Pick<Goal, "status">): boolean {
  return status === "done" || status === "dropped";
}

/** A chain of parents or dependencies that leads back to where it began; null if there is none. */
export function findLoop(start: string, next: (id: string) => readonly string[]): readonly string[] | null {
  const seen = new Set<string>();
  const walk = (id: string, path: readonly string[]): readonly string[] | null => {
    if (id === start && path.length > 0) return [...path, id];
    if (seen.has(id)) return null;
    seen.add(id);
    for (const one of next(id)) {
      const loop = walk(one, [...path, id]);
      if (loop !== null) return loop;
    }
    return null;
  };
  return walk(start, []);
}

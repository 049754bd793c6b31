import type { GoalStatus } from "./goal.ts";

/** The state of the goals, kept so that a cycle need not read it all: seven fields, as a letter to the next cycle. */
export interface Snapshot {
  readonly id: string;
  readonly at: number;
  readonly cycleCount: number;
  /** One or two paragraphs. */
  readonly content: string;
  readonly activeGoals: readonly GoalProgress[];
  readonly currentFocus: string | null;
  /** The last three, the newest first. */
  readonly recentOutcomes: readonly { readonly summary: string; readonly at: number; readonly success: boolean }[];
  readonly openBlockers: readonly { readonly goal: string; readonly description: string }[];
  /** Five at most. */
  readonly keyLearnings: readonly {
    readonly content: string;
    readonly confidence: number;
    readonly category: string | null;
  }[];
  /** The program that it was imported from; null: our own. */
  readonly source: string | null;
}

export interface GoalProgress {
  readonly id: string;
  readonly title: string;
  readonly status: GoalStatus;
  /** The tasks that are done, of all that are not dropped, in percent; verified and claimed apart. */
  readonly verifiedPercent: number;
  readonly claimedPercent: number;
}

export const commentKinds = ["question", "direction", "correction", "approval", "note"] as const;
export type CommentKind = (typeof commentKinds)[number];

/** What somebody says about a goal. The next cycle of the goal reads it. */
export interface GoalComment {
  readonly id: string;
  readonly at: number;
  readonly goal: string;
  readonly kind: CommentKind;
  /** An actor, as the journal writes it. */
  readonly author: string;
  readonly text: string;
  /** Set when it was read and taken into account. */
  readonly acknowledgedAt: number | null;
  readonly acknowledgedBy: string | null;
  readonly answer: string | null;
}

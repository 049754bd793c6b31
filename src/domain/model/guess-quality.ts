import { routePolicy } from "../route/policy.ts";

/** What an answer itself tells about its quality, where nobody has judged it yet. */
export interface AnswerShape {
  readonly reason: "stop" | "length" | "tool-calls" | "refused" | "other";
  readonly isEmpty: boolean;
}

/**
 * A guess, and marked as one. An answer that came as it should says nothing about its quality: it counts as what is expected
 * of any model.
 */
export function guessQuality({ reason, isEmpty }: AnswerShape): number {
  if (reason === "refused") return 0;
  if (isEmpty) return 0.2;
  return reason === "length" ? 0.4 : NEUTRAL;
}

export function isNeutralGuess(quality: number): boolean {
  return quality === NEUTRAL;
}

const NEUTRAL = routePolicy.priorQuality;

import { routePolicy } from "../route/policy.ts";

/** What an answer itself shows about its quality, before anybody has judged it. */
export interface AnswerShape {
  readonly reason: "stop" | "length" | "tool-calls" | "refused" | "other";
  readonly isEmpty: boolean;
}

/**
 * A guess at the quality of an answer. An ordinary answer says nothing about its quality, so it counts as average.
 */
export function guessQuality({ reason, isEmpty }: AnswerShape): number {
  if (reason === "refused") return 0;
  if (isEmpty) return 0.2;
  return reason === "length" ? 0.4 : neutralGuess;
}

export function isNeutralGuess(quality: number): boolean {
  return quality === neutralGuess;
}

/** An answer that shows nothing about its quality. */
export const neutralGuess = routePolicy.priorQuality;

import type { RepeatedMistake } from "../api/contract.ts";
import { formatCount, formatMany } from "./count.ts";

/** "12 calls · 3 min · 4,100 tokens": what a mistake took, in a line. */
export function formatCost({ calls, minutes, tokens }: RepeatedMistake["cost"]): string {
  return `${formatMany(calls, "call")} · ${minutes < 1 ? "< 1" : formatCount(Math.round(minutes))} min · ${formatMany(tokens, "token")}`;
}

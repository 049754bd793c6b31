import type { RepeatedMistake } from "../api/contract.ts";
import { formatCount, formatMany } from "./count.ts";

/** The cost of a mistake in a line: "12 calls · 3 min · 4,100 tokens". */
export function formatCost({ calls, minutes, tokens }: RepeatedMistake["cost"]): string {
  return `${formatMany(calls, "call")} · ${minutes < 1 ? "< 1" : formatCount(Math.round(minutes))} min · ${formatMany(tokens, "token")}`;
}

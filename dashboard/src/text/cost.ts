import type { RepeatedMistake as Mistake } from "../api/contract.ts";
import { count, many } from "./count.ts";

/** "12 calls · 3 min · 4,100 tokens": what a mistake took, in a line. */
export function costText({ calls, minutes, tokens }: Mistake["cost"]): string {
  return `${many(calls, "call")} · ${minutes < 1 ? "< 1" : count(Math.round(minutes))} min · ${many(tokens, "token")}`;
}

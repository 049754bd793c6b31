import type { Context } from "../../context.ts";
import { toAdvice, type Advice } from "../../domain/remedy/advised-call.ts";
import type { Matcher, Scope } from "../../domain/rule/rule.ts";
import { readAdviceFailures } from "../counting/advice-results.ts";
import type { Remedy } from "./find-remedy.ts";

/** Fewer sessions in a row may be chance: two remedies that both work would replace each other again and again. */
const IN_A_ROW = 3;

/** The remedy of the latest sessions in a row, whatever older sessions used; null if they differ. */
export function findSteadyKey(
  found: readonly { readonly key: string; readonly bySession: ReadonlyMap<string, number> }[],
): string | null {
  const latest = found
    .flatMap(({ key, bySession }) => [...bySession.values()].map((event) => ({ key, event })))
    .toSorted((a, b) => b.event - a.event)
    .slice(0, IN_A_ROW);
  const [first] = latest;
  return first !== undefined && latest.length === IN_A_ROW && latest.every(({ key }) => key === first.key)
    ? first.key
    : null;
}

/** True if the remedy worked once, but its own call fails by now. */
export async function hasStoppedHelping(
  db: Context["db"],
  { command, value, option, without }: Remedy,
  by: { readonly matcher: Matcher; readonly scope: Scope },
): Promise<boolean> {
  const advice = option != null ? ofOption(option) : without ? null : toAdvice(command ?? value ?? "");
  return advice !== null && (await readAdviceFailures(db, advice, by)) !== null;
}

function ofOption(option: string): Advice {
  return { head: null, heads: [], words: [option], assignments: [] };
}

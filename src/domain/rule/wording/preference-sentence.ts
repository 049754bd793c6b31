import { oneLine } from "../../../lib/text.ts";
import type { Preference } from "../../event/preference.ts";

/** One sentence for all of them, in the words of the most specific one; of equal ones, the latest. */
export function preferenceSentence(stated: readonly Preference[]): string | null {
  const best = stated.toSorted((a, b) => weight(a) - weight(b)).at(-1);
  if (best === undefined) return null;
  if (best.kind !== "use") return oneLine(imperative(best.said), LONGEST);
  // One may say what to use and another what to avoid.
  const use = best.use ?? firstOf(stated, "use");
  const not = best.not ?? firstOf(stated, "not");
  if (use === null) return `Do not ${avoidedVerb(best.said)} ${not}`;
  return not === null ? `Use ${use}` : `Use ${use}, not ${not}`;
}

const LONGEST = 160;

/** As the user typed it: "don't run the e2e tests" is not about their use. */
function avoidedVerb(said: string): string {
  const typed = /^\S+(?: not)? (run|call|invoke)(?:n?ing)?\b/i.exec(said)?.[1];
  return typed?.toLowerCase() ?? "use";
}

function weight(one: Preference): number {
  return one.kind === "use" ? (one.use === null ? 0 : 1_000) + (one.not === null ? 0 : 1_000) : one.said.length;
}

function firstOf(stated: readonly Preference[], side: "use" | "not"): string | null {
  for (const one of stated) if (one.kind === "use" && one[side] !== null) return one[side];
  return null;
}

function imperative(text: string): string {
  const plain = text.replace(/^(?:do ?n['’]?o?t|dont)\b/i, "do not");
  return plain.slice(0, 1).toUpperCase() + plain.slice(1);
}

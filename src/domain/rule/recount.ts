import { atLeastPercent } from "../../lib/percent.ts";
import { wilsonLower } from "../proof/wilson.ts";
import { allowedBy, softer, type Tally } from "./promote.ts";
import type { Policy } from "../policy.ts";
import { type Rule, silentLevel, speaks } from "./rule.ts";

export interface Recounted {
  readonly after: Rule;
  readonly reason: string;
}

/**
 * What calls that worked since make of a mined rule: its sentence says so, and where nobody but the laws decided on it, it
 * insists no harder than they still allow. Null where nothing is to be said. That it failed more often is the miners' to
 * say: with it come better conditions and remedies.
 */
export function recount(
  rule: Rule,
  tally: Tally,
  { isDecided }: { readonly isDecided: boolean },
  policy: Policy["distil"],
): Recounted | null {
  const said = countIn(rule.text);
  const fired = tally.hits + tally.falseAlarms;
  if (said === null || tally.falseAlarms <= said.fired - said.failed) return null;
  const text = rule.text.replace(COUNT, `(failed ${tally.hits} of ${fired})`);
  const counted = `${tally.hits} of ${fired} calls failed`;
  if (isDecided) return isWorthSaying(rule, said.fired, fired) ? { after: { ...rule, text }, reason: counted } : null;
  const lower = wilsonLower(tally.hits, fired);
  const level = softer(rule.level, allowedBy(tally, policy).level);
  if (level === rule.level && !isWorthSaying(rule, said.fired, fired)) return null;
  // Approved and silent is what its owner muted: what the law alone approved, and allows no more, waits again.
  const status = level === silentLevel && rule.status === "approved" ? "candidate" : rule.status;
  const confidence = status === "candidate" ? Number(lower.toFixed(4)) : rule.confidence;
  const fallen = level === rule.level ? "" : `: from ${rule.level} to ${level}`;
  return {
    after: { ...rule, text, level, status, confidence },
    reason: `${counted}, at least ${atLeastPercent(lower)}${fallen}`,
  };
}

/** Of what says nothing to anybody, not each call is worth an entry in the journal. */
function isWorthSaying(rule: Rule, before: number, now: number): boolean {
  return speaks(rule) || now * 10 >= before * 11;
}

const COUNT = /\(failed (\d+) of (\d+)\)/;

function countIn(text: string): { readonly failed: number; readonly fired: number } | null {
  const found = COUNT.exec(text);
  return found === null ? null : { failed: Number(found[1]), fired: Number(found[2]) };
}

/** The same sentence whatever it counted. */
export function withoutFailures(text: string): string {
  return text.replace(COUNT, "");
}

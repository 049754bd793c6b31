import { oneLine } from "../../lib/text.ts";
import { findCauseLine } from "../event/cause-line.ts";
import { unwrapHostText } from "../event/host-text.ts";
import type { Rule } from "../rule/rule.ts";
import { detectCause } from "./cause.ts";
import type { CauseKind } from "./patterns.ts";

/**
 * The excerpt of a cited failure: its beginning, or the line that names its cause if that comes later. Other failures are
 * shortened the same way to be compared with it.
 */
export function excerptOf(error: string): string {
  const start = oneLine(error, LONGEST);
  if (!start.endsWith("…")) return start;
  const cause = oneLine(findCauseLine(unwrapHostText(error, null, true).body), LONGEST);
  return start.includes(cause.slice(0, LONGEST / 2)) ? start : cause;
}

const LONGEST = 200;

/**
 * What a failure says about a mined rule. `right`: it has the rule's cause. `wrong`: the call got past that cause and
 * failed for another. `neither`: it says nothing about the rule.
 */
export type CauseVerdict = "right" | "wrong" | "neither";

/** Judges a failure by its error and by its signature. */
export type CauseJudge = (error: string, signature: string | null) => CauseVerdict;

/**
 * Returns the judge of failures for a mined rule. Sentence, level, backtest and all counts use it. If the rule's own
 * failures name no cause, those with one of their signatures are right: two causes are never counted together.
 */
export function newCauseJudge(
  rule: Pick<Rule, "origin" | "matcher"> & { readonly evidence: Pick<Rule["evidence"], "refs" | "signatures"> },
): CauseJudge {
  const { origin, matcher, evidence } = rule;
  const tool = matcher?.tool === "shell" ? "bash" : (matcher?.tool ?? "");
  const kindOf = (excerpt: string): CauseKind | null => detectCause({ tool, input: null }, excerpt)?.kind ?? null;
  const kinds = new Set(origin === "tool" ? evidence.refs.map((ref) => kindOf(ref.excerpt)) : []);
  if ([...kinds].every((kind) => kind === null)) {
    const { signatures = [] } = evidence;
    const isOwn = (signature: string | null) =>
      signatures.length === 0 || signature === null || signatures.includes(signature);
    return (_error, signature) => (isOwn(signature) ? "right" : "neither");
  }
  const isOfExistence = [...kinds].every((kind) => kind === null || existenceKinds.has(kind));
  return (error) => {
    const kind = kindOf(excerptOf(error));
    if (kinds.has(kind)) return "right";
    return isOfExistence || (kind !== null && notStarted.has(kind)) ? "neither" : "wrong";
  };
}

/** That something is unknown or missing stays true, whatever else a call fails for. */
export const existenceKinds: ReadonlySet<CauseKind> = new Set([
  "unknown-option",
  "unknown-subcommand",
  "unknown-script",
  "unknown-skill",
  "unknown-agent",
  "unknown-field",
  "unknown-value",
  "unknown-name",
  "missing-module",
  "missing-path",
]);

/** The command did not run, so nothing is known about what it would have met. */
const notStarted: ReadonlySet<CauseKind> = new Set(["missing-program", "wrong-folder", "wrong-quoting"]);

import { insteadOfAsking } from "../attend/unasked.ts";
import { z } from "zod";
import { changeShape, ruleShape, undoHint } from "./shapes.ts";

export const ruleId = z.string().min(1).describe("the rule's id, as in `oldhand rules`, or the beginning of it");

/** What came of a decision about a rule, and how a person sees it. */
export const decided = z.object({ rule: ruleShape, change: changeShape.nullable() }).meta({ id: "RuleDecision" });

export function decidedText({ rule, change: made }: z.infer<typeof decided>): string {
  return made === null ? `Nothing to change: ${ruleLine(rule)}` : `${ruleLine(rule)}\n${undoHint([made.id])}`;
}

export function ruleLine(rule: z.infer<typeof ruleShape>): string {
  const elsewhere = (rule.unasked ?? []).map(
    (one) => `\n  ${one.host} cannot ask: the rule ${insteadOfAsking[one.delivery]}`,
  );
  return `${rule.id}  ${rule.status.padEnd(9)} ${rule.level.padEnd(6)} ${rule.confidence.toFixed(2)}  ${rule.text}${elsewhere.join("")}`;
}

import { insteadOfAsking } from "../attend/unasked.ts";
import { z } from "zod";
import { isMuted, speaks } from "../domain/rule/rule.ts";
import { changeShape, ruleShape, undoHint } from "./shapes.ts";

export const ruleId = z.string().min(1).describe("the rule's id, as in `oldhand rules`, or the beginning of it");

/** What came of a decision about a rule, and how a person sees it. */
export const decided = z.object({ rule: ruleShape, change: changeShape.nullable() }).meta({ id: "RuleDecision" });

export function decidedText({ rule, change: made }: z.infer<typeof decided>): string {
  if (made === null) return `Nothing to change: ${ruleLine(rule)}`;
  return [ruleLine(rule), ...voiceOf(rule, made.before), undoHint([made.id])].join("\n");
}

/** What changes for agents, where a rule falls silent or begins to speak. */
function voiceOf(rule: z.infer<typeof ruleShape>, before: unknown): readonly string[] {
  const was = before as Pick<z.infer<typeof ruleShape>, "status" | "level"> | null;
  if (isMuted(rule))
    return [`It is muted: it says nothing, and does not wait for review. oldhand approve ${rule.id} lets it speak.`];
  if (was === null || was.level !== "watch" || !speaks(rule)) return [];
  return [`It said nothing until now; from now on it speaks, at ${rule.level}.`];
}

export function ruleLine(rule: z.infer<typeof ruleShape>): string {
  const elsewhere = (rule.unasked ?? []).map(
    (one) => `\n  ${one.host} cannot ask: the rule ${insteadOfAsking[one.delivery]}`,
  );
  return `${rule.id}  ${(isMuted(rule) ? "muted" : rule.status).padEnd(9)} ${rule.level.padEnd(6)} ${rule.confidence.toFixed(2)}  ${rule.text}${elsewhere.join("")}`;
}

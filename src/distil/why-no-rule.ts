import type { Context } from "../context.ts";
import { groupOf } from "../domain/shell/step.ts";
import { type Rule, stands } from "../domain/rule/rule.ts";
import { plural } from "../lib/text.ts";
import { triedGroup, workedIn } from "../store/tries.ts";
import type { Mistake } from "./report.ts";

/** Why no rule is about a mistake that repeats, in a clause: what a person would ask next. */
export async function whyNoRule(
  { db, config }: Pick<Context, "db" | "config">,
  { tool, head, count }: Pick<Mistake, "tool" | "head" | "count">,
  rules: readonly Rule[],
  asked: { readonly workspace?: string | undefined } = {},
): Promise<string> {
  const { minCount, minSessions } = config.policy.distil;
  const other = rules.find((rule) => stands(rule) && isAbout(rule, groupOf(tool, head)));
  if (other !== undefined) return `rule ${other.id} is about other failures of this command or tool`;
  if (count < minCount) return `${plural(count, "failure")}, and a rule needs ${minCount}`;
  const group = groupOf(tool, head);
  const worked =
    asked.workspace === undefined ? (await triedGroup(db, group)).worked : await workedIn(db, group, asked.workspace);
  if (worked > 0)
    return `other calls of this command or tool worked ${plural(worked, "time")}, and nothing separates the failing calls from them`;
  return `a rule needs ${minCount} failures of one cause in ${plural(minSessions, "session")}`;
}

function isAbout({ matcher }: Rule, group: string): boolean {
  return matcher !== null && groupOf(matcher.tool === "shell" ? "Bash" : matcher.tool, matcher.head ?? null) === group;
}

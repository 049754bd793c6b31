import type { Context } from "../../context.ts";
import { detectCause } from "../../domain/cause/cause.ts";
import { causeKey } from "../../domain/cause/cause-traits.ts";
import type { Event } from "../../domain/event/event.ts";
import { type Fact, factId } from "../../domain/fact/fact.ts";
import { findFactsInFailure } from "../../domain/fact/read-failure.ts";
import { describeFact } from "../../domain/fact/fact-message.ts";
import { makeCallGroup } from "../../domain/shell/step.ts";
import { type Rule, isActive } from "../../domain/rule/rule.ts";
import { plural } from "../../lib/text.ts";
import { getEventsByIds } from "../../store/events/events.ts";
import { listFacts } from "../../store/derived/facts.ts";
import { type FailureFilter, listFailureLocations } from "../../store/derived/failures.ts";
import { getTryGroup, workedIn } from "../../store/derived/tries.ts";
import type { RepeatedMistake } from "./report.ts";

/** So many failures, the latest, tell what the mistake is made of. */
const LOOKED_AT = 50;

/** Why no rule is about a mistake that repeats, in a clause: what a person would ask next. */
export async function explainMissingRule(
  { db, config }: Pick<Context, "db" | "config">,
  { signature, tool, head, count }: Pick<RepeatedMistake, "signature" | "tool" | "head" | "count">,
  rules: readonly Rule[],
  filter: FailureFilter,
): Promise<string> {
  const { minCount } = config.policy.distil;
  const group = makeCallGroup(tool, head);
  const places = await listFailureLocations(db, signature, filter, LOOKED_AT);
  const failures = await getEventsByIds(
    db,
    places.map((place) => place.id),
  );
  const fact = await factInstead(db, failures);
  if (fact !== null) return fact;
  const other = rules.find((rule) => isActive(rule) && isAbout(rule, group));
  if (other !== undefined) return `rule ${other.id} covers other failures of this command or tool`;
  if (count < minCount) return `${plural(count, "failure")}, and a rule needs ${minCount}`;
  const most = mostOfOneCause(failures);
  if (most < minCount && failures.length < LOOKED_AT)
    return `at most ${plural(most, "failure")} of one cause in one workspace, and a rule needs ${minCount}`;
  const { workspace } = filter;
  const worked = workspace === undefined ? (await getTryGroup(db, group)).worked : await workedIn(db, group, workspace);
  if (worked > 0)
    return `other calls of this command or tool worked ${plural(worked, "time")}, and nothing distinguishes the failing calls`;
  return "the failing calls have nothing in common";
}

/** Where most of the failures only show what is missing, a fact says it, and no rule. */
async function factInstead(db: Context["db"], failures: readonly Event[]): Promise<string | null> {
  const shown = failures.map(({ workspace, ...event }) =>
    workspace === null
      ? []
      : findFactsInFailure({ ...event, tool: event.tool ?? "" }, event.error ?? "").map((one) =>
          factId({ workspace, ...one }),
        ),
  );
  if (shown.filter((some) => some.length > 0).length * 2 <= failures.length) return null;
  const ids = new Set(shown.flat());
  const kept: Fact[] = [];
  for (const workspace of new Set(failures.flatMap((event) => event.workspace ?? [])))
    kept.push(...(await listFacts(db, workspace)).filter((fact) => ids.has(factId(fact))));
  const [first, ...others] = kept.toSorted((a, b) => b.sessions - a.sessions || b.at - a.at);
  if (first === undefined) return "a missing thing becomes a fact, and this fact has expired";
  const more = others.length === 0 ? "" : ` And ${others.length} more (oldhand facts).`;
  return `a fact: ${describeFact(first)}${more}`;
}

function mostOfOneCause(failures: readonly Event[]): number {
  const counts = new Map<string, number>();
  for (const { workspace, head, ...event } of failures) {
    const cause = detectCause({ ...event, tool: event.tool ?? "" }, event.error ?? "");
    const key = `${workspace ?? ""} ${cause === null ? "" : causeKey(cause, head)}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return Math.max(0, ...counts.values());
}

function isAbout({ matcher }: Rule, group: string): boolean {
  return (
    matcher !== null && makeCallGroup(matcher.tool === "shell" ? "Bash" : matcher.tool, matcher.head ?? null) === group
  );
}

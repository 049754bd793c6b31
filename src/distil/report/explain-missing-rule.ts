import type { Context } from "../../context.ts";
import { isOfNetwork } from "../../domain/cause/blame.ts";
import { detectCause } from "../../domain/cause/cause.ts";
import { causeKey } from "../../domain/cause/cause-traits.ts";
import type { Event } from "../../domain/event/event.ts";
import { type Fact, factId } from "../../domain/fact/fact.ts";
import { findFactsInFailure } from "../../domain/fact/read-failure.ts";
import { describeFact } from "../../domain/fact/fact-message.ts";
import { isShellTool } from "../../domain/shell/command.ts";
import { makeCallGroup } from "../../domain/shell/step.ts";
import { type Rule, isActiveOrMuted } from "../../domain/rule/rule.ts";
import { plural } from "../../lib/text.ts";
import { listFacts } from "../../store/derived/facts.ts";
import type { FailureFilter } from "../../store/derived/failures.ts";
import { getTryGroup, workedIn } from "../../store/derived/tries.ts";
import { LOOKED_AT } from "./failing-calls.ts";
import type { RepeatedMistake, ReportOptions } from "./report.ts";

/** Why a repeated mistake has no rule, as a clause for the report. */
export async function explainMissingRule(
  { db, config }: Pick<Context, "db" | "config">,
  {
    calls: failures,
    tool,
    head,
    count,
    recovery,
  }: Pick<RepeatedMistake, "tool" | "head" | "count" | "recovery"> & { readonly calls: readonly Event[] },
  rules: readonly Rule[],
  filter: FailureFilter & Pick<ReportOptions, "locate">,
): Promise<string> {
  const { minCount } = config.policy.distil;
  const group = makeCallGroup(tool, head);
  const fact = await factInstead(db, failures, filter.locate ?? ((one) => one));
  if (fact !== null) return fact;
  if (failures.filter(isOfNetworkFailure).length * 2 > failures.length)
    return "the network or a server was down, and no rule is made of that";
  const other = rules.find((rule) => isActiveOrMuted(rule) && isAbout(rule, group));
  if (other !== undefined) return `rule ${other.id} covers other failures of this command or tool`;
  if (count < minCount) return `${plural(count, "failure")}, and a rule needs ${minCount}`;
  const most = mostOfOneCause(failures);
  if (most < minCount && failures.length < LOOKED_AT)
    return `at most ${plural(most, "failure")} of one cause in one workspace, and a rule needs ${minCount}`;
  if (recovery !== null && isShellTool(tool))
    return "what worked instead is shown above, but nothing that a rule may use sets the failing calls apart from those that worked";
  const { workspace } = filter;
  const worked = workspace === undefined ? (await getTryGroup(db, group)).worked : await workedIn(db, group, workspace);
  if (worked > 0)
    return `other calls of this command or tool worked ${plural(worked, "time")}, and nothing distinguishes the failing calls`;
  return "nothing was found by which a rule could recognise the failing calls";
}

function isOfNetworkFailure(event: Event): boolean {
  return isOfNetwork(detectCause({ ...event, tool: event.tool ?? "" }, event.error ?? "")?.kind ?? null);
}

/** Non-null if most of the failures only show that something is missing: a fact covers that, not a rule. */
async function factInstead(
  db: Context["db"],
  failures: readonly Event[],
  locate: (fact: Fact) => Fact,
): Promise<string | null> {
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
  if (first === undefined) return "a fact said what was missing, and it no longer holds";
  const more =
    others.length === 0 ? "" : ` And ${plural(others.length, "more fact")} of these failures (oldhand facts).`;
  return `a fact: ${describeFact(locate(first))}${more}`;
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

import type { Blocker } from "../../../domain/goal/blockers.ts";
import type { FailingStrategy } from "../../../domain/goal/strategy.ts";
import { oneLine, plural } from "../../../lib/text.ts";
import type { AskedModel } from "./ask-for-proposals.ts";
import type { LearningStep } from "./plan-learnings.ts";
import type { GoalProposal } from "./plan-proposals.ts";
import type { ReflectionPlan } from "./plan-reflection.ts";

export interface LearningChange {
  readonly id: string;
  readonly text: string;
  /** Its confidence. */
  readonly before: number;
  readonly after: number;
  /** Ids of what shows it. */
  readonly because: readonly string[];
}

export interface ReflectionReport {
  readonly cycle: string | null;
  /** What was found, as a colleague would say it. */
  readonly summary: string;
  /** Of the model call, in US dollars. */
  readonly cost: number;
  /** The model that added to it; null: none did. */
  readonly model: string | null;
  readonly checked: readonly string[];
  readonly confirmed: readonly LearningChange[];
  readonly contradicted: readonly LearningChange[];
  readonly merged: readonly { readonly kept: string; readonly superseded: readonly string[]; readonly text: string }[];
  /** Valid everywhere from now on. */
  readonly generalised: readonly LearningChange[];
  /** Of goals that have ended. */
  readonly capped: readonly LearningChange[];
  /** Not used or confirmed for long. */
  readonly stale: readonly LearningChange[];
  readonly archived: readonly LearningChange[];
  readonly flagged: readonly FailingStrategy[];
  readonly blockers: readonly Blocker[];
  /** Ids of goals. */
  readonly proposed: readonly string[];
  readonly proposals: readonly GoalProposal[];
  /** Null: no model was asked. */
  readonly asked: AskedModel | null;
}

export function makeReflectionReport(
  plan: ReflectionPlan,
  { cycle, asked }: { readonly cycle: string | null; readonly asked: AskedModel | null },
): ReflectionReport {
  const of = (kind: LearningStep["kind"]) => plan.steps.filter((step) => step.kind === kind).map(learningChange);
  const report = {
    cycle,
    cost: asked?.cost ?? 0,
    model: asked?.said == null ? null : asked.model,
    checked: plan.checked,
    confirmed: of("confirmed"),
    contradicted: of("contradicted"),
    merged: plan.steps
      .filter(({ kind }) => kind === "kept")
      .map(({ after, because }) => ({ kept: after.id, superseded: because, text: after.text })),
    generalised: of("generalised"),
    capped: of("capped"),
    stale: of("stale"),
    archived: plan.steps
      .filter(({ before, after }) => before.status === "active" && after.status === "archived")
      .map(learningChange),
    ...{ flagged: plan.flagged, blockers: plan.blockers },
    proposed: plan.proposals.map(({ id }) => id),
    ...{ proposals: plan.proposals, asked },
  };
  return { ...report, summary: describeReflection(report, plan.judged) };
}

function learningChange({ before, after, because }: LearningStep): LearningChange {
  return { id: after.id, text: after.text, before: before.confidence, after: after.confidence, because };
}

/** In whole sentences, with numbers. What a model wrote comes last, and is marked. */
function describeReflection(
  report: Omit<ReflectionReport, "summary">,
  { verified, failed }: ReflectionPlan["judged"],
): string {
  const { checked, confirmed, contradicted, merged, generalised, capped, stale, archived } = report;
  const tried =
    verified + failed === 0
      ? "No attempt was judged since the last reflection."
      : `Since the last reflection, ${plural(verified, "attempt was", "attempts were")} verified and ${failed} failed.`;
  const looked =
    checked.length === 0
      ? "There is no learning to check."
      : `I checked ${plural(checked.length, "learning")}: ${confirmed.length} confirmed, ${contradicted.length} contradicted, ${checked.length - confirmed.length - contradicted.length} unchanged.`;
  return [
    tried,
    looked,
    ...confirmed.map((one) => describeChange("Confirmed", one)),
    ...contradicted.map((one) => describeChange("Contradicted", one)),
    ...generalised.map(
      ({ text, because }) => `It worked in ${because.length} goals and now holds everywhere: ${oneLine(text)}`,
    ),
    ...merged.map(({ kept, superseded, text }) => `Merged ${superseded.join(", ")} into ${kept}: ${oneLine(text)}`),
    ...(capped.length === 0
      ? []
      : [
          `${plural(capped.length, "learning")} of ended goals ${capped.length === 1 ? "is" : "are"} less certain now.`,
        ]),
    ...(stale.length === 0
      ? []
      : [
          `${plural(stale.length, "learning")} lost confidence, because nothing used or confirmed ${stale.length === 1 ? "it" : "them"} for long.`,
        ]),
    ...archived.map(({ text }) => `Archived, because too little speaks for it: ${oneLine(text)}`),
    ...report.flagged.map(
      ({ strategy, failures }) =>
        `"${oneLine(strategy)}" failed ${failures} times and was never verified: try another way.`,
    ),
    ...report.blockers.map(describeBlocker),
    ...report.proposals.map(
      ({ id, title, why, writtenBy }) =>
        `I propose ${id}: ${title} (${why}${writtenBy === null ? "" : `; written by ${writtenBy}`}).`,
    ),
    ...describeAsked(report.asked),
  ].join("\n");
}

function describeChange(what: string, { text, before, after, because }: LearningChange): string {
  return `${what} by ${plural(because.length, "result")} (${before.toFixed(2)} → ${after.toFixed(2)}): ${oneLine(text)}`;
}

function describeBlocker({ cause, kind, goals, tasks }: Blocker): string {
  const where = `${plural(tasks.length, "task")} of ${goals.join(", ")}`;
  if (kind === "credential") return `You are needed: the ${cause} is missing. It blocks ${where}.`;
  return `You are needed: one cause blocks ${where}: ${oneLine(cause)}`;
}

function describeAsked(asked: AskedModel | null): readonly string[] {
  if (asked === null) return [];
  if (asked.said === null) return [`No model added to this: ${oneLine(asked.problem ?? "", 300)}`];
  return [`${asked.model} wrote: ${oneLine(asked.said, 2_000)}`];
}

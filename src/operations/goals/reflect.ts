import { z } from "zod";
import { type ModelRef, parseModelRef } from "../../domain/model/model-ref.ts";
import { OldhandError } from "../../lib/errors.ts";
import { defineOperation } from "../../operation.ts";
import { isReflectionDue, reflectByHand } from "../../work/goals/reflect/reflect-by-hand.ts";
import { previewReflection } from "../../work/goals/reflect/reflect.ts";
import type { LearningChange, ReflectionReport } from "../../work/goals/reflect/report.ts";

const learningShape = z
  .object({
    id: z.string(),
    text: z.string(),
    before: z.number().describe("its confidence"),
    after: z.number(),
    because: z.array(z.string()).describe("ids of the attempts, tasks, goals or learnings that show it"),
  })
  .meta({ id: "ReflectedLearning" });

const learnings = z.array(learningShape);
const ids = z.array(z.string());

const reflect = defineOperation({
  name: "reflect",
  summary:
    "Looks back over the work on goals: checks what was learned, names what fails and what blocks, proposes goals.",
  effect: "spends",
  on: "goal",
  label: "Look back",
  input: z.object({
    dryRun: z.boolean().optional().describe("show what would change; write nothing and ask no model"),
    model: z.string().min(1).optional().describe("the model to ask, as PROVIDER/MODEL (default: the router chooses)"),
  }),
  output: z.object({
    written: z.boolean(),
    due: z.object({ due: z.boolean(), why: z.string() }).describe("if a cycle would have reflected now, and why"),
    cycle: z.string().nullable(),
    summary: z.string(),
    cost: z.number().describe("of the model call, in US dollars"),
    model: z.string().nullable().describe("the model that added to it"),
    checked: ids.describe("learnings that were checked"),
    confirmed: learnings,
    contradicted: learnings,
    merged: z.array(z.object({ kept: z.string(), superseded: ids, text: z.string() })),
    generalised: learnings.describe("valid everywhere from now on"),
    capped: learnings.describe("of goals that have ended"),
    stale: learnings.describe("not used or confirmed for long"),
    archived: learnings,
    flagged: z.array(z.object({ strategy: z.string(), failures: z.number() })),
    blockers: z.array(z.object({ cause: z.string(), kind: z.enum(["credential", "reason"]), goals: ids, tasks: ids })),
    proposed: ids.describe("goals; oldhand goal approve makes one active"),
    proposals: z.array(
      z.object({
        id: z.string(),
        title: z.string(),
        description: z.string(),
        why: z.string(),
        folder: z.string().nullable(),
        writtenBy: z.string().nullable().describe("the model that wrote it; null: it follows from the tables"),
      }),
    ),
    asked: z
      .object({
        model: z.string().nullable(),
        call: z.string().nullable(),
        cost: z.number(),
        said: z.string().nullable().describe("what the model wrote"),
        proposals: z.array(z.object({ title: z.string(), description: z.string(), why: z.string() })),
        problem: z.string().nullable().describe("why nothing of it was used"),
      })
      .nullable()
      .describe("null: no model was asked"),
  }),
  example: "oldhand reflect --dry-run",
  isOwnerOnly: () => true,
  run: async (ctx, { dryRun = false, model }) => {
    const wanted = model === undefined ? null : requireModel(model);
    const due = await isReflectionDue(ctx);
    const report = dryRun ? await previewReflection(ctx) : await reflectByHand(ctx, { model: wanted });
    return { written: !dryRun, due, ...reportOut(report) };
  },
  render: ({ written, due, summary, proposed }) =>
    [
      summary,
      ...(written
        ? proposed.map((id) => `oldhand goal approve ${id} makes it active; oldhand goal drop ${id} refuses it.`)
        : [`Nothing was written. ${due.due ? "A reflection is due" : "No reflection is due"}: ${due.why}.`]),
    ].join("\n"),
});

export const reflectOperations = [reflect] as const;

function reportOut(report: ReflectionReport) {
  const { checked, merged, flagged, blockers, proposed, proposals, asked, ...rest } = report;
  return {
    ...{ cycle: rest.cycle, summary: rest.summary, cost: rest.cost, model: rest.model },
    ...{ confirmed: rest.confirmed.map(learningOut), contradicted: rest.contradicted.map(learningOut) },
    ...{ generalised: rest.generalised.map(learningOut), capped: rest.capped.map(learningOut) },
    ...{ stale: rest.stale.map(learningOut), archived: rest.archived.map(learningOut) },
    ...{ checked: [...checked], flagged: [...flagged], proposed: [...proposed], proposals: [...proposals] },
    merged: merged.map((one) => ({ ...one, superseded: [...one.superseded] })),
    blockers: blockers.map((one) => ({ ...one, goals: [...one.goals], tasks: [...one.tasks] })),
    asked: asked === null ? null : { ...asked, proposals: [...asked.proposals] },
  };
}

function learningOut({ because, ...one }: LearningChange) {
  return { ...one, because: [...because] };
}

function requireModel(text: string): ModelRef {
  const ref = parseModelRef(text);
  if (ref !== null) return ref;
  throw new OldhandError("usage", `"${text}" is not a model`, { hint: "write it as PROVIDER/MODEL" });
}

import type { Context } from "../../../context.ts";
import { unnamedAgent } from "../../../domain/actor.ts";
import type { ModelRef } from "../../../domain/model/model-ref.ts";
import { redactValue } from "../../../domain/redact/redact.ts";
import { hashId, newId } from "../../../lib/ids.ts";
import { stableJson } from "../../../lib/json.ts";
import { throwIfStopped } from "../../../lib/stopped.ts";
import { addGoal } from "../../../record/goals/goals.ts";
import type { Db } from "../../../store/engine/db.ts";
import { addExecutionEntry } from "../../../store/goals/execution-log.ts";
import { listReflections } from "../../../store/goals/reflections.ts";
import { applyAllChanges, makeProvenance, planChange, withJournalLock } from "../../../store/journal/journal.ts";
import { memoryNoun } from "../../../store/nouns/memories.ts";
import { recordMemoryUses } from "../../../store/shown/memory-uses.ts";
import { type AskedModel, askForProposals } from "./ask-for-proposals.ts";
import type { GoalProposal } from "./plan-proposals.ts";
import { planReflection, type ReflectionPlan } from "./plan-reflection.ts";
import { readReflectionFacts } from "./read-facts.ts";
import { makeReflectionReport, type ReflectionReport } from "./report.ts";
import { readLearningVectors } from "./similar-learnings.ts";

type ReflectContext = Pick<Context, "db" | "clock" | "config" | "models" | "signal">;

export interface ReflectionWish {
  /** The cycle that reflects; null: none does. */
  readonly cycle: string | null;
  /** The model to ask; null or absent: the router chooses. */
  readonly model?: ModelRef | null | undefined;
}

/**
 * Looks back over what was done. A model is asked first, then everything is written in one transaction, from the tables as they
 * are then: a process that dies has written all of it or nothing.
 */
export async function reflect(ctx: ReflectContext, { cycle, model = null }: ReflectionWish): Promise<ReflectionReport> {
  const began = ctx.clock.now();
  const vectors = await readLearningVectors(ctx);
  const { facts, plan: first } = await plan(ctx, ctx.db, { vectors, asked: null });
  const asked = (await isWorthAsking(ctx.db, first)) ? await askForProposals(ctx, { facts, plan: first }, model) : null;
  throwIfStopped(ctx.signal);
  return withJournalLock(ctx.db, async (tx) => {
    const { plan: last } = await plan(ctx, tx, { vectors, asked });
    const report = redactValue(makeReflectionReport(last, { cycle, asked }));
    await writeLearnings({ ...ctx, db: tx }, last);
    for (const one of last.proposals) await propose({ ...ctx, db: tx }, one);
    const at = ctx.clock.now();
    const { summary, ...details } = report;
    await addExecutionEntry(tx, {
      // A cycle reflects once, however often it is tried.
      ...{ id: cycle === null ? newId("log", at) : hashId("log", `reflect ${cycle}`), at, cycle },
      ...{ action: "reflect", summary, details, ms: Math.max(0, at - began), goal: null, task: null, source: null },
    });
    return report;
  });
}

/** What a reflection would find and change now. Asks no model and writes nothing. */
export async function previewReflection(ctx: ReflectContext): Promise<ReflectionReport> {
  const vectors = await readLearningVectors(ctx);
  const { plan: planned } = await plan(ctx, ctx.db, { vectors, asked: null });
  return redactValue(makeReflectionReport(planned, { cycle: null, asked: null }));
}

async function plan(
  { clock, config }: ReflectContext,
  db: Db,
  { vectors, asked }: { readonly vectors: ReadonlyMap<string, Int8Array>; readonly asked: AskedModel | null },
) {
  const now = clock.now();
  const facts = await readReflectionFacts(db, vectors);
  const written = { model: asked?.model ?? null, proposals: asked?.proposals ?? [] };
  return { facts, plan: await planReflection(facts, written, { policy: config.policy, now }) };
}

/** A model costs money: it is asked only if something happened since the last reflection. */
async function isWorthAsking(db: Db, { judged, flagged, blockers }: ReflectionPlan): Promise<boolean> {
  if (judged.verified + judged.failed > 0) return true;
  const [last] = await listReflections(db, { limit: 1 });
  const known = { flagged: last?.details["flagged"] ?? [], blockers: last?.details["blockers"] ?? [] };
  return stableJson(redactValue({ flagged, blockers })) !== stableJson(known);
}

async function writeLearnings(ctx: Pick<Context, "db" | "clock">, { steps, checked }: ReflectionPlan): Promise<void> {
  const worker = { ...ctx, actor: { kind: "worker", id: "reflection" } as const };
  const changes = steps.map(({ after, note }) =>
    planChange(memoryNoun, after.id, makeProvenance(worker, "reflect", note), () => after),
  );
  await applyAllChanges(ctx.db, changes);
  const at = ctx.clock.now();
  const of = (kind: string) => steps.filter((step) => step.kind === kind).map(({ after }) => after.id);
  await recordMemoryUses(ctx.db, checked, { at, kind: "checked" });
  for (const kind of ["confirmed", "contradicted"] as const) await recordMemoryUses(ctx.db, of(kind), { at, kind });
}

/** As an agent, so it is only proposed. */
async function propose(
  { db, clock }: Pick<Context, "db" | "clock">,
  { id, title, description, why, folder, writtenBy }: GoalProposal,
): Promise<void> {
  const metadata = { proposedBy: "reflection", why, ...(writtenBy === null ? {} : { writtenBy }) };
  const marked = writtenBy === null ? description : `Written by ${writtenBy}:\n${description}`;
  await addGoal(
    { db, clock, actor: unnamedAgent },
    { ...{ id, title, description: marked, folder, metadata }, priority: 5, parent: null, dependsOn: [] },
  );
}

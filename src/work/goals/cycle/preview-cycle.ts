import type { Context } from "../../../context.ts";
import { chooseAction, type CycleChoice } from "../../../domain/goal/choose-action.ts";
import { formatModelRef } from "../../../domain/model/model-ref.ts";
import { chooseModels } from "../../../models/gateway/choose-models.ts";
import { openPricesOf } from "../../../models/prices/open-prices-of.ts";
import { choosePhaseModel } from "./choose-phase-model.ts";
import { orient } from "./orient.ts";
import type { CycleParts } from "./agent/cycle-parts.ts";
import { placeOf } from "./places/open-place.ts";

/** What a cycle would do now. */
export interface CyclePreview {
  readonly choice: CycleChoice;
  /** What the choice asks of a model; null: it calls none. */
  readonly tier: string | null;
  /** Null: none can be used, or none is called. */
  readonly model: string | null;
  readonly place: { readonly folder: string; readonly branch: string | null } | null;
  readonly snapshotFault: string | null;
}

/** Looks and writes nothing. */
export async function previewCycle(
  ctx: Context,
  parts: Pick<CycleParts, "findReflection">,
  given: { readonly model: string | null },
): Promise<CyclePreview> {
  const { board, attempts, plans, snapshotFault } = await orient(ctx);
  const reflection = await parts.findReflection();
  const { mostAttempts } = ctx.config.policy.goals;
  const choice = chooseAction(board, { attempts, plans, mostAttempts, reflection });
  const tier = choice.action === "execute" ? choice.task.tier : choice.action === "decompose" ? "plan" : null;
  const model =
    tier === null || choice.goal === null ? null : await findModel(ctx, tier, choosePhaseModel(choice, given.model));
  const number =
    1 + Math.max(0, ...attempts.filter(({ task }) => task === choice.task?.id).map((attempt) => attempt.number));
  const place =
    choice.action === "execute" ? placeOf(ctx.config.home, choice.goal, { task: choice.task.id, number }) : null;
  return { choice, tier, model, place, snapshotFault };
}

async function findModel(
  { db, config, clock }: Context,
  taskType: string,
  named: string | null,
): Promise<string | null> {
  if (named !== null) return named;
  const prices = await openPricesOf(config);
  const chat = { messages: [], maxTokens: config.policy.chat.answerTokens };
  const request = {
    agent: "oldhand",
    taskType,
    complexity: undefined,
    chat,
    inputTokens: 5_000,
    checked: true,
  } as const;
  const { targets } = await chooseModels(
    { db, config, prices },
    { ...request, preferredProvider: undefined, model: undefined, mayUseOthers: undefined },
    clock.now(),
  );
  const [first] = targets;
  return first === undefined ? null : formatModelRef(first);
}

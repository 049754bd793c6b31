import { getBreakerState } from "../../domain/model/breaker.ts";
import {
  type Budget,
  type Cap,
  checkCap,
  explainCapHitWithCommand,
  markUnpriced,
  spendingDay,
} from "../../domain/model/caps.ts";
import { boundInputTokens, worstCost } from "../../domain/model/cost.ts";
import { formatModelRef, type ModelRef } from "../../domain/model/model-ref.ts";
import { toNanosUp } from "../../domain/model/money.ts";
import { listBreakers } from "../../store/models/breakers.ts";
import { listCapUsage } from "../../store/models/cap-usage.ts";
import { choosePrice } from "../prices/choose-price.ts";
import { type ChoiceParts, chooseModels, listLeftOut } from "./choose-models.ts";
import { explainOpen } from "./usable-models.ts";

/** The models that a small task of an agent would be sent to now, and the reasons why not to the others. */
export interface ReadyModels {
  /** In the order in which they would be tried. */
  readonly ready: readonly ModelRef[];
  /** One sentence for each model that is left out; it begins with the model's name. */
  readonly left: readonly string[];
}

/** Chooses as a call does, and checks breakers and caps as a call does. Calls no provider and reserves nothing. */
export async function findReadyModels(parts: ChoiceParts, agent: string, now: number): Promise<ReadyModels> {
  const { targets, why } = await chooseModels(parts, { agent, taskType: "general", chat: SMALL_TASK }, now);
  const breakers = await listBreakers(parts.db);
  const caps = (await listCapUsage(parts.db, now)).filter(
    ({ cap }) => cap.kind === "day" || (cap.kind === "agent" && cap.name === agent),
  );
  const ready: ModelRef[] = [];
  const left = [...listLeftOut(why)];
  for (const ref of targets) {
    const breaker = breakers.find(({ provider }) => provider === ref.provider);
    const isOpen = breaker !== undefined && getBreakerState(breaker, now) === "open";
    const reason = isOpen
      ? explainOpen(breaker, parts.config.providers, ref)
      : findCapReason(parts, { ref, caps, now });
    if (reason === null) ready.push(ref);
    else left.push(`${formatModelRef(ref)} is left out: ${reason}.`);
  }
  return { ready, left };
}

/** The most tokens that a model of those which can be called now holds. Null if none can be, or if the window of one is unknown. */
export async function findLargestWindow(parts: ChoiceParts, now: number): Promise<number | null> {
  const { targets } = await chooseModels(parts, { agent: "none", taskType: "general", chat: SMALL_TASK }, now);
  const windows = targets.map((ref) => parts.prices.window(ref).context);
  return windows.length === 0 || windows.includes(null) ? null : Math.max(...windows.map((one) => one ?? 0));
}

/** As `agents complete` sends it, without memory. */
const SMALL_TASK = {
  messages: [{ role: "user", parts: [{ kind: "text", text: "hello" }] }],
  maxTokens: 1_000,
} as const;

function findCapReason(
  { prices, config }: ChoiceParts,
  of: { readonly ref: ModelRef; readonly caps: readonly (Budget & { readonly cap: Cap })[]; readonly now: number },
): string | null {
  const { ref, caps, now } = of;
  const chosen = choosePrice(prices, ref, now, config.policy.models.unknownPrice);
  if (chosen === null) return "its price is unknown (models.unknownPrice)";
  const tokens = { inputTokens: boundInputTokens(SMALL_TASK), maxTokens: SMALL_TASK.maxTokens };
  const amount = toNanosUp(worstCost(chosen.price, tokens));
  for (const usage of caps) {
    const hit = checkCap(usage.cap, usage, amount, spendingDay(now));
    if (hit !== null) return explainCapHitWithCommand(markUnpriced(hit, chosen.isKnown ? null : formatModelRef(ref)));
  }
  return null;
}

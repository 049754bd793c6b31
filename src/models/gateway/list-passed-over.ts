import { findDefaultModel } from "../../domain/model/endpoint.ts";
import { formatModelRef } from "../../domain/model/model-ref.ts";
import type { Complexity } from "../../domain/route/tally.ts";
import { listTallies } from "../../store/models/tallies.ts";
import { listRoutePreferences } from "../../store/nouns/route-preferences.ts";
import type { PriceTable } from "../prices/prices.ts";
import { chooseModels, type ChoiceParts } from "./choose-models.ts";
import { isFreeModel } from "./explain-instead.ts";

/** A kind of task for which a new session does not begin with the default model, although it could. */
export interface PassedOver {
  readonly taskType: string;
  readonly complexity: Complexity;
  readonly model: string;
  /** The end of a sentence. */
  readonly why: string;
  /** It is paid, and the default is free. */
  readonly costsMoney: boolean;
}

/** Loads the prices only if there is a verdict or a preference: otherwise the default goes first everywhere. */
export async function listPassedOver(
  { db, config, prices: open }: Omit<ChoiceParts, "prices"> & { readonly prices: () => Promise<PriceTable> },
  now: number,
): Promise<readonly PassedOver[]> {
  const standard = findDefaultModel(config.providers);
  const judged = (await listTallies(db)).filter((one) => one.attempt === "first" && one.judged > 0);
  const kinds = new Map(
    [...judged, ...(await listRoutePreferences(db))].map(({ taskType, complexity }) => [
      `${complexity} ${taskType}`,
      { taskType, complexity },
    ]),
  );
  if (standard === null || kinds.size === 0) return [];
  const prices = await open();
  const found: PassedOver[] = [];
  for (const kind of kinds.values()) {
    const request = { agent: "owner", ...kind, chat: { messages: [], maxTokens: 1_000 }, inputTokens: 2_000 };
    const { targets, passedOver } = await chooseModels({ db, config, prices }, request, now);
    const [first] = targets;
    if (first === undefined || passedOver === undefined) continue;
    const costsMoney = isFreeModel(prices, standard, now) && !isFreeModel(prices, first, now);
    found.push({ ...kind, model: formatModelRef(first), why: passedOver, costsMoney });
  }
  return found;
}

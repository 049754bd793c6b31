import type { Context } from "../../../context.ts";
import { explainNoPrice } from "../../../models/prices/explain-no-price.ts";
import { requireModelRef } from "../../../models/providers/named-model.ts";

/** What a person should know of a model that they typed: that its price is unknown, because its name may be mistyped. */
export async function explainTypedModel(
  ctx: Pick<Context, "config" | "clock">,
  typed: string | null | undefined,
): Promise<readonly string[]> {
  return typed == null ? [] : explainNoPrice(ctx, requireModelRef(typed, ctx.config.providers));
}

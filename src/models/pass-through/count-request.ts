import type { IncomingHttpHeaders } from "node:http";
import type { Config } from "../../config.ts";
import { explainCapHitWithCommand, markUnpriced } from "../../domain/model/caps.ts";
import { formatModelRef } from "../../domain/model/model-ref.ts";
import type { Clock } from "../../lib/clock.ts";
import { newId } from "../../lib/ids.ts";
import type { Db } from "../../store/engine/db.ts";
import { breakerPolicy } from "../gateway/gateway-parts.ts";
import type { PriceTable } from "../prices/prices.ts";
import { type Caller, isSubscription } from "./caller.ts";
import { type Meter, type MeteredCall, openMeter, storeHeldBack } from "./meter.ts";
import { type HeldBack, type ProviderWatch, watchProvider } from "./provider-watch.ts";
import type { AskedCall } from "./read-request.ts";
import { type Refused, refused } from "./refusal.ts";
import type { Upstream } from "./upstream.ts";
import type { WireApi } from "./wire-api.ts";

export interface Counting {
  readonly db: Db;
  readonly clock: Clock;
  readonly config: Pick<Config, "policy">;
  readonly prices: () => Promise<PriceTable>;
}

export type CountedCall = { readonly kind: "counted"; readonly meter: Meter } | Refused;

/** Reserves what the call may cost. A call to a provider that fails, or that does not fit under a cap, is refused. */
export async function countRequest(
  { db, clock, config, prices }: Counting,
  of: {
    readonly api: WireApi;
    readonly headers: IncomingHttpHeaders;
    readonly caller: Caller;
    readonly asked: AskedCall;
    readonly upstream: Upstream;
    readonly usesOwnKey: boolean;
  },
): Promise<CountedCall> {
  const { api, headers, caller, asked, upstream, usesOwnKey } = of;
  const at = clock.now();
  const ref = { provider: upstream.provider, model: asked.model };
  const name = formatModelRef(ref);
  const call: MeteredCall = {
    id: newId("call", at),
    at,
    caller,
    ref,
    asked,
    listPrice: isSubscription(api, headers),
  };
  const watch = await watchProvider(
    { db, clock, policy: breakerPolicy(config) },
    { name: upstream.breaker, usesOwnKey },
  );
  if (watch.held !== null) {
    await storeHeldBack({ db, clock }, call, watch.held);
    return refuseHeldBack(watch.held, name);
  }
  const { unknownPrice } = config.policy.models;
  const opened = await openMeter({ db, clock, prices: await prices(), unknownPrice }, call);
  if (opened.kind === "open") return { kind: "counted", meter: noteAtEnd(opened.meter, watch) };
  if (opened.kind === "unknown-price") {
    const why = `the price of ${name} is unknown, and models.unknownPrice is refuse; models.prices names a file with prices of your own`;
    return refused(400, why);
  }
  return refused(402, explainCapHitWithCommand(markUnpriced(opened.hit, opened.priceKnown ? null : name)));
}

function noteAtEnd(meter: Meter, watch: ProviderWatch): Meter {
  let ending: Promise<void> | null = null;
  return { ...meter, finish: (end) => (ending ??= meter.finish(end).then(() => watch.note(end))) };
}

/** Clients ask again by themselves after 503; for a wrong key or used up credit that does not help. */
function refuseHeldBack({ why, waitMs, isOfKey }: HeldBack, model: string): Refused {
  const wait = `it is tried again in ${Math.ceil(waitMs / 1_000)} s`;
  if (!isOfKey) return refused(503, `${why}; ${wait}`, waitMs);
  return refused(
    503,
    `${why}; ${wait}. It is the key of oldhand serve: oldhand models test ${model} tries it at once`,
    null,
  );
}

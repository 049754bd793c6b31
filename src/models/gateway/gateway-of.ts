import type { Config } from "../../config.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Db } from "../../store/engine/db.ts";
import type { ChatProvider } from "../chat/chat.ts";
import { openPricesOf } from "../prices/open-prices-of.ts";
import type { PriceTable } from "../prices/prices.ts";
import { openProvider } from "../providers/open-provider.ts";
import type { GatewayParts } from "./gateway-parts.ts";
import type { Gateway } from "./gateway.ts";
import { openGateway } from "./open-gateway.ts";

/** The parts of a context that a gateway needs. */
export interface GatewayContext {
  readonly db: Db;
  readonly clock: Clock;
  readonly config: Pick<Config, "home" | "policy" | "providers">;
}

/** The gateway of a mind: one for each open store and its settings. The first call that needs an SDK or the prices loads them. */
export function gatewayOf(ctx: GatewayContext): Gateway {
  const known = gateways.get(ctx.db);
  if (known?.config === ctx.config) return known.gateway;
  const gateway = openGateway(gatewayParts(ctx));
  gateways.set(ctx.db, { config: ctx.config, gateway });
  return gateway;
}

const gateways = new WeakMap<Db, { readonly config: GatewayContext["config"]; readonly gateway: Gateway }>();

/** Opens the configured providers and the prices, each once, on first use. */
export function gatewayParts({ db, clock, config }: GatewayContext): GatewayParts {
  const { providers, policy } = config;
  const limits = { idleMs: policy.models.idleSeconds * 1_000, totalMs: policy.models.callSeconds * 1_000 };
  const opened = new Map<string, Promise<ChatProvider>>();
  let prices: Promise<PriceTable> | null = null;
  return {
    db,
    clock,
    config,
    provider: (name) => {
      const known = opened.get(name) ?? openProvider(name, providers, limits);
      opened.set(name, known);
      // A failure is not cached: a missing variable may be set before the next call.
      known.catch(() => opened.delete(name));
      return known;
    },
    prices: () => (prices ??= openPricesOf(config)),
  };
}

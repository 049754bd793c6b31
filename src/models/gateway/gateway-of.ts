import type { Config } from "../../config.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Db } from "../../store/engine/db.ts";
import type { ChatProvider } from "../chat/chat.ts";
import { newPricesOf } from "../prices/open-prices-of.ts";
import { openProvider } from "../providers/open-provider.ts";
import type { GatewayParts } from "./gateway-parts.ts";
import type { Gateway } from "./gateway.ts";
import { keptParts, openGateway } from "./open-gateway.ts";

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
  // What the process knows of sessions and of calls outlives the settings.
  const kept = known?.kept ?? keptParts(ctx.db);
  const gateway = openGateway(gatewayParts(ctx), kept);
  gateways.set(ctx.db, { config: ctx.config, gateway, kept });
  return gateway;
}

/** For what lives as long as a chat: each call takes the settings as they are when it begins. */
export function currentGatewayOf(ctx: GatewayContext): Gateway {
  return {
    complete: (request) => gatewayOf(ctx).complete(request),
    stream: (request) => gatewayOf(ctx).stream(request),
    redact: (scope, value) => gatewayOf(ctx).redact(scope, value),
    recordQuality: (call, quality) => gatewayOf(ctx).recordQuality(call, quality),
  };
}

interface KnownGateway {
  readonly config: GatewayContext["config"];
  readonly gateway: Gateway;
  readonly kept: ReturnType<typeof keptParts>;
}

const gateways = new WeakMap<Db, KnownGateway>();

/** Opens the configured providers and the prices, each once, on first use. */
export function gatewayParts({ db, clock, config }: GatewayContext): GatewayParts {
  const { providers, policy } = config;
  const limits = { idleMs: policy.models.idleSeconds * 1_000, totalMs: policy.models.callSeconds * 1_000 };
  const opened = new Map<string, Promise<ChatProvider>>();
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
    prices: newPricesOf(() => config),
  };
}

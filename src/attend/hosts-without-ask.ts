import type { Context } from "../context.ts";
import { deliveryForAsk, type Delivery } from "../domain/rule/delivery/delivery.ts";
import type { Origin } from "../domain/rule/rule.ts";
import { readLastHeartbeat } from "../lib/heartbeat.ts";
import { hosts } from "../observe/hosts/list.ts";

/** A host that cannot ask its user, and whose hooks have run on this machine. */
export interface HostWithoutAsk {
  readonly host: string;
  /** How a rule at `ask` is delivered there instead. */
  readonly instead: (origin: Origin) => Delivery;
}

export async function listHostsWithoutAsk({ config }: Pick<Context, "config">): Promise<readonly HostWithoutAsk[]> {
  const found: HostWithoutAsk[] = [];
  for (const host of hosts) {
    if (readLastHeartbeat(config.home, host.name) === null) continue;
    const { calls } = await host.protocol();
    if (calls.asks !== "yes") found.push({ host: host.title, instead: (origin) => deliveryForAsk(calls, origin) });
  }
  return found;
}

/** The predicate of a sentence about the rule. */
export const askFallbackTexts: Readonly<Record<Delivery, string>> = {
  note: "is only shown as a note",
  hold: "holds the call once",
  ask: "asks",
  deny: "denies the call and names the override",
};

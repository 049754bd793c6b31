import type { Context } from "../context.ts";
import { deliveryForAsk, type Delivery } from "../domain/rule/delivery.ts";
import type { Origin } from "../domain/rule/rule.ts";
import { readLastHeartbeat } from "../lib/heartbeat.ts";
import { hosts } from "../observe/hosts/list.ts";

/** A host whose hooks fired here, and that cannot ask its user. */
export interface HostWithoutAsk {
  readonly host: string;
  /** What a rule at `ask` does there instead. */
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

/** What it does, as a person would say it of the rule. */
export const askFallbackTexts: Readonly<Record<Delivery, string>> = {
  note: "is only shown as a note",
  hold: "holds the call once",
  ask: "asks",
  deny: "denies the call and names the override",
};

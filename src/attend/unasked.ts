import type { Context } from "../context.ts";
import { askedAs, type Delivery } from "../domain/rule/delivery.ts";
import type { Origin } from "../domain/rule/rule.ts";
import { hostNamed } from "../observe/hosts/list.ts";
import { hostsSeen } from "../store/sessions.ts";

/** A host that was heard of and cannot ask its user. */
export interface UnaskingHost {
  readonly host: string;
  /** What a rule at `ask` does there instead. */
  readonly instead: (origin: Origin) => Delivery;
}

export async function unaskingHosts({ db }: Pick<Context, "db">): Promise<readonly UnaskingHost[]> {
  const found: UnaskingHost[] = [];
  for (const { host: name } of await hostsSeen(db)) {
    const host = hostNamed(name);
    const calls = (await host?.protocol())?.calls;
    if (host === undefined || calls === undefined || calls.asks === "yes") continue;
    found.push({ host: host.title, instead: (origin) => askedAs(calls, origin) });
  }
  return found;
}

/** What it does, as a person would say it of the rule. */
export const insteadOfAsking: Readonly<Record<Delivery, string>> = {
  note: "only speaks",
  hold: "holds the call once",
  ask: "asks",
  deny: "denies the call and names the override",
};

import { isFromUserWords } from "../../domain/rule/backing.ts";
import { type CallControl, type Delivery, deliveryForAsk } from "../../domain/rule/delivery/delivery.ts";
import type { ActiveRule } from "../../domain/rule/rule.ts";
import {
  formatDenyMessage,
  formatHoldMessage,
  formatRuleMessage,
  formatStopForPerson,
  formatUnaskedMessage,
} from "../../domain/rule/wording/rule-message.ts";
import type { CallAdvice } from "./before-call.ts";

/** How the call is stopped, and by which rules: one, or all that hold it. */
export interface CallStop {
  readonly rules: readonly [ActiveRule, ...ActiveRule[]];
  readonly delivery: Exclude<Delivery, "note">;
}

/** How a rule of this level is delivered by a host with this control; whether a `nudge` holds is decided later. */
export function deliveryOf({ level, origin }: ActiveRule, control: CallControl): Delivery {
  return level === "ask" ? deliveryForAsk(control, origin) : level === "deny" ? "deny" : "note";
}

export function formatReason({ rules, delivery }: CallStop): string {
  if (delivery === "hold") return formatHoldMessage(rules);
  const [rule] = rules;
  if (delivery !== "deny") return formatRuleMessage(rule);
  return rule.level === "ask" ? formatUnaskedMessage(rule) : formatDenyMessage(rule);
}

/**
 * A note that the host takes before the call and shows to the model with its result: it must be true beside a success
 * too.
 */
export function formatEarlyNote(rule: ActiveRule): string {
  const message = formatRuleMessage(rule);
  return saysItFails(rule) ? `${message} ${IF_IT_WORKED}` : message;
}

const IF_IT_WORKED = "If the call worked all the same, ignore this.";

export function toDecision({ rules, delivery }: CallStop, reason: string): NonNullable<CallAdvice["decision"]> {
  return delivery === "ask"
    ? { kind: "ask", reason }
    : { kind: "deny", reason, forPerson: formatStopForPerson(rules, delivery) };
}

/** True for a rule from failed calls. What a user or the owner does not want may still work. */
export function saysItFails(rule: ActiveRule): boolean {
  return rule.origin === "tool" && !isFromUserWords(rule);
}

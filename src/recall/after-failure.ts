import type { Context } from "../context.ts";
import type { NewEvent } from "../domain/event/event.ts";
import type { ActiveRule } from "../domain/rule/rule.ts";
import { findAdvisedCommand } from "../domain/rule/contradiction.ts";
import { formatRuleMessage } from "../domain/rule/rule-message.ts";
import { readShownAtCalls } from "../store/shown/shown.ts";
import { composeMessage, type Message } from "./compose-message.ts";
import type { Recipient } from "./message-parts.ts";
import { type Audience, listSayableRules } from "./calls/sayable-rules.ts";

/** The rules that a failed call bears out: whose matcher it meets or, without one, of its signature. Not those said with it already. */
export async function composeAfterFailure(
  ctx: Pick<Context, "db" | "config">,
  to: FailureRecipient,
  call: NewEvent,
): Promise<RuleMessage | null> {
  const borneOut = await findRulesForFailure(ctx, to, call);
  if (borneOut.length === 0) return null;
  const shownBefore = await readShownAtCalls(ctx.db, { host: to.host, session: to.session, agent: call.agent });
  const found = borneOut.filter((rule) => !shownBefore.rules.has(rule.id));
  const parts = found.slice(0, ctx.config.policy.recall.adviceLimit).map((rule) => ({
    kind: "rule" as const,
    subject: rule.id,
    level: rule.level,
    says: formatRuleMessage(rule),
  }));
  const message = composeMessage("", [{ heading: "", share: 1, parts }], { characters: to.hears, already: new Set() });
  return message === null ? null : { ...message, nameRemedy: found.some(namesRemedy) };
}

/** With whether one of them says what to do instead. */
type RuleMessage = Message & { readonly nameRemedy: boolean };

function namesRemedy({ origin, text }: ActiveRule): boolean {
  return origin === "owner" || findAdvisedCommand(text) !== null;
}

type FailureRecipient = Recipient & Partial<Pick<Audience, "inPlay">>;

/** Those of them that may be said here. */
export async function findRulesForFailure(
  ctx: Pick<Context, "db" | "config">,
  to: FailureRecipient,
  call: Omit<NewEvent, "seq">,
): Promise<readonly ActiveRule[]> {
  const rules = await listSayableRules(ctx, to, (rule) => rule.signature !== null || rule.matcher !== null);
  if (rules.length === 0 || call.tool === null) return [];
  // Loaded only where there are rules: reading a call costs more than storing it.
  const { readCall } = await import("../domain/event/reading.ts");
  const { outcome, benign, signature } = readCall(call);
  if (outcome !== "failed" || benign) return [];
  const { newCallMatchCheck } = await import("./calls/call-match.ts");
  const matching = newCallMatchCheck(ctx.db, { ...call, tool: call.tool });
  const found: ActiveRule[] = [];
  for (const rule of rules) {
    // Errors of one kind have one signature, whatever path or name they speak of: a matcher knows which is meant.
    if (rule.matcher === null ? rule.signature === signature : await matching(rule.matcher)) found.push(rule);
  }
  return found;
}

import type { Context } from "../context.ts";
import type { NewEvent } from "../domain/event/event.ts";
import type { ActiveRule } from "../domain/rule/rule.ts";
import { findAdvisedCommand } from "../domain/rule/matching/contradiction.ts";
import { formatRuleMessage } from "../domain/rule/wording/rule-message.ts";
import { getRule } from "../store/nouns/rules.ts";
import { listRulesShownWith, readShownAtCalls } from "../store/shown/shown.ts";
import { composeMessage, type Message } from "./compose-message.ts";
import type { Recipient } from "./message-parts.ts";
import { type Audience, listSayableRules } from "./calls/sayable-rules.ts";

/**
 * The rules that a failed call confirms: their matcher matches it or, without a matcher, their signature is
 * equal. Rules already shown at a call are left out.
 */
export async function composeAfterFailure(
  ctx: Pick<Context, "db" | "clock" | "config">,
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
  const message = composeMessage("", [{ heading: "", share: 1, parts }], {
    characters: to.maxCharacters,
    already: new Set(),
  });
  return message === null ? null : { ...message, nameRemedy: found.some(namesRemedy) };
}

/** True if a rule about this failure came with this very call and says what to do: an answer would say it twice. */
export async function wasToldRemedy(
  db: Context["db"],
  { host, session, uid, error }: Pick<NewEvent, "host" | "session" | "uid" | "error">,
): Promise<boolean> {
  for (const id of await listRulesShownWith(db, { host, session, uid })) {
    const rule = await getRule(db, id);
    if (rule === null || !namesRemedy(rule)) continue;
    const { newCauseJudge } = await import("../domain/cause/rule-cause.ts");
    if (newCauseJudge(rule)(error ?? "", null) === "right") return true;
  }
  return false;
}

/** `nameRemedy`: one of the rules says what to do instead. */
type RuleMessage = Message & { readonly nameRemedy: boolean };

function namesRemedy({ origin, text }: Pick<ActiveRule, "origin" | "text">): boolean {
  return origin === "owner" || findAdvisedCommand(text) !== null || /^Run `[^`]+` in `/.test(text);
}

type FailureRecipient = Recipient & Partial<Pick<Audience, "inPlay">>;

/** The rules that this failure confirms and that may be shown here. */
export async function findRulesForFailure(
  ctx: Pick<Context, "db" | "clock" | "config">,
  to: FailureRecipient,
  call: Omit<NewEvent, "seq">,
): Promise<readonly ActiveRule[]> {
  const { tool } = call;
  if (tool === null) return [];
  let isBorneOut: ((rule: ActiveRule) => Promise<boolean>) | undefined;
  const located = { tool, input: call.input, cwd: call.cwd };
  return listSayableRules(ctx, { ...to, call: located }, async (rule) => {
    // Loaded only if there are rules: parsing a call costs more than storing it.
    isBorneOut ??= await newFailureCheck(ctx.db, { ...call, tool });
    return isBorneOut(rule);
  });
}

async function newFailureCheck(
  db: Context["db"],
  call: Omit<NewEvent, "seq"> & { readonly tool: string },
): Promise<(rule: ActiveRule) => Promise<boolean>> {
  const { readCall } = await import("../domain/cause/read-call.ts");
  const { outcome, benign, signature } = readCall(call);
  if (outcome !== "failed" || benign) return () => Promise.resolve(false);
  const { newCallMatchCheck } = await import("./calls/call-match.ts");
  const matches = newCallMatchCheck(db, call);
  // Errors of one kind share a signature, whatever path or name they contain; a matcher is more specific.
  return (rule) =>
    rule.matcher === null
      ? Promise.resolve(rule.signature !== null && rule.signature === signature)
      : matches(rule.matcher);
}

import type { Context } from "../context.ts";
import type { NewEvent } from "../domain/event/event.ts";
import type { RuleInPlay } from "../domain/rule/rule.ts";
import { advisedIn } from "../domain/rule/contradiction.ts";
import { ruleSaying } from "../domain/rule/spoken-text.ts";
import { saidAtCalls } from "../store/shown.ts";
import { compose, type Told } from "./compose.ts";
import type { Listener } from "./parts.ts";
import { type Audience, sayableRules } from "./sayable-rules.ts";

/** The rules that a failed call bears out: whose matcher it meets or, without one, of its signature. Not those said with it already. */
export async function afterFailure(
  ctx: Pick<Context, "db" | "config">,
  to: To,
  call: NewEvent,
): Promise<ToldRules | null> {
  const borneOut = await rulesAgainst(ctx, to, call);
  if (borneOut.length === 0) return null;
  const said = await saidAtCalls(ctx.db, { host: to.host, session: to.session, agent: call.agent });
  const found = borneOut.filter((rule) => !said.rules.has(rule.id));
  const parts = found.slice(0, ctx.config.policy.recall.adviceLimit).map((rule) => ({
    kind: "rule" as const,
    subject: rule.id,
    level: rule.level,
    says: ruleSaying(rule),
  }));
  const told = compose("", [{ heading: "", share: 1, parts }], { characters: to.hears, already: new Set() });
  return told === null ? null : { ...told, nameRemedy: found.some(namesRemedy) };
}

/** With whether one of them says what to do instead. */
type ToldRules = Told & { readonly nameRemedy: boolean };

function namesRemedy({ origin, text }: RuleInPlay): boolean {
  return origin === "owner" || advisedIn(text) !== null;
}

type To = Listener & Partial<Pick<Audience, "inPlay">>;

/** Those of them that may be said here. */
export async function rulesAgainst(
  ctx: Pick<Context, "db" | "config">,
  to: To,
  call: Omit<NewEvent, "seq">,
): Promise<readonly RuleInPlay[]> {
  const rules = await sayableRules(ctx, to, (rule) => rule.signature !== null || rule.matcher !== null);
  if (rules.length === 0 || call.tool === null) return [];
  // Loaded only where there are rules: reading a call costs more than storing it.
  const { readCall } = await import("../domain/event/reading.ts");
  const { outcome, benign, signature } = readCall(call);
  if (outcome !== "failed" || benign) return [];
  const { matchesCall } = await import("./proposed-call.ts");
  const matching = matchesCall(ctx.db, { ...call, tool: call.tool });
  const found: RuleInPlay[] = [];
  for (const rule of rules) {
    // Errors of one kind have one signature, whatever path or name they speak of: a matcher knows which is meant.
    if (rule.matcher === null ? rule.signature === signature : await matching(rule.matcher)) found.push(rule);
  }
  return found;
}

import type { Context } from "../context.ts";
import { usedBy } from "../domain/rule/override.ts";
import type { Matcher, RuleInPlay } from "../domain/rule/rule.ts";
import { openOverrides, overrideNoun } from "../store/overrides.ts";
import { recordParts, rulesShownTo, type ShownPart } from "../store/shown.ts";
import { sayableRules } from "./sayable-rules.ts";

/** A call that is about to run. */
export interface PendingCall {
  readonly host: string;
  readonly session: string;
  readonly workspace: string | null;
  readonly cwd: string | null;
  readonly tool: string;
  readonly input: unknown;
  /** The sub-agent that would make it. */
  readonly agent: string | null;
  /** The name under which it is stored, or will be; absent where nobody knows it. It is no part of its own past. */
  readonly uid?: string | null;
}

/** The same, or one that somebody only asks about, in no session. */
export type PossibleCall = Omit<PendingCall, "session"> & { readonly session: string | null };

export interface Advice {
  /** To be read by the model; null where everything was said already. */
  readonly context: string | null;
  /** To be obeyed by the host. */
  readonly decision: { readonly kind: "ask" | "deny"; readonly reason: string } | null;
}

/** What the host can do with an answer at this moment. */
export type Takes = "decision" | "context" | "both";

/** The rules that warn against a call, hardest first. */
export function rulesAgainst(ctx: Pick<Context, "db" | "config">, call: PossibleCall): Promise<readonly RuleInPlay[]> {
  let matching: ((matcher: Matcher) => Promise<boolean>) | undefined;
  return sayableRules(ctx, call, async ({ matcher }) => {
    if (matcher === null) return false;
    // Loaded only where there are rules: a shell parser is a lot for a hook that has nothing to say.
    matching ??= (await import("./proposed-call.ts")).matchesCall(ctx.db, call);
    return matching(matcher);
  });
}

type CallContext = Pick<Context, "db" | "clock" | "config">;

/** What to say, and to decide, before the call. A rule is said once a session, as twice is noise; a decision holds each time. */
export async function adviceBeforeCall(ctx: CallContext, call: PendingCall, takes: Takes): Promise<Advice | null> {
  const { db } = ctx;
  const rules = await rulesAgainst(ctx, call);
  if (rules.length === 0) return null;
  const { decider, rest } = takes === "context" ? { decider: null, rest: rules } : await decide(ctx, rules, call);
  const shown = await rulesShownTo(db, call.host, call.session);
  // The model reads the reason of a refusal; that of a question may go to the person alone.
  const inReason = decider?.level === "deny" ? decider.rule : null;
  const toSay = takes === "decision" ? [] : rest.filter((rule) => rule !== inReason && !shown.has(rule.id));
  const toRecord = decider === null || toSay.includes(decider.rule) ? toSay : [decider.rule, ...toSay];
  if (toRecord.length === 0) return null;
  // Loaded only where something is said.
  const { ruleSaying } = await import("../domain/rule/spoken-text.ts");
  const { tokensOf } = await import("../domain/advice/window.ts");
  const parts = toRecord.map((rule): ShownPart => {
    return { kind: "rule", subject: rule.id, level: rule.level, tokens: tokensOf(ruleSaying(rule)) };
  });
  const { host, session } = call;
  await recordParts(db, { at: ctx.clock.now(), host, session, moment: "before-call" }, parts);
  return {
    context: toSay.length === 0 ? null : toSay.map(ruleSaying).join("\n"),
    decision: decider === null ? null : { kind: decider.level, reason: ruleSaying(decider.rule) },
  };
}

interface Decider {
  readonly rule: RuleInPlay;
  readonly level: "ask" | "deny";
}

/** The hardest rule decides; softer ones only speak. One that the owner lets pass this once is passed, and that is written down. */
async function decide(
  ctx: CallContext,
  rules: readonly RuleInPlay[],
  call: PendingCall,
): Promise<{ readonly decider: Decider | null; readonly rest: readonly RuleInPlay[] }> {
  for (const [at, rule] of rules.entries()) {
    const rest = rules.slice(at);
    const { level } = rule;
    if (level !== "deny" && level !== "ask") return { decider: null, rest };
    if (!(await passes(ctx, rule, call))) return { decider: { rule, level }, rest };
  }
  return { decider: null, rest: [] };
}

/** Whether the owner lets this call pass. Of two calls that come at once, one override lets one pass. */
async function passes({ db, clock }: CallContext, rule: RuleInPlay, { host, session }: PendingCall): Promise<boolean> {
  for (const { id } of await openOverrides(db, rule.id)) {
    // Loaded only now: the journal brings redaction with it.
    const { by, change } = await import("../store/journal.ts");
    const because = by({ actor: { kind: "hook" }, clock }, "before-call", `${host} ${session}`);
    const used = { at: because.at, host, session };
    const made = await change(db, { noun: overrideNoun, id }, because, (override) => usedBy(override, used));
    if (made !== null) return true;
  }
  return false;
}

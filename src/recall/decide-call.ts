import { tokensOf } from "../domain/advice/window.ts";
import { askedAs, type CallControl, type Delivery } from "../domain/rule/delivery.ts";
import { isHoldLeft, mayHold } from "../domain/rule/hold.ts";
import { usedBy } from "../domain/rule/override.ts";
import type { RuleInPlay } from "../domain/rule/rule.ts";
import { holdSaying, ruleSaying, unaskedSaying } from "../domain/rule/spoken-text.ts";
import { hashText } from "../lib/hash.ts";
import { stableJson } from "../lib/json.ts";
import { openOverrides, overrideNoun } from "../store/overrides.ts";
import { holdEvidence } from "../store/rule-sessions.ts";
import { recordParts, type SaidAtCalls, saidAtCalls, type ShownPart } from "../store/shown.ts";
import type { Advice, AnswerRoom, CallContext, PendingCall } from "./before-call.ts";

interface Met {
  /** At least one, hardest first. */
  readonly rules: readonly RuleInPlay[];
  readonly call: PendingCall;
  readonly room: AnswerRoom;
}

/** What the rules that warn against a call say and decide. A rule is said once a session, as twice is noise; a decision holds each time. */
export async function decideCall(ctx: CallContext, { rules, call, room }: Met): Promise<Advice | null> {
  const { db } = ctx;
  const { takes, control } = room;
  const said = await saidAtCalls(db, call);
  const { decider, rest } =
    takes === "context" ? { decider: null, rest: rules } : await decide(ctx, { rules, call, said, control });
  // The model reads the reason of a refusal; that of a question may go to the person alone.
  const inReason = decider === null || decider.delivery === "ask" ? null : decider.rule;
  const toSay = takes === "decision" ? [] : rest.filter((rule) => rule !== inReason && !said.rules.has(rule.id));
  const toRecord = decider === null || toSay.includes(decider.rule) ? toSay : [decider.rule, ...toSay];
  if (toRecord.length === 0) return null;
  const reason = decider === null ? null : reasonOf(decider);
  const parts = toRecord.map((rule): ShownPart => {
    const isDecider = rule === decider?.rule;
    const says = isDecider && rule === inReason ? (reason ?? "") : ruleSaying(rule);
    const delivery = isDecider ? decider.delivery : "note";
    return { kind: "rule", subject: rule.id, level: rule.level, tokens: tokensOf(says), delivery };
  });
  const { host, session, agent } = call;
  const name = decider?.delivery === "hold" ? callName(call) : null;
  await recordParts(db, { at: ctx.clock.now(), host, session, agent, call: name, moment: "before-call" }, parts);
  return {
    context: toSay.length === 0 ? null : toSay.map(ruleSaying).join("\n"),
    decision: reason === null ? null : { kind: decider?.delivery === "ask" ? "ask" : "deny", reason },
  };
}

interface Decider {
  readonly rule: RuleInPlay;
  readonly delivery: Exclude<Delivery, "note">;
}

function reasonOf({ rule, delivery }: Decider): string {
  if (delivery === "hold") return holdSaying(rule);
  return delivery === "deny" && rule.level === "ask" ? unaskedSaying(rule) : ruleSaying(rule);
}

interface Judging {
  readonly rules: readonly RuleInPlay[];
  readonly call: PendingCall;
  readonly said: SaidAtCalls;
  readonly control: CallControl;
}

/** The hardest rule decides; softer ones only speak. One that the owner lets pass this once is passed, and that is written down. */
async function decide(
  ctx: CallContext,
  judging: Judging,
): Promise<{ readonly decider: Decider | null; readonly rest: readonly RuleInPlay[] }> {
  const { rules, call, control } = judging;
  for (const [at, rule] of rules.entries()) {
    const rest = rules.slice(at);
    const { level } = rule;
    const delivery = level === "ask" ? askedAs(control, rule.origin) : level === "deny" ? "deny" : "note";
    if (delivery === "note" || delivery === "hold") {
      const holder = await holderAmong(ctx, { ...judging, rules: rest });
      return { decider: holder === null ? null : { rule: holder, delivery: "hold" }, rest };
    }
    if (!(await passes(ctx, rule, call))) return { decider: { rule, delivery }, rest };
  }
  return { decider: null, rest: [] };
}

/** The first of the rules that holds the call. Rules that are not sure enough come with the result. */
async function holderAmong(
  { db, clock, config }: CallContext,
  { rules, call, said, control }: Judging,
): Promise<RuleInPlay | null> {
  const { recall, distil } = config.policy;
  if (!control.holds || !recall.holdCalls) return null;
  const candidates = rules.filter((rule) => rule.level === "nudge" || rule.level === "ask");
  if (candidates.length === 0) return null;
  for (const rule of candidates)
    if (
      isHoldLeft(said.ofRule(rule.id), callName(call), clock.now()) &&
      // One at `ask` is sure enough to stop the call until somebody says yes.
      (rule.level === "ask" || mayHold(rule, await holdEvidence(db, rule.id), distil))
    )
      return rule;
  return null;
}

/** The same for equal calls, and for no others. */
function callName({ tool, input }: PendingCall): string {
  return hashText(stableJson([tool, input ?? null]));
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

import { tokensOf } from "../domain/advice/window.ts";
import { askedAs, type CallControl, type Delivery } from "../domain/rule/delivery.ts";
import { isHoldLeft, judgeHold } from "../domain/rule/hold.ts";
import { usedBy } from "../domain/rule/override.ts";
import type { RuleInPlay } from "../domain/rule/rule.ts";
import { deniedSaying, holdSaying, ruleSaying, unaskedSaying } from "../domain/rule/spoken-text.ts";
import { isShellTool } from "../domain/shell/command.ts";
import { shellTextOf } from "../domain/shell/shell-text.ts";
import { hashText } from "../lib/hash.ts";
import { stableJson } from "../lib/json.ts";
import { openOverrides, overrideNoun } from "../store/overrides.ts";
import { holdEvidence } from "../store/rule-sessions.ts";
import { recordParts, recordWhereDue, type SaidAtCalls, saidAtCalls, type ShownPart } from "../store/shown.ts";
import type { Advice, AnswerRoom, CallContext, PendingCall } from "./before-call.ts";

interface Met {
  /** At least one, hardest first. */
  readonly rules: readonly RuleInPlay[];
  readonly call: PendingCall;
  readonly room: AnswerRoom;
}

/** What the rules that warn against a call say and decide. A rule is said once a session, as twice is noise; a decision holds each time. */
export async function decideCall(ctx: CallContext, met: Met): Promise<Advice | null> {
  const { db } = ctx;
  const { call, room } = met;
  const rules = await (await import("./still-true.ts")).stillTrue(db, met.rules, call);
  if (rules.length === 0) return null;
  const { takes, control } = room;
  const said = await saidAtCalls(db, call);
  const { decision, rest } =
    takes === "context" ? { decision: null, rest: rules } : await decide(ctx, { rules, call, said, control });
  // The model reads the reason of a refusal; that of a question may go to the person alone.
  const inReason: readonly RuleInPlay[] = decision === null || decision.delivery === "ask" ? [] : decision.rules;
  const toSay = takes === "decision" ? [] : rest.filter((rule) => !inReason.includes(rule) && !said.rules.has(rule.id));
  const toRecord = [...(decision?.rules ?? []).filter((rule) => !toSay.includes(rule)), ...toSay];
  if (toRecord.length === 0) return null;
  const reason = decision === null ? null : reasonOf(decision);
  const parts = toRecord.map((rule): ShownPart => {
    const delivery = decision?.rules.includes(rule) === true ? decision.delivery : "note";
    const tokens = tokensOf(rule === inReason[0] ? (reason ?? "") : inReason.includes(rule) ? "" : ruleSaying(rule));
    return { kind: "rule", subject: rule.id, level: rule.level, tokens, delivery };
  });
  const { host, session, agent } = call;
  const to = { at: ctx.clock.now(), host, session, agent, moment: "before-call" } as const;
  if (decision?.delivery !== "hold") await recordParts(db, to, parts);
  else {
    const name = callName(call);
    const isLeft = ({ ofRule }: SaidAtCalls) => decision.rules.every(({ id }) => isHoldLeft(ofRule(id), name, to.at));
    // Another call of the batch took it just now: this one is judged with that known.
    if (!(await recordWhereDue(db, { ...to, call: name }, parts, isLeft))) return decideCall(ctx, met);
  }
  return {
    context: toSay.length === 0 ? null : toSay.map(ruleSaying).join("\n"),
    decision: reason === null ? null : { kind: decision?.delivery === "ask" ? "ask" : "deny", reason },
  };
}

/** How the call is kept from running, and by which rules: one, or all that hold it. */
interface Decided {
  readonly rules: readonly [RuleInPlay, ...RuleInPlay[]];
  readonly delivery: Exclude<Delivery, "note">;
}

function reasonOf({ rules, delivery }: Decided): string {
  if (delivery === "hold") return holdSaying(rules);
  const [rule] = rules;
  if (delivery !== "deny") return ruleSaying(rule);
  return rule.level === "ask" ? unaskedSaying(rule) : deniedSaying(rule);
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
): Promise<{ readonly decision: Decided | null; readonly rest: readonly RuleInPlay[] }> {
  const { rules, call, control } = judging;
  for (const [at, rule] of rules.entries()) {
    const rest = rules.slice(at);
    const { level } = rule;
    const delivery = level === "ask" ? askedAs(control, rule.origin) : level === "deny" ? "deny" : "note";
    if (delivery === "note" || delivery === "hold") {
      const [first, ...others] = await holdersAmong(ctx, { ...judging, rules: rest });
      return { decision: first === undefined ? null : { rules: [first, ...others], delivery: "hold" }, rest };
    }
    if (!(await passes(ctx, rule, call))) return { decision: { rules: [rule], delivery }, rest };
  }
  return { decision: null, rest: [] };
}

/**
 * The rules that hold the call: all at once, so that the repeat passes all. Those that are not sure enough, or whose failures
 * cost less than a hold, come with the result.
 */
async function holdersAmong(
  { db, clock, config }: CallContext,
  { rules, call, said, control }: Judging,
): Promise<readonly RuleInPlay[]> {
  const { recall, distil } = config.policy;
  if (!control.holds || !recall.holdCalls) return [];
  const holders: RuleInPlay[] = [];
  for (const rule of rules)
    if (
      (rule.level === "nudge" || rule.level === "ask") &&
      isHoldLeft(said.ofRule(rule.id), callName(call), clock.now()) &&
      // One at `ask` is sure enough to stop the call until somebody says yes.
      (rule.level === "ask" || judgeHold(rule, await holdEvidence(db, rule.id), distil).holds)
    )
      holders.push(rule);
  return holders;
}

/** The same for equal calls, and for no others. Of a command only what it runs counts: each call may describe it in other words. */
function callName({ tool, input }: PendingCall): string {
  const shell = isShellTool(tool) ? shellTextOf(input) : null;
  return hashText(stableJson([tool, shell === null ? (input ?? null) : shell.replaceAll(/\s+/g, " ").trim()]));
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

import { estimateTokens } from "../../domain/advice/context-window.ts";
import type { CallControl } from "../../domain/rule/delivery/delivery.ts";
import { canStillHold, judgeHold } from "../../domain/rule/delivery/hold.ts";
import { USE_OF_OVERRIDE } from "../../domain/rule/by-law.ts";
import { consumeOverride, type Override } from "../../domain/rule/override.ts";
import type { ActiveRule } from "../../domain/rule/rule.ts";
import { formatRuleMessage } from "../../domain/rule/wording/rule-message.ts";
import { isShellTool } from "../../domain/shell/command.ts";
import { findShellText } from "../../domain/shell/shell-text.ts";
import { hashText } from "../../lib/hash.ts";
import { stableJson } from "../../lib/json.ts";
import { listOpenOverrides, overrideNoun } from "../../store/nouns/overrides.ts";
import { type ReadAhead, readRuleRemedy } from "../../store/nouns/rules.ts";
import { readHoldEvidenceAtCall } from "../../store/shown/rule-sessions.ts";
import {
  recordShownParts,
  recordShownIfDue,
  type ShownAtCalls,
  readShownAtCalls,
  type ShownPart,
} from "../../store/shown/shown.ts";
import { type CallStop, deliveryOf, formatEarlyNote, formatReason, saysItFails, toDecision } from "./call-decision.ts";
import { hasAlreadyWorked } from "./has-worked.ts";
import type { CallAdvice, ReplyCapability, CallContext, PendingCall } from "./before-call.ts";

interface MatchedRules {
  /** At least one, strictest first. */
  readonly rules: readonly ActiveRule[];
  readonly call: PendingCall;
  readonly capability: ReplyCapability;
  /** What was read with the rules, if anything. */
  readonly ahead: ReadAhead | null;
}

/** What the matching rules say and decide. A rule is shown once a session (no noise); a decision applies every time. */
export async function decideCall(ctx: CallContext, matched: MatchedRules): Promise<CallAdvice | null> {
  const { db } = ctx;
  const { call, capability, ahead } = matched;
  const { takes, control } = capability;
  const rules = hasAlreadyWorked(call) ? matched.rules.filter((rule) => !saysItFails(rule)) : matched.rules;
  let reading: Promise<ShownAtCalls> | undefined;
  // Read only if it matters: a denial says the same each time.
  const shown = () => (reading ??= readShownAtCalls(db, call));
  const { decision, rest, overrides } =
    takes === "context"
      ? { decision: null, rest: rules, overrides: [] }
      : await decideDelivery(ctx, { rules, call, shown, control, ahead });
  // Another call used one of them in the meantime: decide again with that known.
  if (overrides.length > 0 && !(await useOverrides(ctx, overrides, call))) return decideCall(ctx, matched);
  // The model reads the reason of a refusal; the reason of a question may reach only the user.
  const inReason: readonly ActiveRule[] = decision === null || decision.delivery === "ask" ? [] : decision.rules;
  const sayable = takes === "decision" ? [] : rest.filter((rule) => !inReason.includes(rule));
  const said = sayable.length === 0 ? new Set<string>() : (await shown()).rules;
  const toSay = sayable.filter((rule) => !said.has(rule.id));
  const toRecord = [...(decision?.rules ?? []).filter((rule) => !toSay.includes(rule)), ...toSay];
  if (toRecord.length === 0) return null;
  const reason = decision === null ? null : formatReason(decision);
  const mayRun = decision === null || decision.delivery === "ask";
  const isEarly = takes === "both" && control.note === "with the result" && mayRun;
  const formatNote = isEarly ? formatEarlyNote : formatRuleMessage;
  const parts = toRecord.map((rule): ShownPart => {
    const delivery = decision?.rules.includes(rule) === true ? decision.delivery : "note";
    const tokens = estimateTokens(
      rule === inReason[0] ? (reason ?? "") : inReason.includes(rule) ? "" : formatNote(rule),
    );
    return { kind: "rule", subject: rule.id, level: rule.level, tokens, delivery };
  });
  const { host, session, agent } = call;
  const to = { at: ctx.clock.now(), host, session, agent, moment: "before-call" } as const;
  if (decision?.delivery !== "hold") await recordShownParts(db, { ...to, call: call.uid ?? null }, parts);
  else {
    const name = callKey(call);
    const isLeft = ({ ofRule }: ShownAtCalls) =>
      decision.rules.every(({ id }) => canStillHold(ofRule(id), name, arrivalOf(call, to.at)));
    // Another call of the batch was held in the meantime: decide again with that known.
    if (!(await recordShownIfDue(db, { ...to, call: name }, parts, isLeft))) return decideCall(ctx, matched);
  }
  return {
    context: toSay.length === 0 ? null : toSay.map(formatNote).join("\n"),
    decision: decision === null || reason === null ? null : toDecision(decision, reason),
  };
}

interface DecisionInput {
  readonly rules: readonly ActiveRule[];
  readonly call: PendingCall;
  readonly shown: () => Promise<ShownAtCalls>;
  readonly control: CallControl;
  readonly ahead: ReadAhead | null;
}

interface DeliveryDecision {
  readonly decision: CallStop | null;
  /** The rules that no override silences. */
  readonly rest: readonly ActiveRule[];
  /** Those that the call uses up: none if a rule denies or holds it all the same. */
  readonly overrides: readonly Override[];
}

/**
 * The strictest rule decides; others only speak. A rule with an open override does not stop the call, and then no other
 * rule holds it: what its owner lets pass, nobody needs to say twice.
 */
async function decideDelivery(ctx: CallContext, judging: DecisionInput): Promise<DeliveryDecision> {
  const overrides = new Map<ActiveRule, Override>();
  const listRest = () => judging.rules.filter((rule) => !overrides.has(rule));
  for (const rule of judging.rules) {
    const delivery = deliveryOf(rule, judging.control);
    if (delivery === "note" || delivery === "hold") continue;
    const override = await findOverride(ctx, rule, judging.ahead);
    if (override === null) {
      // Nobody reports what the user answers, so a question counts as passed.
      const used = delivery === "ask" ? [...overrides.values()] : [];
      return { decision: { rules: [rule], delivery }, rest: listRest(), overrides: used };
    }
    overrides.set(rule, override);
  }
  if (overrides.size > 0) return { decision: null, rest: listRest(), overrides: [...overrides.values()] };
  const [first, ...others] = await selectHoldingRules(ctx, judging);
  if (first === undefined) return { decision: null, rest: judging.rules, overrides: [] };
  for (const rule of [first, ...others]) {
    const override = await findOverride(ctx, rule, judging.ahead);
    if (override !== null) overrides.set(rule, override);
  }
  const decision = overrides.size > 0 ? null : ({ rules: [first, ...others], delivery: "hold" } as const);
  return { decision, rest: listRest(), overrides: [...overrides.values()] };
}

/**
 * The rules that hold the call: all at once, so that the repeat passes all. Rules that are not precise
 * enough, or whose failures cost less than a hold, are shown as notes.
 */
async function selectHoldingRules(
  { db, clock, config }: CallContext,
  { rules, call, shown, control }: DecisionInput,
): Promise<readonly ActiveRule[]> {
  const { recall, distil } = config.policy;
  if (!control.holds || !recall.holdCalls) return [];
  const holders: ActiveRule[] = [];
  for (const rule of rules)
    if (
      (rule.level === "nudge" || rule.level === "ask") &&
      canStillHold((await shown()).ofRule(rule.id), callKey(call), arrivalOf(call, clock.now())) &&
      // A rule at `ask` would stop the call until the user agrees, so it may always hold it.
      (rule.level === "ask" ||
        (judgeHold(rule, await readHoldEvidenceAtCall(db, rule.id), distil).holds &&
          (await mayHoldCall(db, rule, call))))
    )
      holders.push(rule);
  return holders;
}

function arrivalOf({ reportsBatch, arrivedAt }: PendingCall, now: number): number | null {
  return reportsBatch === true ? null : (arrivedAt ?? now);
}

/** Before review, a rule from failed calls holds only the calls that its failures show to be wrong. */
async function mayHoldCall(db: CallContext["db"], rule: ActiveRule, call: PendingCall): Promise<boolean> {
  if (rule.status === "approved" || !saysItFails(rule) || rule.matcher === null) return true;
  const { mayHoldUnreviewed } = await import("../../domain/rule/delivery/hold-form.ts");
  const { matchesSteps, stripSituation } = await import("../../domain/rule/matching/matcher.ts");
  const { parseSteps } = await import("../../domain/shell/step.ts");
  const matcher = stripSituation(rule.matcher);
  const matching = parseSteps(call).filter((step) => matchesSteps(matcher, [step], new Set()));
  const traits = matching.map((step) => step.traits);
  return mayHoldUnreviewed(await readRuleRemedy(db, rule.id), rule.matcher, traits);
}

/** Equal for equal calls only. For a command only its text counts, because each call may describe it differently. */
function callKey({ tool, input }: PendingCall): string {
  const shell = isShellTool(tool) ? findShellText(input) : null;
  return hashText(stableJson([tool, shell === null ? (input ?? null) : shell.replaceAll(/\s+/g, " ").trim()]));
}

async function findOverride({ db }: CallContext, rule: ActiveRule, ahead: ReadAhead | null): Promise<Override | null> {
  if (ahead?.overrides.every((one) => one.rule !== rule.id) === true) return null;
  return (await listOpenOverrides(db, rule.id))[0] ?? null;
}

/** False, and nothing is used, if another call has used one of them. */
async function useOverrides(
  { db, clock }: CallContext,
  overrides: readonly Override[],
  { host, session }: PendingCall,
): Promise<boolean> {
  // Loaded only now, because the journal loads redaction.
  const { makeProvenance, applyChange, withJournalLock } = await import("../../store/journal/journal.ts");
  const because = makeProvenance({ actor: { kind: "hook" }, clock }, USE_OF_OVERRIDE, `${host} ${session}`);
  const used = { at: because.at, host, session };
  return withJournalLock(db, async (tx) => {
    for (const { id } of overrides) if ((await overrideNoun.read(tx, id))?.used !== null) return false;
    for (const { id } of overrides)
      await applyChange(tx, { noun: overrideNoun, id }, because, (override) => consumeOverride(override, used));
    return true;
  });
}

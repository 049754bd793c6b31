import type { Context } from "../../context.ts";
import { isInControlGroup } from "../../domain/rule/delivery/holdout.ts";
import { compareHardestFirst } from "../../domain/rule/rule.ts";
import { canShowRule } from "../../domain/trust/showable.ts";
import { DAY, iso, systemClock } from "../../lib/clock.ts";
import type { CallAdvice, PendingCall, ReplyCapability } from "../calls/before-call.ts";
import { type CallStop, deliveryOf, formatReason, saysItFails, toDecision } from "../calls/call-decision.ts";
import { newCallMatchCheck } from "../calls/call-match.ts";
import { hasAlreadyWorked } from "../calls/has-worked.ts";
import { claimOverrides, type CopiedRule, isOverrideUsed, readRuleCopy, type RuleCopy } from "./rule-copy.ts";

/** What the copy says to a call, or why there is none to go by. */
export type CopyVerdict =
  | {
      readonly kind: "judged";
      readonly decision: CallAdvice["decision"];
      /** True if one of its files was damaged, and rules may be missing. */
      readonly isDamaged: boolean;
    }
  | { readonly kind: "missing" | "old" | "damaged" };

/**
 * Judges a call by the local copy of the rules at `ask` and `deny`. Notes and holds are left out, because what a session was
 * shown is on the server, and so are rules that depend on earlier calls.
 */
export async function judgeByCopy(
  { config }: Pick<Context, "config">,
  call: PendingCall,
  { takes, control }: ReplyCapability,
): Promise<CopyVerdict> {
  const found = findCopy({ config }, call.workspace);
  if (found.kind !== "copy") return found;
  const { rules, overrides, at } = found.copy;
  const { isDamaged } = found;
  if (takes === "context") return { kind: "judged", decision: null, isDamaged };
  const guards = await findGuards({ config }, call, { rules, control });
  const unused = overrides.filter(({ id }) => !isOverrideUsed(config, id));
  const use = { at: systemClock.now(), host: call.host, session: call.session };
  const asOverridden = decideByGuards(guards, unused);
  // Another call was faster: then the rules stand.
  const { stop } = claimOverrides(config, asOverridden.uses, use) ? asOverridden : decideByGuards(guards, []);
  const decision = stop === null ? null : toDecision(stop, `${formatReason(stop)} ${formatRemark(at)}`);
  return { kind: "judged", decision, isDamaged };
}

interface Guard {
  readonly rule: CopiedRule;
  readonly delivery: "ask" | "deny";
}

/** The rules that stop the call, strictest first. */
async function findGuards(
  { config }: Pick<Context, "config">,
  call: PendingCall,
  { rules, control }: Pick<RuleCopy, "rules"> & Pick<ReplyCapability, "control">,
): Promise<readonly Guard[]> {
  const matches = newCallMatchCheck(null, call);
  const hasWorked = hasAlreadyWorked(call);
  const guards: Guard[] = [];
  for (const rule of rules.toSorted(compareHardestFirst)) {
    if (rule.matcher === null || !canShowRule(rule, call.workspace) || (hasWorked && saysItFails(rule))) continue;
    if (rule.onTrial && isInControlGroup(rule, call.session, config.policy.distil)) continue;
    const delivery = deliveryOf(rule, control);
    if ((delivery === "ask" || delivery === "deny") && (await matches(rule.matcher))) guards.push({ rule, delivery });
  }
  return guards;
}

/** Overrides are used up only by a call that no rule denies. */
function decideByGuards(
  guards: readonly Guard[],
  overrides: RuleCopy["overrides"],
): { readonly stop: CallStop | null; readonly uses: readonly string[] } {
  const uses: string[] = [];
  for (const { rule, delivery } of guards) {
    const override = overrides.find((one) => one.rule === rule.id);
    if (override === undefined) return { stop: { rules: [rule], delivery }, uses: delivery === "ask" ? uses : [] };
    uses.push(override.id);
  }
  return { stop: null, uses };
}

function formatRemark(at: number): string {
  return `(oldhand's database did not answer; this is the local copy of the rules of ${iso(at).slice(0, 16)}Z.)`;
}

type FoundCopy =
  | {
      readonly kind: "copy";
      readonly copy: Pick<RuleCopy, "rules" | "overrides" | "at">;
      readonly isDamaged: boolean;
    }
  | { readonly kind: "missing" | "old" | "damaged" };

/** The workspace's own copy, and the one for everywhere, which knows more if the workspace was not visited lately. */
function findCopy({ config }: Pick<Context, "config">, workspace: string | null): FoundCopy {
  const oldest = systemClock.now() - config.policy.store.copyDays * DAY;
  const reads = [...new Set([workspace, null])].map((one) => readRuleCopy(config, one));
  const usable = reads.flatMap((read) => (read.kind === "copy" && read.copy.at > oldest ? [read.copy] : []));
  const newest = usable.toSorted((a, b) => b.journal - a.journal || b.at - a.at)[0];
  const isDamaged = reads.some(({ kind }) => kind === "damaged");
  if (newest === undefined)
    return { kind: isDamaged ? "damaged" : reads.every(({ kind }) => kind === "missing") ? "missing" : "old" };
  const isGlobal = ({ scope }: CopiedRule) => scope.kind === "global";
  const rules = usable.flatMap((copy) => copy.rules.filter((rule) => copy === newest || !isGlobal(rule)));
  return { kind: "copy", copy: { rules, overrides: newest.overrides, at: newest.at }, isDamaged };
}

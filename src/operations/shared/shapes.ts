import type { Cap } from "../../domain/model/caps.ts";
import { describeChange } from "./describe-change.ts";
import { formatDollars } from "../../domain/model/money.ts";
import { approveWithheldAdvice } from "../../domain/rule/decisions.ts";
import { z } from "zod";
import { waitsForReview } from "../../domain/rule/unknown-cause.ts";
import { listRuleHosts, formatProvenance, type VersionRange } from "../../domain/rule/host-version.ts";
import { levels, origins, ruleStatuses, type Rule } from "../../domain/rule/rule.ts";
import { ACTION, type Change, type State } from "../../domain/journal.ts";
import { changedFields, parseSettingSubject } from "../../domain/journalled-settings.ts";
import type { RuleEffect } from "../../distil/counting/effect.ts";
import { type Proof, computeSavings, type Verdict, verdicts } from "../../domain/proof/proof.ts";
import { deliveryKinds, type Delivery } from "../../domain/rule/delivery/delivery.ts";
import { explainAdviceFailures } from "../../domain/remedy/advice-record.ts";
import { readFailureCount } from "../../domain/rule/lifecycle/recount.ts";
import { describeMatcher } from "../../domain/rule/wording/rule-sentence.ts";
import { iso, parseTime } from "../../lib/clock.ts";
import { resolveTypedWorkspace } from "../../observe/protocol/workspace.ts";

/** Shapes that several operations share. */
export const timeInput = z
  .string()
  .refine((text) => parseTime(text) !== null, "must be a time such as 2026-01-31T12:00:00Z");

/** A folder as typed; parsing replaces it by its workspace. `.` is the current folder. */
export const workspaceInput = (says: string) =>
  z.string().min(1).overwrite(resolveTypedWorkspace).optional().describe(says);

export const limitInput = (value: number) =>
  z.coerce.number<number>().int().min(1).max(1_000).default(value).describe("most results to show");

export const backtestShape = z
  .object({
    opportunities: z.number(),
    fired: z.number(),
    hits: z.number(),
    falseAlarms: z.number(),
    precision: z.number(),
    lower: z.number(),
  })
  .meta({ id: "Backtest" });

const armShape = z
  .object({
    attempts: z
      .number()
      .describe("mistakes: calls that the rule warns against, without those that worked (in an owner's rule, all)"),
    opportunities: z.number().describe("chances: calls in which the mistake could be made"),
  })
  .meta({ id: "Arm" });

export const effectShape = z
  .object({
    before: armShape,
    after: armShape,
    heldOut: armShape,
    ratio: z.number().nullable(),
    interval: z.tuple([z.number(), z.number()]).nullable(),
    saved: z
      .object({ attempts: z.number(), low: z.number(), high: z.number() })
      .nullable()
      .describe("mistakes avoided, with their 95 % interval; null while nothing is proven"),
    callsPerOpportunity: z
      .number()
      .nullable()
      .describe("this many calls of a session count as one chance, if chances can only be estimated"),
    verdict: z.enum(verdicts),
    byFamily: z
      .boolean()
      .describe("whether it was judged with all rules of its kind, because its own sessions are too few"),
    reason: z.string(),
  })
  .meta({ id: "RuleEffect" });

export function effectOut({
  proof,
  verdict,
  byFamily,
  reason,
  callsPerOpportunity,
}: Pick<RuleEffect, "proof" | "verdict" | "byFamily" | "reason" | "callsPerOpportunity">): z.infer<typeof effectShape> {
  const arm = ({ attempts, opportunities }: { attempts: number; opportunities: number }) => ({
    attempts,
    opportunities,
  });
  return {
    before: arm(proof.arms.before),
    after: arm(proof.arms.treated),
    heldOut: arm(proof.arms["held-out"]),
    ratio: proof.effect?.ratio ?? null,
    interval: proof.effect === null ? null : [proof.effect.low, proof.effect.high],
    saved: computeSaved(proof, verdict),
    callsPerOpportunity,
    verdict,
    byFamily,
    reason,
  };
}

function computeSaved(proof: Proof, verdict: Verdict): z.infer<typeof effectShape>["saved"] {
  const saved = computeSavings({ ...proof, verdict }, 1);
  return saved.kind === "unproven" ? null : { attempts: saved.attempts, low: saved.low, high: saved.high };
}

/** A rule's counts, for output. */
export interface RuleStats {
  readonly backtest: z.infer<typeof backtestShape> | null;
  readonly effect: RuleEffect | null;
  readonly versions: readonly VersionRange[] | null;
  readonly unasked?: readonly { readonly host: string; readonly delivery: Delivery }[];
}

export const ruleShape = z
  .object({
    id: z.string(),
    text: z.string(),
    status: z.enum(ruleStatuses),
    level: z.enum(levels),
    levelBefore: z
      .enum(levels)
      .optional()
      .describe("for a muted or rejected rule, the level that it had before that decision"),
    confidence: z.number(),
    salience: z.number(),
    origin: z.enum(origins),
    scope: z.unknown(),
    signature: z.string().nullable(),
    matcher: z.unknown(),
    matcherInWords: z.string().nullable().describe("the call it warns against, in words"),
    pinned: z.boolean(),
    waits: z
      .boolean()
      .describe("whether the owner is asked to decide on it; not asked about candidates whose cause is unknown"),
    evidence: z.object({
      observations: z.number(),
      sessions: z.number(),
      first: z.string(),
      last: z.string(),
      hosts: z.array(z.string()).describe("hosts whose sessions it was learned from"),
      versions: z
        .array(z.object({ host: z.string(), lowest: z.string(), highest: z.string() }))
        .nullable()
        .describe("versions of those hosts, if they tell; null if not looked up"),
      purged: z.number().optional().describe("number of cited calls that were forgotten since"),
    }),
    withheld: z
      .object({
        line: z.string(),
        reason: z.string(),
        sentence: z.string().describe("what agents would read"),
        switches: z.string().describe("what `rules approve` needs to teach it"),
      })
      .optional()
      .describe("what worked after the failures, as it was run, and why agents are not shown it before you approve it"),
    doubt: z
      .record(z.string(), z.string())
      .nullable()
      .describe("newer releases of its hosts without evidence, for which it lost confidence"),
    backtest: backtestShape.nullable(),
    effect: effectShape.nullable(),
    unasked: z
      .array(z.object({ host: z.string(), delivery: z.enum(deliveryKinds) }))
      .optional()
      .describe("for a rule at `ask`: hosts that cannot ask, and what happens there instead"),
    atCall: z
      .object({ delivery: z.enum(["note", "hold"]), reason: z.string() })
      .optional()
      .describe("how it is delivered at a matching call on hosts that can hold calls, and why; only for a single rule"),
    silence: z
      .string()
      .optional()
      .describe("why agents are not shown it now, although its level allows it; only for a single rule"),
  })
  .meta({ id: "Rule" });

export function ruleOut(
  rule: Rule,
  stats: RuleStats = { backtest: null, effect: null, versions: null },
): z.infer<typeof ruleShape> {
  const { observations, sessions, first, last } = rule.evidence;
  return {
    id: rule.id,
    text: rule.text,
    status: rule.status,
    level: rule.level,
    confidence: rule.confidence,
    salience: rule.salience,
    origin: rule.origin,
    scope: rule.scope,
    signature: rule.signature,
    matcher: rule.matcher,
    matcherInWords: rule.matcher && describeMatcher(rule.matcher),
    pinned: rule.pinned,
    waits: waitsForReview(rule),
    evidence: {
      observations,
      sessions,
      first: iso(first),
      last: iso(last),
      hosts: [...listRuleHosts(rule, stats.versions ?? [])],
      versions: stats.versions === null ? null : [...stats.versions],
      ...(rule.evidence.purged === undefined ? {} : { purged: rule.evidence.purged }),
    },
    ...withheldOut(rule),
    doubt: rule.doubt === undefined ? null : { ...rule.doubt.releases },
    backtest: stats.backtest,
    effect: stats.effect && effectOut(stats.effect),
    ...(stats.unasked === undefined || stats.unasked.length === 0 ? {} : { unasked: [...stats.unasked] }),
  };
}

function withheldOut(rule: Rule): Pick<z.infer<typeof ruleShape>, "withheld"> {
  const withheld = rule.evidence.remedy?.withheld;
  const taught = approveWithheldAdvice(rule);
  if (withheld === undefined || taught === null) return {};
  return {
    withheld: {
      line: withheld.line,
      reason: withheld.reason,
      sentence: taught.text,
      switches: "--remedy --risky",
    },
  };
}

/** Where a rule's evidence is from, in words; null if it has none. */
export function formatRuleProvenance({ evidence, doubt }: z.infer<typeof ruleShape>): string | null {
  if (evidence.hosts.length === 0) return null;
  const now = Object.entries(doubt ?? {}).map(([host, release]) => `${host} is now ${release}`);
  const text = formatProvenance(evidence.hosts, evidence.versions ?? []);
  return now.length === 0 ? text : `${text} (faded: ${now.join(", ")})`;
}

export const changeShape = z
  .object({
    id: z.number(),
    at: z.string(),
    actor: z.string(),
    cause: z.object({ kind: z.string(), id: z.string().nullable(), note: z.string().nullable() }),
    noun: z.string(),
    subject: z.string(),
    summary: z.string(),
    before: z.unknown(),
    after: z.unknown(),
    undoes: z.number().nullable(),
    undoneBy: z.number().nullable(),
    scrubbed: z.boolean(),
  })
  .meta({ id: "Change" });

/** The commands that undo these changes, latest first, because it may depend on the others. */
export function formatUndoHint(changes: readonly number[]): string {
  const commands = changes.toSorted((a, b) => b - a).map((id) => `oldhand undo ${id}`);
  return `(change ${changes.join(", ")}; ${commands.join(", then ")} undoes it)`;
}

export function changeOut(change: Change<object>): z.infer<typeof changeShape> {
  return { ...change, at: iso(change.at), summary: summariseChange(change) };
}

function summariseChange(change: Change<object>): string {
  if (change.noun === ACTION) return change.subject;
  const name = `${change.noun} ${nameSubject(change)}`;
  if (change.scrubbed) return `${name}: forgotten`;
  if (change.undoes !== null) {
    const what = change.noun === "job" ? describeChange(change).join(", ") : "";
    return `${name}: change ${change.undoes} undone${what === "" ? "" : `: ${what}`}`;
  }
  if (change.noun === "setting" && change.before !== null) return `${name}: ${summariseSettings(change)}`;
  if (change.before === null)
    return `${name}: made${change.noun === "cap" ? `, ${formatLimit(change.after as Cap)}` : ""}`;
  if (change.after === null) return `${name}: removed`;
  const before = new Map(Object.entries(change.before));
  const changed = Object.entries(change.after)
    .filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(before.get(key)))
    .map(([key]) => key);
  const said =
    change.noun === "rule"
      ? summariseRuleChange(change.before, change.after)
      : change.noun === "cap"
        ? summariseCapChange(change.before as Cap, change.after as Cap)
        : change.noun === "job"
          ? describeChange(change).join(", ")
          : "";
  return `${name}: ${said === "" ? `${changed.join(", ")} changed` : said}`;
}

/** What a cap was and is, because its amount is what a person looks for. Empty if it counts otherwise. */
function summariseCapChange(before: Cap, after: Cap): string {
  const [was, now] = [formatLimit(before), formatLimit(after)];
  const { extension } = after;
  const isSame = JSON.stringify(extension) === JSON.stringify(before.extension);
  return [
    ...(was === now ? [] : [`${was} → ${now}`]),
    ...(isSame
      ? []
      : [extension === null ? "extension ended" : `${formatDollars(extension.amount)} more on ${extension.day}`]),
  ].join(", ");
}

function formatLimit({ limit }: Pick<Cap, "limit">): string {
  return limit === null ? "no limit" : formatDollars(limit);
}

function summariseSettings({ before, after }: Change<object>): string {
  const now = after as Readonly<Record<string, unknown>> | null;
  const fields = changedFields({ before: before as State | null, after: after as State | null });
  return fields.map((field) => `${field} ${now?.[field] === undefined ? "default again" : "changed"}`).join(", ");
}

/** A job is known by its name; the machine of a setting is that of the actor; everything else is known by its id. */
function nameSubject({ noun, subject, before, after }: Change<object>): string {
  if (noun === "setting") return parseSettingSubject(subject).member;
  const { name } = (after ?? before ?? {}) as { readonly name?: unknown };
  return noun === "job" && typeof name === "string" ? name : subject;
}

/** `nudge → watch: a call worked (4 of 5 failed)`; empty if only other parts of the rule changed. */
function summariseRuleChange(before: object, after: object): string {
  const [was, now] = [before, after] as [Partial<Rule>, Partial<Rule>];
  // A muted candidate is decided on, and says nothing: its status alone would read as an approval.
  if (was.status === "candidate" && now.status === "approved" && now.level === "watch")
    return `muted (was a candidate at ${was.level ?? "–"})`;
  const steps = (["status", "level"] as const)
    .filter((field) => was[field] !== now[field])
    .map((field) => `${was[field] ?? "–"} → ${now[field] ?? "–"}`);
  const advice = describeAdvice(was, now);
  const why = advice.length > 0 ? advice : describeCount(was.text ?? "", now.text ?? "");
  return [...(steps.length === 0 ? [] : [steps.join(", ")]), ...why].join(": ");
}

function describeAdvice(was: Partial<Rule>, now: Partial<Rule>): readonly string[] {
  const [before, after] = [was.evidence?.adviceFails, now.evidence?.adviceFails];
  if (before === undefined && after !== undefined) return [explainAdviceFailures(after)];
  if (before === undefined || after !== undefined) return [];
  return [was.text === now.text ? "the call that it advises works again" : "its advice failed; the sentence is new"];
}

function describeCount(was: string, now: string): readonly string[] {
  const [before, after] = [readFailureCount(was), readFailureCount(now)];
  if (before === null || after === null) return [];
  const worked = after.fired - after.failed - (before.fired - before.failed);
  const count = `${after.failed} of ${after.fired} failed`;
  if (worked > 0) return [`${worked === 1 ? "a call" : `${worked} calls`} worked (${count})`];
  return after.failed > before.failed ? [`more calls failed (${count})`] : [];
}

import type { Context } from "../context.ts";
import type { Policy } from "../domain/policy.ts";
import { ruleSentence } from "../domain/rule/rule-sentence.ts";
import { covers, type Matcher, type Scope } from "../domain/rule/rule.ts";
import { groupOf, stepsOf } from "../domain/shell/step.ts";
import { type Condition, holds, synthesise, type Tried } from "../domain/rule/synthesis.ts";
import { grouped } from "../lib/grouped.ts";
import { wilsonLower } from "../domain/proof/wilson.ts";
import { countsOfGroup, groupsToMine, type TriedGroup, triesIn, triesOf, type TriedCall } from "../store/tries.ts";
import { type Look, scopeOf } from "./look.ts";
import { evidenceOfCalls, type Proposal } from "./proposal.ts";
import { remedyOf } from "./remedy.ts";

/** One call of a group with everything that is asked of it. */
export interface GroupTry extends Tried {
  readonly event: TriedCall;
}

/** A group larger than this is told by its latest calls. */
export const LOOKED_AT = 3_000;
/** Causes of one group, and conditions of one cause. */
const MOST_RULES = 3;

/** Failing calls that something tells from the working ones of the same group: one rule for each such condition. */
export async function mineFailures(
  ctx: Pick<Context, "db" | "config">,
  look: Look,
): Promise<{ readonly proposals: readonly Proposal[]; readonly groups: readonly TriedGroup[] }> {
  const { distil } = ctx.config.policy;
  const policy = { ...distil, minCount: look.minCount ?? distil.minCount };
  const groups = groupsWithin(await groupsToMine(ctx.db, policy.minCount, look.fresh), look.calls);
  const proposals: Proposal[] = [];
  for (const { group } of groups) {
    const tries = (await loadGroup(ctx.db, group)).filter((one) => isLookedAt(one.event, look));
    for (const found of conditionsIn(tries, policy)) {
      const scope: Scope = look.global ? { kind: "global" } : found.scope;
      proposals.push(await propose(ctx, group, tries, { ...found, scope }));
    }
  }
  return { proposals, groups };
}

/** At least one. */
function groupsWithin(groups: readonly TriedGroup[], calls: number): readonly TriedGroup[] {
  return groups.filter((_, at) => at === 0 || triesIn(groups.slice(0, at + 1), LOOKED_AT) <= calls);
}

function isLookedAt(event: TriedCall, look: Look): boolean {
  return (
    event.at >= look.since &&
    (look.workspace === null || covers({ kind: "workspace", workspace: look.workspace }, event.workspace))
  );
}

export async function loadGroup(db: Context["db"], group: string): Promise<readonly GroupTry[]> {
  const rows = (await triesOf(db, group, LOOKED_AT)).filter((row) => row.result !== "unclear");
  return rows.map(({ event, result, state }) => {
    const step = stepsOf(event).find((one) => groupOf(event.tool, one.head) === group);
    return {
      event,
      failed: result === "failed",
      session: `${event.host} ${event.session}`,
      traits: state.length === 0 && step !== undefined ? step.traits : new Set([...(step?.traits ?? []), ...state]),
    };
  });
}

interface Found {
  readonly condition: Condition;
  readonly scope: Scope;
  /** What made it be found; the condition may catch failures of other causes as well. */
  readonly signature: string | null;
}

/** By cause, the most frequent first. What one condition explains is not explained again. */
function conditionsIn(tries: readonly GroupTry[], policy: Policy["distil"]): readonly Found[] {
  const found: Found[] = [];
  const workedIn = newWorkedIn(tries);
  for (const failed of causesIn(tries, policy)) {
    let open = failed;
    while (open.length >= policy.minCount && found.length < MOST_RULES * 2) {
      const one = conditionFor(open, workedIn, policy);
      if (one === null) break;
      if (!found.some((known) => says(known, one))) found.push(one);
      open = open.filter((each) => !(covers(one.scope, each.event.workspace) && holds(one.condition, each.traits)));
    }
  }
  return found;
}

function causesIn(tries: readonly GroupTry[], policy: Policy["distil"]): readonly (readonly GroupTry[])[] {
  const failures = tries.filter((one) => one.failed);
  return [...grouped(failures, (one) => one.event.signature ?? "")]
    .filter(([, failed]) => failed.length >= policy.minCount)
    .toSorted((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1))
    .map(([, failed]) => failed);
}

/** Where all failures are of one workspace the rule is that workspace's, and only its calls speak for or against it. */
function conditionFor(
  failed: readonly GroupTry[],
  workedIn: (scope: Scope) => readonly GroupTry[],
  policy: Policy["distil"],
): Found | null {
  const scope = scopeOf(
    failed.map((one) => one.event.workspace),
    { global: false },
  );
  const found = synthesise(failed, workedIn(scope), policy);
  const condition = found && asNarrowAsSeen(found, failed);
  return condition && { condition, scope, signature: failed[0]?.event.signature ?? null };
}

/** Each scope's once, however many causes there are. */
function newWorkedIn(tries: readonly GroupTry[]): (scope: Scope) => readonly GroupTry[] {
  const all = tries.filter((one) => !one.failed);
  const byScope = new Map<string, readonly GroupTry[]>();
  return (scope) => {
    const key = scope.kind === "global" ? "" : scope.workspace;
    const known = byScope.get(key) ?? all.filter((one) => covers(scope, one.event.workspace));
    byScope.set(key, known);
    return known;
  };
}

/** Where nothing separates because nothing ever worked, what all failures share is as far as the evidence goes. */
function asNarrowAsSeen(condition: Condition, failed: readonly GroupTry[]): Condition {
  if (condition.has.length + condition.lacks.length > 0) return condition;
  const [first] = failed;
  const shared = [...(first?.traits ?? [])].filter(
    (trait) => /^\w+=/.test(trait) && failed.every((one) => one.traits.has(trait)),
  );
  return { ...condition, has: shared.toSorted().slice(0, 1) };
}

/** A rule that holds wherever the other does, and is hardly less sure, makes it needless. */
function says(known: Found, other: Found): boolean {
  const within = (a: readonly string[], b: readonly string[]) => a.every((trait) => b.includes(trait));
  return (
    within(known.condition.has, other.condition.has) &&
    within(known.condition.lacks, other.condition.lacks) &&
    (known.scope.kind === "global" ||
      (other.scope.kind === "workspace" && covers(known.scope, other.scope.workspace))) &&
    known.condition.lower >= other.condition.lower - HARDLY
  );
}

const HARDLY = 0.15;

async function propose(
  ctx: Pick<Context, "db" | "config">,
  group: string,
  tries: readonly GroupTry[],
  { condition, scope, signature }: Found,
): Promise<Proposal> {
  const { distil, observe } = ctx.config.policy;
  const inScope = tries.filter((one) => covers(scope, one.event.workspace));
  const fired = inScope.filter((one) => holds(condition, one.traits));
  const failures = fired.filter((one) => one.failed);
  const lower = wilsonLower(failures.length, fired.length);
  const matcher = matcherOf(group, condition);
  const ids = failures.map((one) => one.event.id);
  const remedy = await remedyOf(ctx.db, ids, observe.recoveryWithin);
  const mayNudge = fired.length >= distil.opportunitiesBeforeSpeaking && lower >= distil.nudgePrecision;
  return {
    miner: "failures",
    text: ruleSentence({
      matcher,
      failed: failures.length,
      fired: fired.length,
      remedy:
        remedy?.head == null ? remedy : { ...remedy, ...(await countsOfGroup(ctx.db, groupOf("bash", remedy.head))) },
    }),
    signature,
    matcher,
    scope,
    origin: "tool",
    level: mayNudge ? "nudge" : "watch",
    confidence: Number(lower.toFixed(4)),
    evidence: await evidenceOfCalls(
      ctx.db,
      failures.map((one) => one.event),
    ),
    backtest: {
      opportunities: inScope.length,
      fired: fired.length,
      hits: failures.length,
      falseAlarms: fired.length - failures.length,
      precision: fired.length === 0 ? 0 : failures.length / fired.length,
      lower,
    },
  };
}

function matcherOf(group: string, condition: Condition): Matcher {
  const shell = group.startsWith("shell ") ? group.slice("shell ".length) : null;
  return {
    tool: shell === null ? group : "shell",
    ...(shell === null || shell === "" ? {} : { head: shell }),
    ...(condition.has.length > 0 ? { has: condition.has } : {}),
    ...(condition.lacks.length > 0 ? { lacks: condition.lacks } : {}),
  };
}

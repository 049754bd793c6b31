import type { Context } from "../../context.ts";
import { proposedLevel } from "../../domain/rule/promote.ts";
import type { Event } from "../../domain/event/event.ts";
import { parseBlock } from "../../domain/rule/guard.ts";
import { describeMatcher } from "../../domain/rule/wording/rule-sentence.ts";
import type { Matcher } from "../../domain/rule/rule.ts";
import { parseSteps } from "../../domain/shell/step.ts";
import { oneLine, plural } from "../../lib/text.ts";
import { backtestGroup } from "./backtest-group.ts";
import {
  makeRecurringEvidence,
  type MiningWindow,
  type RecurringItem,
  findRecurring,
  findCommonScope,
} from "./mining-window.ts";
import type { Proposal } from "./proposal.ts";

/** Proposes rules for calls that a guard stopped repeatedly. */
export async function mineBlocks(
  ctx: Pick<Context, "db" | "config">,
  window: MiningWindow,
): Promise<readonly Proposal[]> {
  const { distil } = ctx.config.policy;
  const least = { times: window.minCount ?? distil.minCount, sessions: distil.minSessions };
  const proposals: Proposal[] = [];
  for (const one of await findRecurring(ctx.db, "blocks", least, window)) {
    const proposal = await makeProposal(ctx, one, window);
    if (proposal !== null) proposals.push(proposal);
  }
  return proposals;
}

async function makeProposal(
  ctx: Pick<Context, "db" | "config">,
  one: RecurringItem,
  window: MiningWindow,
): Promise<Proposal | null> {
  const [by, , group, ...what] = JSON.parse(one.key) as ["hook" | "permissions" | "policy", string | null, string];
  const matcher = buildMatcher(group, what, one.events);
  const scope = findCommonScope(
    one.events.map((event) => event.workspace),
    window,
  );
  const tested = await backtestGroup(ctx.db, { matcher, scope }, ({ event }) => event.outcome === "denied");
  const { distil } = ctx.config.policy;
  if (tested.lower < distil.proposePrecision) return null;
  return {
    miner: "blocks",
    // Only the fact is stated; the guard's reason stays in the evidence.
    text: `Do not try ${describeMatcher(matcher)}: ${guards[by]} held it back ${plural(one.times, "time")} in ${plural(one.sessions, "session")}.`,
    signature: `block ${one.key}`,
    matcher,
    scope,
    origin: "tool",
    level: proposedLevel(tested, distil),
    confidence: Number(tested.lower.toFixed(4)),
    evidence: makeRecurringEvidence(one, describeBlock),
    backtest: tested,
  };
}

const guards = {
  hook: "a hook",
  permissions: "the host's permissions",
  policy: "the host's policy",
} as const;

/** The guard and its reason, in its own words: evidence for the owner. */
function describeBlock(event: Event): string {
  const block = parseBlock(event.error ?? "");
  return oneLine(`${block?.rule ?? block?.by ?? "guard"}: ${block?.reason ?? event.error ?? ""}`, 200);
}

function buildMatcher(group: string, what: readonly string[], events: readonly Event[]): Matcher {
  if (group.startsWith("shell ")) {
    const head = group.slice("shell ".length);
    const has = what.map((flag) => `flag ${flag}`).toSorted();
    return { tool: "shell", ...(head === "" ? {} : { head }), ...(has.length > 0 ? { has } : {}) };
  }
  const [file = ""] = what;
  const [first] = events;
  const steps = first === undefined ? [] : parseSteps({ ...first, tool: first.tool ?? "" });
  const named = steps.flatMap((step) => [...step.traits]).filter((trait) => file !== "" && trait.endsWith(`=${file}`));
  return { tool: group, ...(named.length > 0 ? { has: named.toSorted().slice(0, 1) } : {}) };
}

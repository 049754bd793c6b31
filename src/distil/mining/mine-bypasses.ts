import type { Context } from "../../context.ts";
import { proposedLevel } from "../../domain/rule/promote.ts";
import { parseCommands } from "../../domain/shell/command.ts";
import { findShellText } from "../../domain/shell/shell-text.ts";
import type { Event } from "../../domain/event/event.ts";
import { describeMatcher } from "../../domain/rule/wording/rule-sentence.ts";
import type { Matcher, Scope } from "../../domain/rule/rule.ts";
import { type Bypass, findBypassedCommand } from "../../domain/skills/registry.ts";
import { parseSteps } from "../../domain/shell/step.ts";
import { capLevelByOrigin, canBeQuoted } from "../../domain/trust/trust.ts";
import { oneLine, plural } from "../../lib/text.ts";
import { backtestGroup } from "./backtest-group.ts";
import { makeBypassId } from "../counting/read-repeats.ts";
import {
  makeRecurringEvidence,
  type MiningWindow,
  type RecurringItem,
  findRecurring,
  findCommonScope,
} from "./mining-window.ts";
import type { Proposal } from "./proposal.ts";

/** Proposes rules for commands that ran repeatedly although a registry names a skill for them. */
export async function mineBypasses(
  ctx: Pick<Context, "db" | "config">,
  bypasses: readonly Bypass[],
  window: MiningWindow,
): Promise<readonly Proposal[]> {
  const { distil } = ctx.config.policy;
  const times = window.minCount ?? distil.bypassRepeats;
  const byId = new Map(bypasses.map((one) => [makeBypassId(one), one]));
  const proposals: Proposal[] = [];
  // Not incremental: a pattern new to its registry also matches old events, and no cursor shows which it has
  // seen.
  for (const one of await findRecurring(
    ctx.db,
    "bypasses",
    { times, sessions: 1 },
    { ...window, isIncremental: false },
  )) {
    const [id, head] = JSON.parse(one.key) as [string, string];
    const bypass = byId.get(id);
    // Skipped if its entry is no longer in any registry.
    if (bypass !== undefined) proposals.push(await makeProposal(ctx, one, { bypass, head }, window));
  }
  return proposals;
}

async function makeProposal(
  ctx: Pick<Context, "db" | "config">,
  one: RecurringItem,
  { bypass, head }: { readonly bypass: Bypass; readonly head: string },
  window: MiningWindow,
): Promise<Proposal> {
  const matcher = buildMatcher(one.events, bypass, head);
  const scope: Scope =
    bypass.workspace === null
      ? findCommonScope(
          one.events.map((event) => event.workspace),
          window,
        )
      : { kind: "workspace", workspace: bypass.workspace };
  const tested = await backtestGroup(ctx.db, { matcher, scope }, ({ event }) => isBypass(bypass, event));
  const why = bypass.origin === "owner" && bypass.reason !== null && canBeQuoted("owner", bypass.reason);
  return {
    miner: "bypasses",
    text: `Use the skill \`${bypass.skill}\`: ${describeMatcher(matcher)} was run without it ${plural(one.times, "time")} in ${plural(one.sessions, "session")}.${why ? ` ${oneLine(bypass.reason ?? "", 160)}` : ""}`,
    signature: `bypass of ${bypass.skill} ${bypass.pattern}`,
    matcher,
    scope,
    origin: bypass.origin,
    level: capLevelByOrigin(bypass.origin, proposedLevel(tested, ctx.config.policy.distil)),
    confidence: Number(tested.lower.toFixed(4)),
    evidence: makeRecurringEvidence(one, (event) => oneLine(findShellText(event.input) ?? "", 200)),
    backtest: tested,
  };
}

/** The command's head, with the flags and arguments that all calls share and the pattern mentions. */
function buildMatcher(events: readonly Event[], bypass: Bypass, head: string): Matcher {
  const each = events.map((event) => {
    const steps = parseSteps({ ...event, tool: event.tool ?? "" }).filter((step) => step.head === head);
    return new Set(steps.flatMap((step) => [...step.traits]));
  });
  const spoken = bypass.pattern.replaceAll("\\", "");
  const has = [...(each[0] ?? [])].filter((trait) => {
    const name = /^(?:flag|arg) (.+)$/.exec(trait)?.[1];
    return name !== undefined && spoken.includes(name) && each.every((traits) => traits.has(trait));
  });
  return { tool: "shell", head, ...(has.length > 0 ? { has: has.toSorted() } : {}) };
}

function isBypass(bypass: Bypass, event: Pick<Event, "tool" | "input">): boolean {
  const shell = findShellText(event.input) ?? "";
  return parseCommands(shell).length > 0 && findBypassedCommand(bypass, shell) !== null;
}

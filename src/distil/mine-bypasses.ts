import type { Context } from "../context.ts";
import { proposedLevel } from "../domain/rule/promote.ts";
import { commandsOf } from "../domain/shell/command.ts";
import { shellTextOf } from "../domain/shell/shell-text.ts";
import type { Event } from "../domain/event/event.ts";
import { inWords } from "../domain/rule/rule-sentence.ts";
import type { Matcher, Scope } from "../domain/rule/rule.ts";
import { type Bypass, bypassedBy } from "../domain/skills/registry.ts";
import { stepsOf } from "../domain/shell/step.ts";
import { levelWithin, mayBeQuoted } from "../domain/trust/trust.ts";
import { oneLine, plural } from "../lib/text.ts";
import { backtestGroup } from "./backtest-group.ts";
import { idOf } from "./read-repeats.ts";
import { evidenceFrom, type Look, type Recurring, recurring, scopeOf } from "./look.ts";
import type { Proposal } from "./proposal.ts";

/** Commands for which a registry names a skill, run without it again and again. */
export async function mineBypasses(
  ctx: Pick<Context, "db" | "config">,
  bypasses: readonly Bypass[],
  look: Look,
): Promise<readonly Proposal[]> {
  const { distil } = ctx.config.policy;
  const times = look.minCount ?? distil.bypassRepeats;
  const byId = new Map(bypasses.map((one) => [idOf(one), one]));
  const proposals: Proposal[] = [];
  // A pattern that is new to its registry finds what is old: no mark tells what it has seen.
  for (const one of await recurring(ctx.db, "bypasses", { times, sessions: 1 }, { ...look, fresh: false })) {
    const [id, head] = JSON.parse(one.key) as [string, string];
    const bypass = byId.get(id);
    // Its entry is no longer in any registry.
    if (bypass !== undefined) proposals.push(await proposalOf(ctx, one, { bypass, head }, look));
  }
  return proposals;
}

async function proposalOf(
  ctx: Pick<Context, "db" | "config">,
  one: Recurring,
  { bypass, head }: { readonly bypass: Bypass; readonly head: string },
  look: Look,
): Promise<Proposal> {
  const matcher = matcherOf(one.events, bypass, head);
  const scope: Scope =
    bypass.workspace === null
      ? scopeOf(
          one.events.map((event) => event.workspace),
          look,
        )
      : { kind: "workspace", workspace: bypass.workspace };
  const tested = await backtestGroup(ctx.db, { matcher, scope }, ({ event }) => isBypass(bypass, event));
  const why = bypass.origin === "owner" && bypass.reason !== null && mayBeQuoted("owner", bypass.reason);
  return {
    miner: "bypasses",
    text: `Use the skill \`${bypass.skill}\`: ${inWords(matcher)} was run without it ${plural(one.times, "time")} in ${plural(one.sessions, "session")}.${why ? ` ${oneLine(bypass.reason ?? "", 160)}` : ""}`,
    signature: `bypass of ${bypass.skill} ${bypass.pattern}`,
    matcher,
    scope,
    origin: bypass.origin,
    level: levelWithin(bypass.origin, proposedLevel(tested, ctx.config.policy.distil)),
    confidence: Number(tested.lower.toFixed(4)),
    evidence: evidenceFrom(one, (event) => oneLine(shellTextOf(event.input) ?? "", 200)),
    backtest: tested,
  };
}

/** The command's head, with those of its flags and arguments that all have in common and the pattern speaks of. */
function matcherOf(events: readonly Event[], bypass: Bypass, head: string): Matcher {
  const each = events.map((event) => {
    const steps = stepsOf({ ...event, tool: event.tool ?? "" }).filter((step) => step.head === head);
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
  const shell = shellTextOf(event.input) ?? "";
  return commandsOf(shell).length > 0 && bypassedBy(bypass, shell) !== null;
}

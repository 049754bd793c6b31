import type { Context } from "../context.ts";
import { proposedLevel } from "../domain/rule/promote.ts";
import { mainCommand } from "../domain/shell/command.ts";
import { shellTextOf } from "../domain/shell/shell-text.ts";
import type { Event } from "../domain/event/event.ts";
import { matches, withoutSituation } from "../domain/rule/matcher.ts";
import { covers, type Matcher, type Rule } from "../domain/rule/rule.ts";
import { stepsOf } from "../domain/shell/step.ts";
import { code } from "../domain/text/tool-name.ts";
import { oneLine, plural } from "../lib/text.ts";
import { eventsByIds } from "../store/events.ts";
import { failuresBefore } from "../store/recoveries.ts";
import { listRules } from "../store/rules.ts";
import { backtestGroup } from "./backtest-group.ts";
import { shapeOf } from "./read-repeats.ts";
import { evidenceFrom, type Look, type Recurring, recurring, scopeOf } from "./look.ts";
import type { Proposal } from "./proposal.ts";

/** A command that failed, and the other one that then worked: the same pair in more than one session. */
export async function mineRecoveries(
  ctx: Pick<Context, "db" | "config">,
  look: Look,
  proposed: readonly Proposal[],
): Promise<readonly Proposal[]> {
  const { distil } = ctx.config.policy;
  const sessions = distil.minSessions;
  const found = await recurring(ctx.db, "recoveries", { times: look.minCount ?? sessions, sessions }, look);
  const others = [...proposed, ...(await listRules(ctx.db)).filter((rule) => !isOwn(rule))];
  const proposals: Proposal[] = [];
  for (const one of found) {
    const failed = await failedOf(ctx.db, one);
    const proposal = await proposalOf(ctx, { ...one, events: failed }, look);
    if (proposal !== null && !others.some((other) => warnsOf(other, failed))) proposals.push(proposal);
  }
  return proposals;
}

function isOwn(rule: Rule): boolean {
  return rule.signature?.startsWith(SIGNATURE) === true;
}

const SIGNATURE = "recovery ";

/** The failing calls of the pairs: what is counted is the pair's later event, which is the one that worked. */
async function failedOf(db: Context["db"], one: Recurring): Promise<readonly Event[]> {
  const ids = await failuresBefore(
    db,
    one.events.map((event) => event.id),
  );
  const [head, flags] = JSON.parse(one.key) as [string, string[]];
  const events = (await eventsByIds(db, ids.slice(-MOST))).filter((event) => {
    const main = mainCommand(shellTextOf(event.input) ?? "");
    return main !== null && shapeOf(main) === shapeOf({ head, flags });
  });
  return events.toSorted((a, b) => a.id - b.id);
}

const MOST = 200;

async function proposalOf(ctx: Pick<Context, "db" | "config">, one: Recurring, look: Look): Promise<Proposal | null> {
  const { distil } = ctx.config.policy;
  const [head, flags, better, betterFlags] = JSON.parse(one.key) as [string, string[], string, string[]];
  const matcher = matcherOf({ head, flags }, { head: better, flags: betterFlags });
  const scope = scopeOf(
    one.events.map((event) => event.workspace),
    look,
  );
  const tested = await backtestGroup(ctx.db, { matcher, scope }, ({ result }) => result === "failed");
  if (one.events.length === 0 || tested.lower < distil.proposePrecision) return null;
  const [bad, good] = [
    [head, ...flags],
    [better, ...betterFlags],
  ].map((words) => code(words.join(" ")));
  return {
    miner: "recoveries",
    text: `Run ${good}, not ${bad}: it worked where ${bad} had failed, ${plural(one.times, "time")} in ${plural(one.sessions, "session")}.`,
    signature: `${SIGNATURE}${one.key}`,
    matcher,
    scope,
    origin: "tool",
    level: proposedLevel(tested, distil),
    confidence: Number(tested.lower.toFixed(4)),
    evidence: evidenceFrom(one, (event) => oneLine(shellTextOf(event.input) ?? "", 200)),
    backtest: tested,
  };
}

interface Shape {
  readonly head: string;
  readonly flags: readonly string[];
}

/** What the failing one had and the other had not; of the same command also what was missing. */
function matcherOf(bad: Shape, good: Shape): Matcher {
  const has = bad.flags.filter((flag) => !good.flags.includes(flag)).map((flag) => `flag ${flag}`);
  const lacks = good.flags
    .filter((flag) => bad.head === good.head && !bad.flags.includes(flag))
    .map((flag) => `flag ${flag}`);
  return {
    tool: "shell",
    head: bad.head,
    ...(has.length > 0 ? { has: has.toSorted() } : {}),
    ...(lacks.length > 0 ? { lacks: lacks.toSorted() } : {}),
  };
}

/** Whether a rule speaks before most of these calls already. */
function warnsOf(other: Pick<Rule, "matcher" | "scope">, failed: readonly Event[]): boolean {
  const { matcher, scope } = other;
  if (matcher === null) return false;
  const told = failed.filter(
    (event) =>
      covers(scope, event.workspace) &&
      matches(withoutSituation(matcher), stepsOf({ ...event, tool: event.tool ?? "" }), new Set()),
  );
  return told.length * 2 > failed.length;
}

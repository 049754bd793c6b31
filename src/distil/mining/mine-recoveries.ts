import type { Context } from "../../context.ts";
import { proposedLevel } from "../../domain/rule/promote.ts";
import { findMainCommand } from "../../domain/shell/command.ts";
import { findShellText } from "../../domain/shell/shell-text.ts";
import type { Event } from "../../domain/event/event.ts";
import { matchesSteps, stripSituation } from "../../domain/rule/matching/matcher.ts";
import { scopeCovers, type Matcher, type Rule } from "../../domain/rule/rule.ts";
import { parseSteps } from "../../domain/shell/step.ts";
import { typedHead } from "../../domain/shell/typed-head.ts";
import { inlineCode } from "../../domain/text/tool-name.ts";
import { oneLine, plural } from "../../lib/text.ts";
import { getEventsByIds } from "../../store/events/events.ts";
import { listRecoveredFailures } from "../../store/derived/recoveries.ts";
import { listRules } from "../../store/nouns/rules.ts";
import { backtestGroup } from "./backtest-group.ts";
import { makeShapeKey } from "../counting/read-repeats.ts";
import {
  makeRecurringEvidence,
  type MiningWindow,
  type RecurringItem,
  findRecurring,
  findCommonScope,
} from "./mining-window.ts";
import type { Proposal } from "./proposal.ts";

/** Proposes pairs of a failing command and another that then worked, seen in more than one session. */
export async function mineRecoveries(
  ctx: Pick<Context, "db" | "config">,
  window: MiningWindow,
  proposed: readonly Proposal[],
): Promise<readonly Proposal[]> {
  const { distil } = ctx.config.policy;
  const sessions = distil.minSessions;
  const found = await findRecurring(ctx.db, "recoveries", { times: window.minCount ?? sessions, sessions }, window);
  const others = [...proposed, ...(await listRules(ctx.db)).filter((rule) => !isRecoveryRule(rule))];
  const proposals: Proposal[] = [];
  for (const one of found) {
    const failed = await listFailedCalls(ctx.db, one);
    const proposal = await makeProposal(ctx, { ...one, events: failed, worked: one.events }, window);
    if (proposal !== null && !others.some((other) => alreadyWarns(other, failed))) proposals.push(proposal);
  }
  return proposals;
}

function isRecoveryRule(rule: Rule): boolean {
  return rule.signature?.startsWith(SIGNATURE) === true;
}

const SIGNATURE = "recovery ";

/** The failing calls of the pairs; the counted event of a pair is the later one, which worked. */
async function listFailedCalls(db: Context["db"], one: RecurringItem): Promise<readonly Event[]> {
  const ids = await listRecoveredFailures(
    db,
    one.events.map((event) => event.id),
  );
  const [head, flags] = JSON.parse(one.key) as [string, string[]];
  const events = (await getEventsByIds(db, ids.slice(-MOST))).filter((event) => {
    const main = findMainCommand(findShellText(event.input) ?? "");
    return main !== null && makeShapeKey(main) === makeShapeKey({ head, flags });
  });
  return events.toSorted((a, b) => a.id - b.id);
}

const MOST = 200;

async function makeProposal(
  ctx: Pick<Context, "db" | "config">,
  one: RecurringItem & { readonly worked: readonly Event[] },
  window: MiningWindow,
): Promise<Proposal | null> {
  const { distil } = ctx.config.policy;
  const [head, flags, better, betterFlags] = JSON.parse(one.key) as [string, string[], string, string[]];
  const matcher = buildMatcher({ head, flags }, { head: better, flags: betterFlags });
  const scope = findCommonScope(
    one.events.map((event) => event.workspace),
    window,
  );
  const tested = await backtestGroup(ctx.db, { matcher, scope }, ({ result }) => result === "failed");
  if (one.events.length === 0 || tested.lower < distil.proposePrecision) return null;
  const [bad, good] = [
    [typedAmong(one.events, head), ...flags],
    [typedAmong(one.worked, better), ...betterFlags],
  ].map((words) => inlineCode(words.join(" ")));
  return {
    miner: "recoveries",
    text: `Run ${good}, not ${bad}: it worked where ${bad} had failed, ${plural(one.times, "time")} in ${plural(one.sessions, "session")}.`,
    signature: `${SIGNATURE}${one.key}`,
    matcher,
    scope,
    origin: "tool",
    level: proposedLevel(tested, distil),
    confidence: Number(tested.lower.toFixed(4)),
    evidence: makeRecurringEvidence(one, (event) => oneLine(findShellText(event.input) ?? "", 200)),
    backtest: tested,
  };
}

/** As last typed: a program of the project cannot be run by its bare name. */
function typedAmong(events: readonly Event[], head: string): string {
  const own = events.flatMap((event) => {
    const main = findMainCommand(findShellText(event.input) ?? "");
    return main?.head === head ? [typedHead(main)] : [];
  });
  return own.at(-1) ?? head;
}

interface CommandShape {
  readonly head: string;
  readonly flags: readonly string[];
}

/** The flags only the failing command had; for the same command, also the flags it lacked. */
function buildMatcher(bad: CommandShape, good: CommandShape): Matcher {
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

/** True if a rule already speaks before most of these calls. */
function alreadyWarns(other: Pick<Rule, "matcher" | "scope">, failed: readonly Event[]): boolean {
  const { matcher, scope } = other;
  if (matcher === null) return false;
  const warned = failed.filter(
    (event) =>
      scopeCovers(scope, event.workspace) &&
      matchesSteps(stripSituation(matcher), parseSteps({ ...event, tool: event.tool ?? "" }), new Set()),
  );
  return warned.length * 2 > failed.length;
}

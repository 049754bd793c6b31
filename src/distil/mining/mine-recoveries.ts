import type { Context } from "../../context.ts";
import { detectCause, type FailureCause } from "../../domain/cause/cause.ts";
import { causeSentence } from "../../domain/cause/sentence.ts";
import { findFactsInFailure } from "../../domain/fact/read-failure.ts";
import { lawVersion } from "../../domain/remedy/law-version.ts";
import { judgeRemedy, weakerOrigin, type RemedyVerdict } from "../../domain/remedy/remedy-law.ts";
import { proposedLevel } from "../../domain/rule/promote.ts";
import { findMainCommand } from "../../domain/shell/command.ts";
import { asksForHelp } from "../../domain/shell/help-call.ts";
import { findShellText } from "../../domain/shell/shell-text.ts";
import type { Event } from "../../domain/event/event.ts";
import { scopeCovers, type Matcher, type Scope } from "../../domain/rule/rule.ts";
import { findRunScript } from "../../domain/shell/run-script.ts";
import { typedHead } from "../../domain/shell/typed-head.ts";
import { inlineCode } from "../../domain/text/tool-name.ts";
import { oneLine, plural } from "../../lib/text.ts";
import { getEventsByIds } from "../../store/events/events.ts";
import { listRecoveredFailures, listRecoveriesOf } from "../../store/derived/recoveries.ts";
import { listRules } from "../../store/nouns/rules.ts";
import { backtestGroup } from "./backtest-group.ts";
import { readAdvice } from "../../domain/remedy/advised-call.ts";
import { readAdviceFailures } from "../counting/advice-results.ts";
import { makeShapeKey } from "../counting/read-repeats.ts";
import { makeRecurringEvidence, type MiningWindow, type RecurringItem, findRecurring } from "./mining-window.ts";
import { listScopes } from "./find-causes.ts";
import type { Proposal } from "./proposal.ts";
import { areMostlyWarned, isRecoveryRule, RECOVERY_SIGNATURE } from "./covered-recoveries.ts";

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
  for (const one of found.flatMap((item) => splitByScope(item, window))) {
    if (one.times < (window.minCount ?? sessions) || one.sessions < sessions) continue;
    const failed = await listFailedCalls(ctx.db, one);
    const pairs = await listPairs(ctx.db, failed, distilWithin(ctx));
    const proposal = await makeProposal(ctx, { ...one, events: failed, worked: one.events, pairs });
    const isSaid = areMostlyWarned(failed, others) || failed.every((event) => isSaidByFact(event, one.key));
    if (proposal !== null && !isSaid) proposals.push(proposal);
  }
  return proposals;
}

type ScopedItem = RecurringItem & { readonly scope: Scope };

/**
 * One item per outermost workspace: what works instead in one project may not exist in another. A mistake that many
 * projects share has a cause, and `failures` makes a rule of it.
 */
function splitByScope(item: RecurringItem, window: Pick<MiningWindow, "global">): readonly ScopedItem[] {
  const scopes: readonly Scope[] = window.global
    ? [{ kind: "global" }]
    : listScopes(item.rows.map((event) => ({ event })));
  return scopes.map((scope) => {
    const rows = item.rows.filter(({ workspace }) => scopeCovers(scope, workspace));
    const events = item.events.filter(({ workspace }) => scopeCovers(scope, workspace));
    return {
      ...item,
      scope,
      rows,
      events,
      times: rows.reduce((sum, row) => sum + row.times, 0),
      sessions: rows.length,
    };
  });
}

/** The failing calls of the pairs; the counted event of a pair is the later one, which worked. */
async function listFailedCalls(db: Context["db"], one: RecurringItem): Promise<readonly Event[]> {
  const ids = await listRecoveredFailures(
    db,
    one.events.map((event) => event.id),
  );
  const { bad } = parseKey(one.key);
  const events = (await getEventsByIds(db, ids.slice(-MOST))).filter((event) => {
    const main = findMainCommand(findShellText(event.input) ?? "");
    return main !== null && makeShapeKey(main) === makeShapeKey(bad) && findRunScript(main)?.script === bad.script;
  });
  return events.toSorted((a, b) => a.id - b.id);
}

const MOST = 200;

/** The fact that a program is missing names the other program, for all calls of it. */
function isSaidByFact(event: Event, key: string): boolean {
  const { tool, error } = event;
  const { bad, good } = parseKey(key);
  if (tool === null || bad.head.split(" ", 1)[0] === good.head.split(" ", 1)[0]) return false;
  return findFactsInFailure({ ...event, tool }, error ?? "").some(({ kind }) => kind === "missing-program");
}

async function makeProposal(
  ctx: Pick<Context, "db" | "config">,
  one: ScopedItem & { readonly worked: readonly Event[]; readonly pairs: readonly RecoveryPair[] },
): Promise<Proposal | null> {
  const { distil } = ctx.config.policy;
  const shapes = parseKey(one.key);
  const matcher = buildMatcher(shapes.bad, shapes.good);
  const { scope } = one;
  const tested = await backtestGroup(ctx.db, { matcher, scope }, ({ result }) => result === "failed");
  if (one.events.length === 0 || tested.lower < distil.proposePrecision) return null;
  if (one.pairs.some(({ by }) => asksForHelp(findShellText(by.input) ?? ""))) return null;
  const against = findVerdictAgainst(one.pairs);
  // What worked went around the error.
  if (against?.risk != null) return null;
  // Options of both belong to the case.
  const typedGood = typedAmong(one.worked, { ...shapes.good, flags: without(shapes.good.flags, shapes.bad.flags) });
  const typedBad = typedAmong(one.events, { ...shapes.bad, flags: without(shapes.bad.flags, shapes.good.flags) });
  const [bad, good] = [typedBad, typedGood].map(inlineCode);
  const cause = findCertainCause(one.events);
  const text =
    cause === null
      ? `Run ${good}, not ${bad}: it worked where ${bad} had failed, ${plural(one.times, "time")} in ${plural(one.sessions, "session")}.`
      : causeSentence({
          cause,
          matcher,
          scope,
          failed: tested.hits,
          fired: tested.fired,
          instead: { ...none, command: typedGood },
        });
  const advice = readAdvice(text);
  if (advice !== null && (await readAdviceFailures(ctx.db, advice, { matcher, scope })) !== null) return null;
  const evidence = makeRecurringEvidence(one, (event) => oneLine(findShellText(event.input) ?? "", 200));
  const withheld =
    against === null ? {} : { withheld: { line: against.line, reason: against.reason ?? "", sentence: text } };
  return {
    miner: "recoveries",
    text,
    signature: `${RECOVERY_SIGNATURE}${one.key}`,
    matcher,
    scope,
    origin: "tool",
    // Its sentence is nothing but the advice.
    level:
      against === null
        ? proposedLevel(
            { ...tested, isCertain: one.events.every((event) => detectCertainCause(event) !== null) },
            distil,
          )
        : "watch",
    confidence: Number(tested.lower.toFixed(4)),
    evidence: {
      ...evidence,
      remedy: { origin: against?.origin ?? originOf(one.pairs), law: lawVersion, forms: [], ...withheld },
    },
    backtest: tested,
  };
}

const none = { command: null, tool: null, value: null };

/** The one option that the program did not know in all of the calls; null if they have other causes. */
function findCertainCause(failed: readonly Event[]): FailureCause | null {
  const [first, ...others] = failed.map(detectCertainCause);
  const isOne = others.every((other) => other?.kind === first?.kind && other?.thing === first?.thing);
  return first?.kind === "unknown-option" && isOne ? first : null;
}

/** The program did not know an option, a subcommand or a value: it never works, however rarely it was tried. */
function detectCertainCause({ tool, input, error }: Event): FailureCause | null {
  const cause = detectCause({ tool: tool ?? "", input }, error ?? "");
  return cause !== null && certainCauses.has(cause.kind) ? cause : null;
}

const certainCauses: ReadonlySet<string> = new Set(["unknown-option", "unknown-subcommand", "unknown-value"]);

interface RecoveryPair {
  readonly failed: Event;
  readonly by: Event;
}

/** The failing calls with what worked after them. */
async function listPairs(
  db: Context["db"],
  failed: readonly Event[],
  within: number,
): Promise<readonly RecoveryPair[]> {
  const byId = new Map(failed.map((event) => [event.id, event]));
  const found = await listRecoveriesOf(db, [...byId.keys()], within);
  return found.flatMap(({ failure, by }) => {
    const before = byId.get(failure);
    return before === undefined ? [] : [{ failed: before, by }];
  });
}

function distilWithin({ config }: Pick<Context, "config">): number {
  return config.policy.observe.recoveryWithin;
}

/** What the law says against one of the pairs; null if it says nothing against any. */
function findVerdictAgainst(pairs: readonly RecoveryPair[]): (RemedyVerdict & { readonly line: string }) | null {
  for (const pair of pairs) {
    const verdict = judgePair(pair);
    if (!verdict.isTaught) return { ...verdict, line: oneLine(findShellText(pair.by.input) ?? "", 200) };
  }
  return null;
}

function originOf(pairs: readonly RecoveryPair[]): RemedyVerdict["origin"] {
  return pairs.map((pair) => judgePair(pair).origin).reduce(weakerOrigin, "named");
}

function judgePair({ failed, by }: RecoveryPair): RemedyVerdict {
  const [before, after] = [failed, by].map(({ input }) => findShellText(input) ?? "");
  return judgeRemedy({
    failed: before ?? "",
    worked: after ?? "",
    error: failed.error ?? failed.text ?? "",
    cwd: by.cwd,
  });
}

/** As last typed: a program of the project cannot be run by its bare name. */
function typedAmong(events: readonly Event[], { head, flags, script }: CommandShape): string {
  const own = events.flatMap((event) => {
    const main = findMainCommand(findShellText(event.input) ?? "");
    return main?.head === head ? [findRunScript(main)?.typed ?? [typedHead(main), ...flags].join(" ")] : [];
  });
  return own.at(-1) ?? [head, ...flags, ...(script === undefined ? [] : [script])].join(" ");
}

interface CommandShape {
  readonly head: string;
  readonly flags: readonly string[];
  /** The script that it hands to an interpreter. */
  readonly script: string | undefined;
}

function parseKey(key: string): { readonly bad: CommandShape; readonly good: CommandShape } {
  const [head, flags, better, betterFlags, script] = JSON.parse(key) as [string, string[], string, string[], string?];
  return { bad: { head, flags, script }, good: { head: better, flags: betterFlags, script } };
}

function without(flags: readonly string[], others: readonly string[]): readonly string[] {
  return flags.filter((flag) => !others.includes(flag));
}

/** The script, and the flags only the failing command had; for the same command, also the flags it lacked. */
function buildMatcher(bad: CommandShape, good: CommandShape): Matcher {
  const has = without(bad.flags, good.flags).map((flag) => `flag ${flag}`);
  const named = [...has, ...(bad.script === undefined ? [] : [`arg ${bad.script}`])];
  const lacks = good.flags
    .filter((flag) => bad.head === good.head && !bad.flags.includes(flag))
    .map((flag) => `flag ${flag}`);
  return {
    tool: "shell",
    head: bad.head,
    ...(named.length > 0 ? { has: named.toSorted() } : {}),
    ...(lacks.length > 0 ? { lacks: lacks.toSorted() } : {}),
  };
}

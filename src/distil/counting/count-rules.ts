import type { Context } from "../../context.ts";
import { newCauseJudge, type CauseJudge } from "../../domain/cause/rule-cause.ts";
import { isEditTool } from "../../domain/text/edit-text.ts";
import {
  anySubcommand,
  matchesHead,
  isUnderstood,
  matcherHeads,
  matchesSteps,
} from "../../domain/rule/matching/matcher.ts";
import type { FailureCost } from "../../domain/rule/delivery/hold.ts";
import { buildPrefilter } from "../../domain/rule/matching/prefilter.ts";
import { normalisePurpose } from "../../domain/event/recovery.ts";
import { isWish } from "../../domain/rule/backing.ts";
import { asksForHelp } from "../../domain/shell/help-call.ts";
import { findShellText } from "../../domain/shell/shell-text.ts";
import { isActiveOrMuted, scopeCovers, type Matcher, type Rule, type Scope } from "../../domain/rule/rule.ts";
import { ANY_EDIT, makeCallGroup, type Step, parseSteps } from "../../domain/shell/step.ts";
import { type ListRanBefore, readRanBefore } from "./ran-before.ts";
import { DAY } from "../../lib/clock.ts";
import { groupBy } from "../../lib/group-by.ts";
import { hashText } from "../../lib/hash.ts";
import type { ChanceCall } from "../../domain/proof/chances.ts";
import { throwIfStopped, type Stoppable } from "../../lib/stopped.ts";
import { shouldCatchUpHere, pauseBetweenBatches } from "../../store/state/background.ts";
import type { Db } from "../../store/engine/db.ts";
import { cursors, readCursor } from "../../store/state/cursors.ts";
import { listRules } from "../../store/nouns/rules.ts";
import {
  addRuleSessions,
  type CountedSession,
  lockRuleCursor,
  readRuleCursors,
  getCursorPosition,
} from "../../store/shown/rule-sessions.ts";
import { listGroupNames, listTriesBetween, type UnreadTry } from "../../store/derived/tries.ts";

/** The parts of a rule that counting needs. */
export interface CountableRule {
  readonly id: string;
  readonly matcher: Matcher;
  readonly scope: Scope;
  /** For a learned rule, its evidence: failures with another cause do not count. */
  readonly origin?: Rule["origin"];
  readonly evidence?: Rule["evidence"];
  readonly signature?: Rule["signature"];
}

/** Updates each rule's counts of opportunities and attempts. The cost depends on what is new since the last count. */
export async function countRules(
  ctx: Pick<Context, "db" | "clock" | "config">,
  only: readonly Rule[] | null = null,
  stop: Stoppable = { aborted: false },
): Promise<void> {
  const { db } = ctx;
  const upTo = await readCursor(db, cursors.tried);
  const ruleCursors = await readRuleCursors(db);
  const due = (only ?? (await listRules(db))).filter(isCountable).filter((rule) => {
    const cursor = getCursorPosition(ruleCursors.get(rule.id), rule);
    return (cursor === 0 || cursor < upTo) && shouldCatchUpHere(db, upTo - cursor);
  });
  if (due.length === 0) return;
  const recentSince = ctx.clock.now() - ctx.config.policy.distil.mineDays * DAY;
  const names = await listGroupNames(db);
  const together = [...groupBy(due, (rule) => listMatcherGroups(rule.matcher, names).join("\n")).values()];
  for (const [at, some] of together.entries()) {
    if (at > 0) throwIfStopped(stop);
    await db.tx((tx) => countTogether(tx, some, recentSince));
    await pauseBetweenBatches(db);
  }
}

/** Counts rules that look at the same calls; those with equal cursors share one read of each call. */
async function countTogether(
  tx: Db,
  rules: readonly (Rule & { readonly matcher: Matcher })[],
  recentSince: number,
): Promise<void> {
  const ruleCursors = new Map<string, number>();
  for (const rule of rules.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
    ruleCursors.set(rule.id, await lockRuleCursor(tx, rule));
  const upTo = await readCursor(tx, cursors.tried);
  for (const some of groupBy(rules, (rule) => String(ruleCursors.get(rule.id))).values()) {
    const from = ruleCursors.get(some[0]?.id ?? "") ?? 0;
    if (from >= upTo && from > 0) continue;
    const counts = await countRuleSessions(tx, some, { from, upTo });
    for (const rule of some)
      await addRuleSessions(tx, rule, { from, upTo, recentSince, sessions: counts.get(rule.id) ?? [] });
  }
}

export function isCountable(rule: Rule): rule is Rule & { readonly matcher: Matcher } {
  return rule.matcher !== null && isUnderstood(rule.matcher) && (isActiveOrMuted(rule) || rule.status === "dormant");
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };
type SessionResult = CountedSession & { readonly cost: FailureCost };
type SessionCounts = Writable<Omit<CountedSession, "cost" | "calls">> & {
  readonly cost: Writable<FailureCost>;
  /** By event: the groups of a rule are read one after the other. */
  readonly byEvent: Map<number, Writable<ChanceCall>>;
};

/** For each rule, its counts per session, in a range of event ids. */
export async function countRuleSessions(
  db: Db,
  rules: readonly CountableRule[],
  range: { readonly from: number; readonly upTo: number },
): Promise<ReadonlyMap<string, readonly SessionResult[]>> {
  const names = await listGroupNames(db);
  const counts = new Map<string, readonly SessionResult[]>();
  for (const some of groupBy(rules, (rule) => listMatcherGroups(rule.matcher, names).join("\n")).values()) {
    const counters: Counter[] = [];
    for (const rule of some)
      counters.push(
        new Counter(rule, await readRanBefore(db, [...(rule.matcher.has ?? []), ...(rule.matcher.lacks ?? [])])),
      );
    const groups = listMatcherGroups(some[0]?.matcher ?? { tool: "" }, names);
    // One command line may contain two commands with the same purpose: it is one opportunity.
    const met = groups.length > 1 ? new Set<number>() : null;
    for (const group of groups) await countGroup(db, { group, range, counters, met });
    for (const counter of counters) counts.set(counter.rule.id, counter.sessions());
  }
  return counts;
}

interface GroupCount {
  readonly group: string;
  readonly range: { readonly from: number; readonly upTo: number };
  readonly counters: readonly Counter[];
  readonly met: Set<number> | null;
}

async function countGroup(db: Db, { group, range, counters, met }: GroupCount): Promise<void> {
  const byWorkspace = new Map<string | null, readonly Counter[]>();
  const heldIn = (workspace: string | null): readonly Counter[] => {
    const known = byWorkspace.get(workspace);
    if (known) return known;
    const covering = counters.filter(({ rule }) => scopeCovers(rule.scope, workspace));
    byWorkspace.set(workspace, covering);
    return covering;
  };
  for (let after = range.from; ;) {
    const page = await listTriesBetween(db, group, { after, upTo: range.upTo }, PAGE);
    for (const tried of page) {
      const first = met === null || !met.has(tried.id);
      met?.add(tried.id);
      let steps: readonly Step[] | null = null;
      const read = () => (steps ??= parseSteps(tried.call()));
      const isHelp = isWorkingHelp(tried);
      for (const counter of heldIn(tried.workspace)) counter.add(tried, { group, first, read, isHelp });
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last.id;
  }
}

const PAGE = 500;

/** No mistake can be made in a call that only asks what a program can do, and that is answered. */
function isWorkingHelp(tried: UnreadTry): boolean {
  if (tried.result === "failed" || !mayAskForHelp.test(tried.input)) return false;
  return asksForHelp(findShellText(tried.call().input) ?? "");
}

/** Read before the input is parsed. */
const mayAskForHelp = /--help|--version|\bhelp\b| -h\b|\b(?:man|info|tldr) /;

/** Counts, per session, the calls that concern one rule. */
class Counter {
  readonly rule: CountableRule;
  /** The groups with calls that the rule may match; null if they may be in any group. */
  private readonly own: ReadonlySet<string> | null;
  private readonly may: ReturnType<typeof buildPrefilter>;
  /** Ids of counted calls, if one command line may be in several of its groups; null if it has only one. */
  private readonly taken: Set<number> | null;
  private readonly bySession = new Map<string, Map<string, SessionCounts>>();
  private last: SessionCounts | null = null;
  private readonly judge: CauseJudge;
  private readonly isWish: boolean;
  private readonly overturned: number;

  private readonly ranBefore: ListRanBefore;

  constructor(rule: CountableRule, ranBefore: ListRanBefore) {
    this.rule = rule;
    this.ranBefore = ranBefore;
    // A command that a person named also matches longer heads: `docker compose` matches `docker compose up`.
    const isOfHeads = rule.matcher.tool === "shell" && rule.matcher.runs === undefined;
    const heads = isOfHeads ? matcherHeads(rule.matcher) : [];
    this.own = heads.length === 0 ? null : new Set(heads.map((head) => makeCallGroup("bash", head)));
    this.may = buildPrefilter(rule.matcher);
    const several = (this.own?.size ?? 0) > 1 || rule.matcher.has?.includes(anySubcommand) === true;
    this.taken = several ? new Set() : null;
    const { origin = "owner", evidence = { refs: [] }, matcher, signature = null } = rule;
    this.overturned = rule.evidence?.overturned ?? -1;
    this.isWish = isWish({ origin, signature });
    this.judge = newCauseJudge({ origin, evidence, matcher });
  }

  isOwn(group: string): boolean {
    if (this.own === null || this.own.has(group)) return true;
    return group.startsWith(SHELL) && matchesHead(this.rule.matcher, group.slice(SHELL.length));
  }

  add(
    tried: UnreadTry,
    at: {
      readonly group: string;
      readonly first: boolean;
      readonly read: () => readonly Step[];
      readonly isHelp: boolean;
    },
  ): void {
    if (at.isHelp && this.isWish) return;
    if (at.first && !at.isHelp) {
      const one = this.countsOf(tried);
      one.at = Math.min(one.at, tried.at);
      one.opportunities++;
      one.byEvent.set(tried.id, { key: hashText(tried.input), isMistake: false, result: tried.result });
    }
    if (!this.isOwn(at.group) || (this.own === null && !at.first) || this.taken?.has(tried.id) === true) return;
    this.taken?.add(tried.id);
    const ran = this.ranBefore(tried);
    const state = ran.length === 0 ? tried.state : [...tried.state, ...ran];
    if (!this.may(tried.input, state) || !matchesSteps(this.rule.matcher, at.read(), new Set(state))) return;
    const verdict = tried.result === "failed" ? this.judge(tried.error, tried.signature) : null;
    if (verdict === "neither" || (tried.result === "worked" && tried.at <= this.overturned)) return;
    const one = this.countsOf(tried);
    one.attempts++;
    const chance = one.byEvent.get(tried.id);
    if (chance !== undefined) chance.isMistake = this.isWish || tried.result !== "worked";
    if (tried.result === "failed") {
      // The cost includes all failures, also those with another cause.
      if (verdict === "right") one.failed++;
      one.cost.failures++;
      one.cost.characters += tried.cost.characters;
      one.cost.ms += tried.cost.ms;
      one.cost.calls += tried.cost.calls;
    } else if (tried.result === "worked") one.worked++;
  }

  sessions(): readonly SessionResult[] {
    // Sorted in storage order: that saves a third of the time.
    return [...this.bySession.values()]
      .flatMap((ofHost) => [...ofHost.values()])
      .toSorted((a, b) => (a.session < b.session ? -1 : 1))
      .map(({ byEvent, ...one }) => ({
        ...one,
        calls: [...byEvent].toSorted(([a], [b]) => a - b).map(([, call]) => call),
      }));
  }

  private countsOf({ host, session, at }: UnreadTry): SessionCounts {
    if (this.last?.session === session && this.last.host === host) return this.last;
    let ofHost = this.bySession.get(host);
    if (ofHost === undefined) this.bySession.set(host, (ofHost = new Map()));
    let one = ofHost.get(session);
    if (one === undefined) {
      const cost = { failures: 0, characters: 0, ms: 0, calls: 0 };
      ofHost.set(
        session,
        (one = { host, session, at, opportunities: 0, attempts: 0, failed: 0, worked: 0, cost, byEvent: new Map() }),
      );
    }
    this.last = one;
    return one;
  }
}

/** The prefix of a command's group; the head follows. */
const SHELL = "shell ";

/** The groups with a rule's opportunities: its tool, or every command with the same purpose as its own. */
function listMatcherGroups(matcher: Matcher, groups: readonly string[]): readonly string[] {
  if (matcher.tool === ANY_EDIT) return groups.filter(isEditTool);
  if (matcher.tool !== "shell") return [matcher.tool];
  const heads = matcherHeads(matcher);
  if (heads.length === 0) return groups.filter((group) => group.startsWith(SHELL));
  const purposes = new Set(heads.map(normalisePurpose));
  const own = heads.map((head) => makeCallGroup("bash", head));
  // `docker compose` includes every command that begins with it.
  const isNamed = (group: string) => matcher.runs !== undefined && group.startsWith(`${own[0] ?? ""} `);
  const found = groups.filter((group) => {
    if (!group.startsWith(SHELL)) return false;
    const itsHead = group.slice(SHELL.length);
    return purposes.has(normalisePurpose(itsHead)) || matchesHead(matcher, itsHead) || isNamed(group);
  });
  return [...new Set([...found, ...own])];
}

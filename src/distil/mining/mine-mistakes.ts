import type { Context } from "../../context.ts";
import type { LedgerEntry, Mistake, PatternCount } from "../../domain/ledger/ledger.ts";
import { isPlainAdvice, isPlainReport } from "../../domain/ledger/agent-words.ts";
import { meaningfulWords } from "../../domain/ledger/pattern.ts";
import type { Evidence, Origin, Scope } from "../../domain/rule/rule.ts";
import { canBeQuoted, plainName, leastTrust } from "../../domain/trust/trust.ts";
import { wilsonLower } from "../../domain/proof/wilson.ts";
import { oneLine, plural } from "../../lib/text.ts";
import { readPatternCounts } from "../../store/nouns/ledger.ts";
import type { MiningWindow } from "./mining-window.ts";
import type { Proposal } from "./proposal.ts";

/** Proposes rules for patterns with enough more mistakes than wins. */
export async function mineMistakes(
  ctx: Pick<Context, "db" | "config">,
  window: MiningWindow,
): Promise<readonly Proposal[]> {
  const least = window.minCount ?? ctx.config.policy.distil.ledgerMistakes;
  return (await readPatternCounts(ctx.db)).flatMap((count) => {
    const seen = limitToWindow(count, window);
    // Entries by people and agents are judged alone first, so that external entries cannot remove a rule.
    const vouched = { ...seen, mistakes: seen.mistakes.filter((one) => isVouched(one.origin)) };
    const name = plainName(count.pattern);
    if (name === null) return [];
    const made = [vouched, seen]
      .map((one) => listScopedPatterns(one, window, least))
      .find((places) => places.length > 0);
    return (made ?? []).map((one) => makeProposal(one, name));
  });
}

interface ScopedPattern extends PatternCount {
  readonly scope: Scope;
}

/** The scopes with enough mistakes: global, or workspaces, each counted with its own entries and the global ones. */
function listScopedPatterns(count: PatternCount, window: MiningWindow, least: number): readonly ScopedPattern[] {
  const isEnough = (one: ScopedPattern) => one.mistakes.length - one.wins.length >= least;
  // An agent may not say that something holds in other workspaces.
  const isEverywhere = (one: LedgerEntry) => one.workspace === null && one.origin !== "agent";
  const workspaces = [...new Set(count.mistakes.map((one) => one.workspace))].filter((one) => one !== null);
  const isWide = window.global || workspaces.length >= MIN_WORKSPACES;
  const mistakes = isWide ? count.mistakes : count.mistakes.filter(isEverywhere);
  const wide: ScopedPattern = { ...count, mistakes: listCounted(mistakes), scope: { kind: "global" } };
  if (isWide || isEnough(wide)) return [wide].filter(isEnough);
  return workspaces
    .map((workspace): ScopedPattern => {
      const holdsThere = (one: LedgerEntry) => one.workspace === workspace || isEverywhere(one);
      const scope: Scope = { kind: "workspace", workspace };
      const own = listCounted(count.mistakes.filter(holdsThere));
      return { ...count, mistakes: own, wins: count.wins.filter(holdsThere), scope };
    })
    .filter(isEnough);
}

/** Agents' entries count from two sessions on: one session may write the same text again and again. */
function listCounted(mistakes: readonly Mistake[]): readonly Mistake[] {
  const sessions = new Set(mistakes.filter((one) => one.origin === "agent").map((one) => one.session));
  return sessions.size >= MIN_SESSIONS ? mistakes : mistakes.filter((one) => one.origin !== "agent");
}

const MIN_SESSIONS = 2;

/** Mistakes in this many workspaces are global. */
const MIN_WORKSPACES = 3;

function limitToWindow(count: PatternCount, window: MiningWindow): PatternCount {
  const fits = (one: { readonly at: number; readonly workspace: string | null }) =>
    one.at >= window.sinceIn(one.workspace) && (window.workspace === null || one.workspace === window.workspace);
  return { ...count, mistakes: count.mistakes.filter(fits), wins: count.wins.filter(fits) };
}

function isVouched(origin: Origin): boolean {
  return origin === "owner" || origin === "agent";
}

function makeProposal(count: ScopedPattern, name: string): Proposal {
  const { mistakes, wins } = count;
  const origin = leastTrust(mistakes.map((one) => one.origin));
  return {
    miner: "mistakes",
    text: describePattern(count, name),
    signature: `pattern ${count.key}`,
    matcher: null,
    scope: count.scope,
    origin,
    level: isVouched(origin) ? "advise" : "watch",
    confidence: Number(wilsonLower(mistakes.length, mistakes.length + wins.length).toFixed(4)),
    evidence: makeMistakeEvidence(mistakes),
    backtest: null,
  };
}

function describePattern({ mistakes, wins }: ScopedPattern, name: string): string {
  const against = wins.length === 0 ? "" : ` (avoided ${plural(wins.length, "time")})`;
  const signal = findSignal(mistakes);
  const better = findWording(mistakes);
  return [
    `Watch out for \`${name}\`: this mistake was made ${plural(mistakes.length, "time")}${against}.`,
    ...(signal === null ? [] : [`Its sign: ${endSentence(signal)}`]),
    ...(better === null ? [] : [`Better: ${endSentence(better)}`]),
  ].join(" ");
}

function endSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/**
 * The latest `shouldHave`. The owner's is used as it is; an agent's only if it is plain advice and another mistake of
 * the pattern agrees with it, so that a single planted entry cannot set the wording.
 */
function findWording(mistakes: readonly Mistake[]): string | null {
  for (const one of mistakes.toReversed()) {
    if (one.shouldHave === "" || !canBeQuoted(one.origin, one.shouldHave)) continue;
    const isAgreed = () => mistakes.some((other) => other.id !== one.id && agrees(one, other));
    if (one.origin === "owner" || (isPlainAdvice(one.shouldHave) && isAgreed())) return oneLine(one.shouldHave, 200);
  }
  return null;
}

/** The latest signal that may be repeated. */
function findSignal(mistakes: readonly Mistake[]): string | null {
  const found = mistakes.findLast(
    ({ origin, signal }) =>
      signal !== "" && canBeQuoted(origin, signal) && (origin === "owner" || isPlainReport(signal)),
  );
  return found === undefined ? null : oneLine(found.signal, 160);
}

function agrees(one: Mistake, other: Mistake): boolean {
  if (!isVouched(other.origin)) return false;
  const words = new Set(meaningfulWords(`${other.shouldHave} ${other.what} ${other.signal}`));
  return meaningfulWords(one.shouldHave).some((word) => word.length > 2 && words.has(word));
}

function makeMistakeEvidence(mistakes: readonly Mistake[]): Evidence {
  const times = mistakes.map((one) => one.at);
  return {
    observations: mistakes.length,
    // Mistakes without a session count as one session.
    sessions: new Set(mistakes.map((one) => one.session)).size,
    first: Math.min(...times),
    last: Math.max(...times),
    refs: mistakes.slice(-KEPT_REFS).map((one, at) => ({
      host: "ledger",
      session: one.id,
      seq: at,
      at: one.at,
      excerpt: oneLine([one.what, one.signal].filter(Boolean).join("; "), 200),
    })),
  };
}

const KEPT_REFS = 20;

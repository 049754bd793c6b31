import type { Context } from "../../context.ts";
import type { LedgerEntry, Mistake, PatternCount } from "../../domain/ledger/ledger.ts";
import { meaningfulWords } from "../../domain/ledger/pattern.ts";
import type { Evidence, Origin, Scope } from "../../domain/rule/rule.ts";
import { canBeQuoted, plainName, leastTrust } from "../../domain/trust/trust.ts";
import { wilsonLower } from "../../domain/proof/wilson.ts";
import { oneLine, plural } from "../../lib/text.ts";
import { readPatternCounts } from "../../store/nouns/ledger.ts";
import type { MiningWindow } from "./mining-window.ts";
import type { Proposal } from "./proposal.ts";

/** Patterns with so many more mistakes than wins that the next session should know of them. */
export async function mineMistakes(
  ctx: Pick<Context, "db" | "config">,
  window: MiningWindow,
): Promise<readonly Proposal[]> {
  const least = window.minCount ?? ctx.config.policy.distil.ledgerMistakes;
  return (await readPatternCounts(ctx.db)).flatMap((count) => {
    const seen = limitToWindow(count, window);
    // What people and agents wrote is enough by itself; nobody's page can take a rule away by joining in.
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

/** Where there are enough of it: everywhere, or in workspaces, each by its own entries and those that are for everywhere. */
function listScopedPatterns(count: PatternCount, window: MiningWindow, least: number): readonly ScopedPattern[] {
  const isEnough = (one: ScopedPattern) => one.mistakes.length - one.wins.length >= least;
  const workspaces = [...new Set(count.mistakes.map((one) => one.workspace))].filter((one) => one !== null);
  const isWide = window.global || workspaces.length >= MIN_WORKSPACES;
  const mistakes = isWide ? count.mistakes : count.mistakes.filter((one) => one.workspace === null);
  const wide: ScopedPattern = { ...count, mistakes, scope: { kind: "global" } };
  if (isWide || isEnough(wide)) return [wide].filter(isEnough);
  return workspaces
    .map((workspace): ScopedPattern => {
      const holdsThere = (one: LedgerEntry) => one.workspace === workspace || one.workspace === null;
      const scope: Scope = { kind: "workspace", workspace };
      return { ...count, mistakes: count.mistakes.filter(holdsThere), wins: count.wins.filter(holdsThere), scope };
    })
    .filter(isEnough);
}

/** What goes wrong in so many of them is no peculiarity of one. */
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
  const should = findWording(mistakes);
  const against = wins.length === 0 ? "" : ` and right ${plural(wins.length, "time")}`;
  return {
    miner: "mistakes",
    text: `Mind \`${name}\`, which went wrong ${plural(mistakes.length, "time")}${against}.${should === null ? "" : ` Should have: ${should}`}`,
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

/**
 * What should have been done, as it was written last. The owner's word stands by itself; an agent's only where another
 * mistake of the pattern speaks of the same: a single entry that somebody slipped in sets no wording.
 */
function findWording(mistakes: readonly Mistake[]): string | null {
  for (const one of mistakes.toReversed()) {
    if (one.shouldHave === "" || !canBeQuoted(one.origin, one.shouldHave)) continue;
    if (one.origin === "owner" || mistakes.some((other) => other.id !== one.id && agrees(one, other)))
      return oneLine(one.shouldHave, 200);
  }
  return null;
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
    // Those of which nobody knows the session may be of one.
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

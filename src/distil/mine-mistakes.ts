import type { Context } from "../context.ts";
import type { Entry, Mistake, PatternCount } from "../domain/ledger/ledger.ts";
import { meaningful } from "../domain/ledger/pattern.ts";
import type { Evidence, Origin, Scope } from "../domain/rule/rule.ts";
import { mayBeQuoted, plainName, trustOf } from "../domain/trust/trust.ts";
import { wilsonLower } from "../domain/proof/wilson.ts";
import { oneLine, plural } from "../lib/text.ts";
import { patternCounts } from "../store/ledger.ts";
import type { Look } from "./look.ts";
import type { Proposal } from "./proposal.ts";

/** Patterns with so many more mistakes than wins that the next session should know of them. */
export async function mineMistakes(ctx: Pick<Context, "db" | "config">, look: Look): Promise<readonly Proposal[]> {
  const least = look.minCount ?? ctx.config.policy.distil.ledgerMistakes;
  return (await patternCounts(ctx.db)).flatMap((count) => {
    const seen = within(count, look);
    // What people and agents wrote is enough by itself; nobody's page can take a rule away by joining in.
    const vouched = { ...seen, mistakes: seen.mistakes.filter((one) => isVouched(one.origin)) };
    const name = plainName(count.pattern);
    if (name === null) return [];
    const made = [vouched, seen].map((one) => placed(one, look, least)).find((places) => places.length > 0);
    return (made ?? []).map((one) => proposalOf(one, name));
  });
}

interface Placed extends PatternCount {
  readonly scope: Scope;
}

/** Where there are enough of it: everywhere, or in workspaces, each by its own entries and those that are for everywhere. */
function placed(count: PatternCount, look: Look, least: number): readonly Placed[] {
  const isEnough = (one: Placed) => one.mistakes.length - one.wins.length >= least;
  const workspaces = [...new Set(count.mistakes.map((one) => one.workspace))].filter((one) => one !== null);
  const isWide = look.global || workspaces.length >= WORKSPACES;
  const mistakes = isWide ? count.mistakes : count.mistakes.filter((one) => one.workspace === null);
  const wide: Placed = { ...count, mistakes, scope: { kind: "global" } };
  if (isWide || isEnough(wide)) return [wide].filter(isEnough);
  return workspaces
    .map((workspace): Placed => {
      const here = (one: Entry) => one.workspace === workspace || one.workspace === null;
      const scope: Scope = { kind: "workspace", workspace };
      return { ...count, mistakes: count.mistakes.filter(here), wins: count.wins.filter(here), scope };
    })
    .filter(isEnough);
}

/** What goes wrong in so many of them is no peculiarity of one. */
const WORKSPACES = 3;

function within(count: PatternCount, look: Look): PatternCount {
  const fits = (one: { readonly at: number; readonly workspace: string | null }) =>
    one.at >= look.sinceIn(one.workspace) && (look.workspace === null || one.workspace === look.workspace);
  return { ...count, mistakes: count.mistakes.filter(fits), wins: count.wins.filter(fits) };
}

function isVouched(origin: Origin): boolean {
  return origin === "owner" || origin === "agent";
}

function proposalOf(count: Placed, name: string): Proposal {
  const { mistakes, wins } = count;
  const origin = trustOf(mistakes.map((one) => one.origin));
  const should = wordingOf(mistakes);
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
    evidence: evidenceFrom(mistakes),
    backtest: null,
  };
}

/**
 * What should have been done, as it was written last. The owner's word stands by itself; an agent's only where another
 * mistake of the pattern speaks of the same: a single entry that somebody slipped in sets no wording.
 */
function wordingOf(mistakes: readonly Mistake[]): string | null {
  for (const one of mistakes.toReversed()) {
    if (one.shouldHave === "" || !mayBeQuoted(one.origin, one.shouldHave)) continue;
    if (one.origin === "owner" || mistakes.some((other) => other.id !== one.id && agrees(one, other)))
      return oneLine(one.shouldHave, 200);
  }
  return null;
}

function agrees(one: Mistake, other: Mistake): boolean {
  if (!isVouched(other.origin)) return false;
  const told = new Set(meaningful(`${other.shouldHave} ${other.what} ${other.signal}`));
  return meaningful(one.shouldHave).some((word) => word.length > 2 && told.has(word));
}

function evidenceFrom(mistakes: readonly Mistake[]): Evidence {
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

import type { Context } from "../../context.ts";
import { isShellTool, findMainCommand } from "../../domain/shell/command.ts";
import { findShellText } from "../../domain/shell/shell-text.ts";
import type { Event } from "../../domain/event/event.ts";
import {
  type PreferenceKey,
  computePreferenceKey,
  intersectPreferenceKeys,
  areOppositePreferences,
  type Preference,
  findPreferences,
} from "../../domain/event/preference.ts";
import { preferenceSentence } from "../../domain/rule/wording/preference-sentence.ts";
import { describeMatcher } from "../../domain/rule/wording/rule-sentence.ts";
import type { Matcher, Origin } from "../../domain/rule/rule.ts";
import { canBeQuoted, leastTrust } from "../../domain/trust/trust.ts";
import { wilsonLower } from "../../domain/proof/wilson.ts";
import { tryParseJson } from "../../lib/json.ts";
import { plural } from "../../lib/text.ts";
import { hasRepeatsAfter, type Repeat, listRepeats } from "../../store/derived/repeats.ts";
import { listGroupNames } from "../../store/derived/tries.ts";
import { buildMatcherAgainst } from "./avoided-command.ts";
import { loadRepeatEvents, makeRepeatFilter, type MiningWindow, findCommonScope } from "./mining-window.ts";
import { makeEvidence, type Proposal } from "./proposal.ts";

/** Proposes what users ask for in more than one session: use X rather than Y, avoid X, always do X. */
export async function mineCorrections(
  ctx: Pick<Context, "db" | "config">,
  window: MiningWindow,
): Promise<readonly Proposal[]> {
  const filter = await makeRepeatFilter(ctx.db, "corrections", window);
  if (!(await hasRepeatsAfter(ctx.db, "corrections", filter.after))) return [];
  const rows = await listRepeats(ctx.db, "corrections", { ...filter, after: 0 });
  const requests = clusterRequests(rows.flatMap(parseRequest));
  const least = Math.max(window.minCount ?? 0, ctx.config.policy.distil.minSessions);
  const proposals: Proposal[] = [];
  for (const cluster of requests) {
    if (countSessions(cluster.rows) < least || requests.some((other) => isReversed(cluster, other))) continue;
    const proposal = await makeProposal(ctx, cluster, window);
    if (proposal !== null) proposals.push(proposal);
  }
  return proposals;
}

/** The owner's requests from too few sessions for a rule, as one sentence each, the latest first. */
export async function listRareCorrections(
  ctx: Pick<Context, "db" | "config">,
  since: number,
): Promise<readonly RareCorrection[]> {
  const rows = await listRepeats(ctx.db, "corrections", { since, workspace: null, after: 0 });
  const requests = clusterRequests(rows.flatMap(parseRequest));
  const least = ctx.config.policy.distil.minSessions;
  const found: RareCorrection[] = [];
  for (const cluster of requests) {
    if (countSessions(cluster.rows) >= least || requests.some((other) => isReversed(cluster, other))) continue;
    const typed = (await loadRepeatEvents(ctx.db, cluster.rows)).filter((event) => findOrigin(event) === "owner");
    const sentence = preferenceSentence(typed.flatMap((event) => listPreferencesFor(cluster.request, event)));
    if (sentence === null || !canBeQuoted("owner", sentence)) continue;
    found.push({ text: sentence, at: Math.max(...cluster.rows.map((row) => row.at)), sessions: least });
  }
  return found.toSorted((a, b) => b.at - a.at);
}

export interface RareCorrection {
  readonly text: string;
  readonly at: number;
  /** How many sessions are needed before it becomes a candidate. */
  readonly sessions: number;
}

interface RequestCluster {
  readonly request: PreferenceKey;
  readonly rows: readonly Repeat[];
}

/** Skips rows that an older version keyed by their words. */
function parseRequest(row: Repeat): readonly RequestCluster[] {
  const request = tryParseJson(row.key);
  return request === undefined ? [] : [{ request: request as PreferenceKey, rows: [row] }];
}

/** The most specific first: "use pnpm, not npm" absorbs both "use pnpm" and "don't use npm". */
export function clusterRequests(single: readonly RequestCluster[]): readonly RequestCluster[] {
  const clusters: RequestCluster[] = [];
  for (const one of single.toSorted((a, b) => measureSpecificity(b.request) - measureSpecificity(a.request))) {
    const at = clusters.findIndex(({ request }) => intersectPreferenceKeys(request, one.request) !== null);
    const home = clusters[at];
    const request = home === undefined ? null : intersectPreferenceKeys(home.request, one.request);
    if (home === undefined || request === null) clusters.push(one);
    else clusters[at] = { request, rows: [...home.rows, ...one.rows] };
  }
  return clusters;
}

function measureSpecificity({ use, not, words }: PreferenceKey): number {
  return (use === null ? 0 : 1) + (not === null ? 0 : 1) + words.length;
}

/** True if the opposite was asked for later. */
function isReversed(cluster: RequestCluster, other: RequestCluster): boolean {
  const last = ({ rows }: RequestCluster) => Math.max(...rows.map((row) => row.at));
  return areOppositePreferences(cluster.request, other.request) && last(other) >= last(cluster);
}

function countSessions(rows: readonly Pick<Repeat, "host" | "session">[]): number {
  return new Set(rows.map((row) => `${row.host} ${row.session}`)).size;
}

async function makeProposal(
  ctx: Pick<Context, "db">,
  { request, rows }: RequestCluster,
  window: MiningWindow,
): Promise<Proposal | null> {
  const events = await loadRepeatEvents(
    ctx.db,
    rows.toSorted((a, b) => a.event - b.event),
  );
  const sessions = countSessions(events);
  const typed = events.filter((event) => findOrigin(event) === "owner");
  const matcher =
    typed.length === 0
      ? findRefusedCommand(events)
      : buildMatcherAgainst(request, new Set(await listGroupNames(ctx.db)));
  const text = composeText(request, { typed, matcher, sessions });
  if (text === null) return null;
  return {
    miner: "corrections",
    text,
    signature: `correction ${JSON.stringify([request.kind, request.use, request.not, request.verb, ...request.words])}`,
    matcher,
    scope: findCommonScope(
      events.map((event) => event.workspace),
      window,
    ),
    origin: leastTrust(events.map(findOrigin)),
    // Two requests do not make it permanent; the owner decides.
    level: "watch",
    confidence: Number(wilsonLower(sessions, sessions).toFixed(4)),
    evidence: makeEvidence(events),
    backtest: null,
  };
}

/**
 * The wording comes from what the user typed. A refusal's words come in an error text, which a tool could
 * also write: they stay evidence, and the rule says only what was refused.
 */
function composeText(
  request: PreferenceKey,
  given: { readonly typed: readonly Event[]; readonly matcher: Matcher | null; readonly sessions: number },
): string | null {
  const often = plural(given.sessions, "session");
  if (given.typed.length === 0)
    return given.matcher === null
      ? null
      : `Ask before you run ${describeMatcher(given.matcher)}: it was refused in ${often}.`;
  const sentence = preferenceSentence(given.typed.flatMap((event) => listPreferencesFor(request, event)));
  return sentence === null || !canBeQuoted("owner", sentence) ? null : `${sentence} (asked in ${often}).`;
}

/** The preferences in a message that concern this rule. */
function listPreferencesFor(request: PreferenceKey, event: Event): readonly Preference[] {
  return findPreferences(event.text ?? "", { corrects: event.kind === "correction" }).filter(
    (one) => intersectPreferenceKeys(request, computePreferenceKey(one)) !== null,
  );
}

/** A prompt is typed by the user; a refusal is reported by the host. */
function findOrigin(event: Event): Origin {
  return event.tool === null ? "owner" : "tool";
}

/** The command that all of them refused; null if they differ. */
function findRefusedCommand(refusals: readonly Event[]): Matcher | null {
  const heads = new Set(
    refusals.map(({ tool, input }) => {
      const shell = tool !== null && isShellTool(tool) ? findShellText(input) : null;
      return shell === null ? null : (findMainCommand(shell)?.head ?? null);
    }),
  );
  const [head] = heads;
  return heads.size === 1 && head !== null && head !== undefined && head !== "" ? { tool: "shell", head } : null;
}

import type { Context } from "../context.ts";
import { isShellTool, mainCommand } from "../domain/shell/command.ts";
import { shellTextOf } from "../domain/shell/shell-text.ts";
import type { Event } from "../domain/event/event.ts";
import {
  type Asked,
  askedBy,
  askedByBoth,
  isOpposite,
  type Preference,
  preferencesIn,
} from "../domain/event/preference.ts";
import { preferenceSentence } from "../domain/rule/preference-sentence.ts";
import { inWords } from "../domain/rule/rule-sentence.ts";
import type { Matcher, Origin } from "../domain/rule/rule.ts";
import { mayBeQuoted, trustOf } from "../domain/trust/trust.ts";
import { wilsonLower } from "../domain/proof/wilson.ts";
import { tryParse } from "../lib/json.ts";
import { plural } from "../lib/text.ts";
import { cameSince, type Repeat, repeatsOf } from "../store/repeats.ts";
import { groupNames } from "../store/tries.ts";
import { matcherAgainst } from "./avoided-command.ts";
import { eventsOf, filterOf, type Look, scopeOf } from "./look.ts";
import { evidenceOf, type Proposal } from "./proposal.ts";

/** What users ask for in more than one session: a thing used rather than another, something avoided or always done. */
export async function mineCorrections(ctx: Pick<Context, "db" | "config">, look: Look): Promise<readonly Proposal[]> {
  const filter = await filterOf(ctx.db, "corrections", look);
  if (!(await cameSince(ctx.db, "corrections", filter.after))) return [];
  const rows = await repeatsOf(ctx.db, "corrections", { ...filter, after: 0 });
  const wishes = clustersIn(rows.flatMap(wishOf));
  const least = Math.max(look.minCount ?? 0, ctx.config.policy.distil.minSessions);
  const proposals: Proposal[] = [];
  for (const cluster of wishes) {
    if (sessionsOf(cluster.rows) < least || wishes.some((other) => isTakenBack(cluster, other))) continue;
    const proposal = await proposalOf(ctx, cluster, look);
    if (proposal !== null) proposals.push(proposal);
  }
  return proposals;
}

/** What its owner asked for in too few sessions for a rule, in the plainest words, the latest first. */
export async function heardOnce(ctx: Pick<Context, "db" | "config">, since: number): Promise<readonly HeardOnce[]> {
  const rows = await repeatsOf(ctx.db, "corrections", { since, workspace: null, after: 0 });
  const wishes = clustersIn(rows.flatMap(wishOf));
  const least = ctx.config.policy.distil.minSessions;
  const heard: HeardOnce[] = [];
  for (const cluster of wishes) {
    if (sessionsOf(cluster.rows) >= least || wishes.some((other) => isTakenBack(cluster, other))) continue;
    const typed = (await eventsOf(ctx.db, cluster.rows)).filter((event) => originOf(event) === "owner");
    const sentence = preferenceSentence(typed.flatMap((event) => preferencesFor(cluster.asked, event)));
    if (sentence === null || !mayBeQuoted("owner", sentence)) continue;
    heard.push({ text: sentence, at: Math.max(...cluster.rows.map((row) => row.at)), sessions: least });
  }
  return heard.toSorted((a, b) => b.at - a.at);
}

export interface HeardOnce {
  readonly text: string;
  readonly at: number;
  /** In how many sessions it must be heard to become a rule that waits for review. */
  readonly sessions: number;
}

interface Cluster {
  readonly asked: Asked;
  readonly rows: readonly Repeat[];
}

/** Rows that an older version counted by their words are left out. */
function wishOf(row: Repeat): readonly Cluster[] {
  const asked = tryParse(row.key);
  return asked === undefined ? [] : [{ asked: asked as Asked, rows: [row] }];
}

/** Those that say most first: "use pnpm, not npm" takes in both "use pnpm" and "don't use npm". */
export function clustersIn(single: readonly Cluster[]): readonly Cluster[] {
  const clusters: Cluster[] = [];
  for (const one of single.toSorted((a, b) => said(b.asked) - said(a.asked))) {
    const at = clusters.findIndex(({ asked }) => askedByBoth(asked, one.asked) !== null);
    const home = clusters[at];
    const asked = home === undefined ? null : askedByBoth(home.asked, one.asked);
    if (home === undefined || asked === null) clusters.push(one);
    else clusters[at] = { asked, rows: [...home.rows, ...one.rows] };
  }
  return clusters;
}

function said({ use, not, words }: Asked): number {
  return (use === null ? 0 : 1) + (not === null ? 0 : 1) + words.length;
}

/** Whoever asks for the opposite later has changed their mind. */
function isTakenBack(cluster: Cluster, other: Cluster): boolean {
  const last = ({ rows }: Cluster) => Math.max(...rows.map((row) => row.at));
  return isOpposite(cluster.asked, other.asked) && last(other) >= last(cluster);
}

function sessionsOf(rows: readonly Pick<Repeat, "host" | "session">[]): number {
  return new Set(rows.map((row) => `${row.host} ${row.session}`)).size;
}

async function proposalOf(ctx: Pick<Context, "db">, { asked, rows }: Cluster, look: Look): Promise<Proposal | null> {
  const events = await eventsOf(
    ctx.db,
    rows.toSorted((a, b) => a.event - b.event),
  );
  const sessions = sessionsOf(events);
  const typed = events.filter((event) => originOf(event) === "owner");
  const matcher = typed.length === 0 ? refusedBy(events) : matcherAgainst(asked, new Set(await groupNames(ctx.db)));
  const text = textOf(asked, { typed, matcher, sessions });
  if (text === null) return null;
  return {
    miner: "corrections",
    text,
    signature: `correction ${JSON.stringify([asked.kind, asked.use, asked.not, asked.verb, ...asked.words])}`,
    matcher,
    scope: scopeOf(
      events.map((event) => event.workspace),
      look,
    ),
    origin: trustOf(events.map(originOf)),
    // That it was asked for twice does not say that it holds for good: the owner does.
    level: "watch",
    confidence: Number(wilsonLower(sessions, sessions).toFixed(4)),
    evidence: evidenceOf(events),
    backtest: null,
  };
}

/**
 * What the user typed gives the wording. A refusal's words come through an error text, which a tool could write as well:
 * they stay evidence, and the rule says only what was refused.
 */
function textOf(
  asked: Asked,
  given: { readonly typed: readonly Event[]; readonly matcher: Matcher | null; readonly sessions: number },
): string | null {
  const often = plural(given.sessions, "session");
  if (given.typed.length === 0)
    return given.matcher === null ? null : `Ask before you run ${inWords(given.matcher)}: it was refused in ${often}.`;
  const sentence = preferenceSentence(given.typed.flatMap((event) => preferencesFor(asked, event)));
  return sentence === null || !mayBeQuoted("owner", sentence) ? null : `${sentence} (asked in ${often}).`;
}

/** Of what a message asks for, what the rule is about. */
function preferencesFor(asked: Asked, event: Event): readonly Preference[] {
  return preferencesIn(event.text ?? "", { corrects: event.kind === "correction" }).filter(
    (one) => askedByBoth(asked, askedBy(one)) !== null,
  );
}

/** A prompt is typed by the user; a refusal is told by the host. */
function originOf(event: Event): Origin {
  return event.tool === null ? "owner" : "tool";
}

/** The command that all of them refused, if it was one. */
function refusedBy(refusals: readonly Event[]): Matcher | null {
  const heads = new Set(
    refusals.map(({ tool, input }) => {
      const shell = tool !== null && isShellTool(tool) ? shellTextOf(input) : null;
      return shell === null ? null : (mainCommand(shell)?.head ?? null);
    }),
  );
  const [head] = heads;
  return heads.size === 1 && head !== null && head !== undefined && head !== "" ? { tool: "shell", head } : null;
}

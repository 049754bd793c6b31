import type { Context } from "../context.ts";
import { isShellTool, mainCommand } from "../domain/shell/command.ts";
import { shellTextOf } from "../domain/shell/shell-text.ts";
import type { Event } from "../domain/event/event.ts";
import { inWords } from "../domain/rule/rule-sentence.ts";
import type { Matcher, Origin } from "../domain/rule/rule.ts";
import { mayBeQuoted, trustOf } from "../domain/trust/trust.ts";
import { wilsonLower } from "../domain/proof/wilson.ts";
import { oneLine, plural } from "../lib/text.ts";
import { callBefore } from "../store/events.ts";
import { cameSince, type Repeat, repeatsOf } from "../store/repeats.ts";
import { eventsOf, filterOf, type Look, scopeOf } from "./look.ts";
import { evidenceOf, type Proposal } from "./proposal.ts";

/** What users set right in more than one session, in their own words. */
export async function mineCorrections(ctx: Pick<Context, "db" | "config">, look: Look): Promise<readonly Proposal[]> {
  const filter = await filterOf(ctx.db, "corrections", look);
  if (!(await cameSince(ctx.db, "corrections", filter.after))) return [];
  const rows = await repeatsOf(ctx.db, "corrections", { ...filter, after: 0 });
  const least = Math.max(look.minCount ?? 0, ctx.config.policy.distil.minSessions);
  const proposals: Proposal[] = [];
  for (const cluster of clustersIn(rows)) {
    if (new Set(cluster.rows.map((row) => `${row.host} ${row.session}`)).size < least) continue;
    const proposal = await proposalOf(ctx, cluster, look);
    if (proposal !== null) proposals.push(proposal);
  }
  return proposals;
}

interface Cluster {
  /** The words all of them share. */
  readonly core: readonly string[];
  readonly rows: readonly Repeat[];
}

/** In their order, each to the first that it shares enough with: what all of a cluster share never gets too little to tell. */
export function clustersIn(rows: readonly Repeat[]): readonly Cluster[] {
  const clusters: { core: readonly string[]; rows: Repeat[] }[] = [];
  for (const row of rows) {
    const words = row.key.split(" ");
    const home = clusters.find(({ core }) =>
      isShared(
        core.filter((word) => words.includes(word)),
        core,
        words,
      ),
    );
    if (home === undefined) clusters.push({ core: words, rows: [row] });
    else {
      home.core = home.core.filter((word) => words.includes(word));
      home.rows.push(row);
    }
  }
  return clusters;
}

/** Two words, or one that is most of what either says. */
function isShared(shared: readonly string[], core: readonly string[], words: readonly string[]): boolean {
  if (shared.length >= 2) return shared.length * 3 >= Math.min(core.length, words.length);
  return shared.length === 1 && Math.max(core.length, words.length) <= 2;
}

async function proposalOf(ctx: Pick<Context, "db" | "config">, cluster: Cluster, look: Look): Promise<Proposal | null> {
  const events = await eventsOf(ctx.db, cluster.rows);
  const sessions = new Set(events.map((event) => `${event.host} ${event.session}`)).size;
  const matcher = await matcherOf(ctx, events);
  const text = textOf(events, matcher, plural(sessions, "session"));
  if (text === null) return null;
  const origin = trustOf(events.map(originOf));
  return {
    miner: "corrections",
    text,
    signature: `correction ${cluster.core.join(" ")}`,
    matcher,
    scope: scopeOf(
      events.map((event) => event.workspace),
      look,
    ),
    origin,
    level: origin === "owner" ? "advise" : "watch",
    confidence: Number(wilsonLower(sessions, sessions).toFixed(4)),
    evidence: evidenceOf(events),
    backtest: null,
  };
}

/**
 * What the user typed is quoted. A refusal's words come through an error text, which a tool could write as well: they
 * stay evidence, and the rule says only what was refused.
 */
function textOf(events: readonly Event[], matcher: Matcher | null, sessions: string): string | null {
  const quote = quoteOf(events.filter((event) => originOf(event) === "owner"));
  if (quote !== null) return `The user said: "${quote}" (corrected in ${sessions}).`;
  const refused = events.every((event) => originOf(event) !== "owner");
  return refused && matcher !== null ? `Ask before you run ${inWords(matcher)}: it was refused in ${sessions}.` : null;
}

/** A prompt is typed by the user; a refusal is told by the host. */
function originOf(correction: Event): Origin {
  return correction.tool === null ? "owner" : "tool";
}

/** The shortest of them says it most plainly. */
function quoteOf(events: readonly Event[]): string | null {
  const said = events
    .map((event) => oneLine(event.text ?? "", LONGEST).replaceAll('"', "'"))
    .filter((text) => text !== "" && mayBeQuoted("owner", text))
    .toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1));
  return said[0] ?? null;
}

const LONGEST = 200;

/** The command they were all said about, if there is one. */
async function matcherOf(ctx: Pick<Context, "db">, corrections: readonly Event[]): Promise<Matcher | null> {
  const heads = new Set<string | null>();
  for (const event of corrections) {
    const call = event.tool === null ? await callBefore(ctx.db, event) : event;
    const shell = call?.tool != null && isShellTool(call.tool) ? shellTextOf(call.input) : null;
    heads.add(shell === null ? null : (mainCommand(shell)?.head ?? null));
  }
  const [head] = heads;
  return heads.size === 1 && head !== null && head !== undefined && head !== "" ? { tool: "shell", head } : null;
}

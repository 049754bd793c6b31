import type { Context } from "../../context.ts";
import type { Event } from "../../domain/event/event.ts";
import { holdsFragment, isEditTool, findWrittenText } from "../../domain/text/edit-text.ts";
import { findInstruction } from "../../domain/trust/instruction-like.ts";
import { WRITES_TRAIT } from "../../domain/rule/matching/matcher.ts";
import type { Matcher } from "../../domain/rule/rule.ts";
import { findNamedFile } from "../../domain/text/named-file.ts";
import { ANY_EDIT } from "../../domain/shell/step.ts";
import { wilsonLower } from "../../domain/proof/wilson.ts";
import { DAY } from "../../lib/clock.ts";
import { plural } from "../../lib/text.ts";
import type { Db } from "../../store/engine/db.ts";
import { listSessionCalls } from "../../store/events/events.ts";
import { type Repeat, listRepeats } from "../../store/derived/repeats.ts";
import {
  makeRecurringEvidence,
  type MiningWindow,
  type RecurringItem,
  findRecurring,
  findCommonScope,
} from "./mining-window.ts";
import type { Proposal } from "./proposal.ts";

/**
 * Proposes small replacements that recur in several sessions. A refactoring does not count: one session that
 * replaces something many times, or several that do so on one day, rename it. An agent that replaces what it
 * has just written corrects itself.
 */
export async function mineEdits(
  ctx: Pick<Context, "db" | "config">,
  window: MiningWindow,
): Promise<readonly Proposal[]> {
  const { distil } = ctx.config.policy;
  const sessions = Math.max(window.minCount ?? distil.editRepeats, distil.minSessions);
  const filter = { since: window.since, sinceIn: window.sinceIn, workspace: window.workspace, after: 0 };
  const proposals: Proposal[] = [];
  for (const one of await findRecurring(ctx.db, "edits", { times: sessions, sessions }, window)) {
    const [from, to] = JSON.parse(one.key) as [string, string];
    const back = (await listRepeats(ctx.db, "edits", filter, JSON.stringify([to, from]))).length;
    // If it is also replaced the other way round, it depends on the place and is no mistake.
    if (back * 2 >= one.sessions || findInstruction(from) !== null || findInstruction(to) !== null) continue;
    const rows = await listRepeats(ctx.db, "edits", filter, one.key);
    if (await isCorrection(ctx.db, { rows, events: one.events, from }, sessions))
      proposals.push(makeProposal(one, { from, to, back }, window));
  }
  return proposals;
}

interface Replacement {
  readonly rows: readonly Repeat[];
  readonly events: readonly Event[];
  readonly from: string;
}

/** True if enough sessions replaced it without a sweep: on as many days, or in text that they wrote themselves. */
async function isCorrection(db: Db, { rows, events, from }: Replacement, least: number): Promise<boolean> {
  const sweeps = new Set(rows.filter((row) => row.times >= MIN_SWEEP_EDITS).map((row) => row.event));
  const single = events.filter((event) => !sweeps.has(event.id));
  if (single.length < least) return false;
  const days = new Set(single.map((event) => Math.floor(event.at / DAY)));
  if (sweeps.size === 0 && days.size >= least) return true;
  let own = 0;
  for (const event of single) if (await wasWrittenBefore(db, event, from)) own++;
  return own >= least;
}

/** This many equal edits in one session count as a renaming. */
const MIN_SWEEP_EDITS = 3;

async function wasWrittenBefore(db: Db, event: Event, fragment: string): Promise<boolean> {
  const earlier = await listSessionCalls(db, { host: event.host, id: event.session }, event.id);
  return earlier.some(
    (call) => call.tool !== null && isEditTool(call.tool) && holdsFragment(findWrittenText(call.input) ?? "", fragment),
  );
}

function makeProposal(
  one: RecurringItem,
  { from, to, back }: { readonly from: string; readonly to: string; readonly back: number },
  window: MiningWindow,
): Proposal {
  return {
    miner: "edits",
    text: `Write \`${to}\`, not \`${from}\`: corrected ${plural(one.times, "time")} in ${plural(one.sessions, "session")}.`,
    signature: `edit ${from} → ${to}`,
    matcher: buildMatcher(from, to),
    scope: findCommonScope(
      one.events.map((event) => event.workspace),
      window,
    ),
    origin: "agent",
    // A change does not prove that the old text was wrong; the owner decides.
    level: "watch",
    confidence: Number(wilsonLower(one.sessions, one.sessions + back).toFixed(4)),
    evidence: makeRecurringEvidence(one, (event) => `${event.tool ?? "edit"} ${findNamedFile(event.input) ?? ""}`),
    backtest: null,
  };
}

function buildMatcher(from: string, to: string): Matcher {
  const has = [`${WRITES_TRAIT}${from}`];
  return holdsFragment(to, from) ? { tool: ANY_EDIT, has, lacks: [`${WRITES_TRAIT}${to}`] } : { tool: ANY_EDIT, has };
}

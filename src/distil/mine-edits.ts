import type { Context } from "../context.ts";
import { holdsFragment } from "../domain/text/edit-text.ts";
import { instructionIn } from "../domain/trust/instruction-like.ts";
import { WRITES } from "../domain/rule/matcher.ts";
import type { Matcher } from "../domain/rule/rule.ts";
import { fileOf } from "../domain/text/named-file.ts";
import { ANY_EDIT } from "../domain/shell/step.ts";
import { wilsonLower } from "../domain/proof/wilson.ts";
import { plural } from "../lib/text.ts";
import { repeatsOf } from "../store/repeats.ts";
import { evidenceFrom, type Look, type Recurring, recurring, scopeOf } from "./look.ts";
import type { Proposal } from "./proposal.ts";

/** The same small thing written in another's place, in session after session. A session counts once: it may be renaming. */
export async function mineEdits(ctx: Pick<Context, "db" | "config">, look: Look): Promise<readonly Proposal[]> {
  const { distil } = ctx.config.policy;
  const sessions = Math.max(look.minCount ?? distil.editRepeats, distil.minSessions);
  const found = await recurring(ctx.db, "edits", { times: sessions, sessions }, look);
  const proposals: Proposal[] = [];
  for (const one of found) {
    const [from, to] = JSON.parse(one.key) as [string, string];
    const filter = { since: look.since, sinceIn: look.sinceIn, workspace: look.workspace, after: 0 };
    const back = (await repeatsOf(ctx.db, "edits", filter, JSON.stringify([to, from]))).length;
    // Written there and back it is a matter of place, not of right and wrong.
    if (back * 2 >= one.sessions || instructionIn(from) !== null || instructionIn(to) !== null) continue;
    proposals.push(proposalOf(one, { from, to, back }, look));
  }
  return proposals;
}

function proposalOf(
  one: Recurring,
  { from, to, back }: { readonly from: string; readonly to: string; readonly back: number },
  look: Look,
): Proposal {
  return {
    miner: "edits",
    text: `Write \`${to}\`, not \`${from}\`: corrected ${plural(one.times, "time")} in ${plural(one.sessions, "session")}.`,
    signature: `edit ${from} → ${to}`,
    matcher: matcherOf(from, to),
    scope: scopeOf(
      one.events.map((event) => event.workspace),
      look,
    ),
    origin: "agent",
    // That something was changed does not say that it was wrong: the owner does.
    level: "watch",
    confidence: Number(wilsonLower(one.sessions, one.sessions + back).toFixed(4)),
    evidence: evidenceFrom(one, (event) => `${event.tool ?? "edit"} ${fileOf(event.input) ?? ""}`),
    backtest: null,
  };
}

function matcherOf(from: string, to: string): Matcher {
  const has = [`${WRITES}${from}`];
  return holdsFragment(to, from) ? { tool: ANY_EDIT, has, lacks: [`${WRITES}${to}`] } : { tool: ANY_EDIT, has };
}

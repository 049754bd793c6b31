import type { Context } from "../../context.ts";
import { digest } from "../../store/derived/digest.ts";
import { rankFailures } from "../../store/derived/failures.ts";
import { setCountedWithin } from "../../store/derived/event-counts.ts";
import { listRules } from "../../store/nouns/rules.ts";
import { countNewEvents } from "../counting/count-new-events.ts";
import { countRules } from "../counting/count-rules.ts";
import { cacheRuleCounts } from "../counting/rule-counts.ts";
import { refreshProposals } from "../mining/failure-proposals.ts";
import { describeMistakes } from "../report/describe-mistakes.ts";

/** As many as the dashboard lists. */
const MAX_MISTAKES = 200;

/**
 * Updates everything that readers would otherwise wait for: data derived from events, the miners' counts,
 * cached results. Runs after an import and in the background of long-running processes. Costs nothing if
 * nothing is new. Returns the number of new events.
 */
export async function refreshDerived(ctx: Omit<Context, "store">): Promise<number> {
  const { db, report } = ctx;
  const within = ctx.config.policy.observe.recoveryWithin;
  const reportShare = (what: string) => (done: number, all: number) =>
    report({ text: `${what}: ${done} of ${all} events`, done, total: all });
  const sorting = reportShare("reading outcomes, indexing words");
  const fresh = await digest(db, (done, left) => sorting(done, done + left));
  await setCountedWithin(db, within);
  await countNewEvents(ctx, reportShare("counting attempts and repeats"));
  report({ text: "comparing rules with the new events" });
  await countRules(ctx);
  await cacheRuleCounts(ctx, await listRules(db));
  report({ text: "looking for new rule proposals" });
  await refreshProposals(ctx);
  const { groups } = await rankFailures(db, { within }, MAX_MISTAKES);
  await describeMistakes(db, groups, { within });
  return fresh;
}

import type { Context } from "../context.ts";
import { digest } from "../store/digest.ts";
import { failuresByCost } from "../store/failures.ts";
import { countWithin } from "../store/kept-counts.ts";
import { listRules } from "../store/rules.ts";
import { catchUpBoth } from "./catch-up.ts";
import { countRules } from "./count-rules.ts";
import { keepCountedRules } from "./counted-rules.ts";
import { renewProposals } from "./failure-proposals.ts";
import { tellMistakes } from "./told-mistakes.ts";

/** As many as the dashboard lists. */
const MISTAKES = 200;

/**
 * Works out everything that others would else have to wait for: what is derived from events, what miners count, and the
 * answers that are kept. After an import, and in the background of processes that live. Costs what is new; nothing, where
 * nothing is. How many events were new.
 */
export async function bringUp(ctx: Omit<Context, "store">): Promise<number> {
  const { db, report } = ctx;
  const within = ctx.config.policy.observe.recoveryWithin;
  const tellShare = (what: string) => (done: number, all: number) =>
    report({ text: `${what}: ${done} of ${all} events`, done, total: all });
  const sorting = tellShare("reading outcomes, indexing words");
  const fresh = await digest(db, (done, left) => sorting(done, done + left));
  await countWithin(db, within);
  await catchUpBoth(ctx, tellShare("counting attempts and repeats"));
  report({ text: "comparing rules with the new events" });
  await countRules(ctx);
  await keepCountedRules(ctx, await listRules(db));
  report({ text: "looking for new rule proposals" });
  await renewProposals(ctx);
  const { groups } = await failuresByCost(db, { within }, MISTAKES);
  await tellMistakes(db, groups, { within });
  return fresh;
}

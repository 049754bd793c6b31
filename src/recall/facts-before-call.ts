import { thisMachine } from "../config.ts";
import { tokensOf } from "../domain/advice/window.ts";
import { type Fact, factId, isOver, mayConcern, meets } from "../domain/fact/fact.ts";
import { needsOf } from "../domain/fact/needs.ts";
import { factSaying, factText } from "../domain/fact/saying.ts";
import { isControl } from "../domain/rule/hold-out.ts";
import { quoted } from "../domain/trust/quote.ts";
import { dropFact, factsTold, listFacts } from "../store/facts.ts";
import { recordParts } from "../store/shown.ts";
import type { Advice, CallContext, PendingCall } from "./before-call.ts";
import { insteadNow, standingOf } from "./fact-on-disk.ts";

/** More than these are no help with one call. */
const MOST = 3;

/** The facts that a call would meet, each once a session, as far as they hold on this machine now. What holds no longer goes. */
export async function factsBeforeCall(ctx: CallContext, call: PendingCall): Promise<Advice | null> {
  const { db, clock, config } = ctx;
  if (!config.policy.recall.sayFacts) return null;
  const met = await factsMetBy(ctx, call);
  if (met.length === 0) return null;
  const told = await factsTold(db, call);
  const due = met.filter((fact) => !told.has(factId(fact)));
  const holding = await factsHolding(ctx, due.slice(0, MOST));
  if (holding.length === 0) return null;
  // Counted all the same: it shows what calls come to without.
  const isTold = !isInControl(call.session, config.policy.distil);
  const { host, session, agent, uid = null } = call;
  await recordParts(
    db,
    { at: clock.now(), host, session, agent, moment: "before-call", call: uid },
    holding.map((fact) => ({
      kind: "fact",
      subject: factId(fact),
      level: isTold ? "advise" : "watch",
      tokens: isTold ? tokensOf(factText(fact)) : 0,
    })),
  );
  return isTold ? { context: quoted(holding.map(factSaying)), decision: null } : null;
}

/** One choice of sessions for all facts: each of them is met too seldom for a trial of its own. */
export function isInControl(session: string, policy: Parameters<typeof isControl>[2]): boolean {
  return isControl({ id: "facts", level: "advise", origin: "tool" }, session, policy);
}

async function factsMetBy({ db }: CallContext, call: PendingCall): Promise<readonly Fact[]> {
  if (call.workspace === null) return [];
  const text = JSON.stringify(call.input) ?? "";
  const near = (await listFacts(db, call.workspace)).filter((fact) => mayConcern(fact, text));
  if (near.length === 0) return [];
  const { needs } = needsOf(call);
  return near.filter((fact) => needs.some((need) => meets(fact, need)));
}

/** Those that hold now, with what worked instead where that is still there. The others are dropped. */
export async function factsHolding(
  { db, clock }: Pick<CallContext, "db" | "clock">,
  facts: readonly Fact[],
): Promise<readonly Fact[]> {
  const { env } = thisMachine();
  const holding: Fact[] = [];
  for (const fact of facts) {
    const standing = isOver(fact, clock.now()) ? "over" : standingOf(fact, env);
    if (standing === "over" || (await hasWorkedSince(db, fact))) await dropFact(db, fact);
    else if (standing === "holds") holding.push({ ...fact, instead: insteadNow(fact, env) });
  }
  return holding;
}

/** Whatever this machine says: a program may be where only the agent's shell finds it. */
async function hasWorkedSince(db: CallContext["db"], fact: Fact): Promise<boolean> {
  if (fact.kind !== "missing-program") return false;
  return (await import("../store/program-worked.ts")).hasProgramWorked(db, fact);
}

import { thisMachine } from "../config.ts";
import { tokensOf } from "../domain/advice/window.ts";
import { type Fact, factId, isOver, mayConcern, meets } from "../domain/fact/fact.ts";
import { needsOf } from "../domain/fact/needs.ts";
import { factSaying, factText } from "../domain/fact/saying.ts";
import { isControl } from "../domain/rule/hold-out.ts";
import { quoted } from "../domain/trust/quote.ts";
import { dropFact, factsTold, listFacts } from "../store/facts.ts";
import { recordParts } from "../store/shown.ts";
import type { Advice, CallContext, PendingCall, PossibleCall } from "./before-call.ts";
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

/** The same for who only asks: nothing is written, and nothing goes. */
export async function factsAbout(ctx: CallContext, call: PossibleCall): Promise<readonly Fact[]> {
  if (!ctx.config.policy.recall.sayFacts) return [];
  const { session } = call;
  const met = await factsMetBy(ctx, { ...call, session: session ?? "" });
  const told = session === null ? new Set<string>() : await factsTold(ctx.db, { ...call, session });
  const holding: Fact[] = [];
  for (const fact of met.filter((one) => !told.has(factId(one))).slice(0, MOST)) {
    const now = await asItIs(ctx, fact);
    if (typeof now !== "string") holding.push(now);
  }
  return holding;
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
  ctx: Pick<CallContext, "db" | "clock">,
  facts: readonly Fact[],
): Promise<readonly Fact[]> {
  const holding: Fact[] = [];
  for (const fact of facts) {
    const now = await asItIs(ctx, fact);
    if (now === "over") await dropFact(ctx.db, fact);
    else if (now !== "unknown") holding.push(now);
  }
  return holding;
}

/** With what works instead now; or that it holds no longer, or that this machine cannot tell. */
async function asItIs(
  { db, clock }: Pick<CallContext, "db" | "clock">,
  fact: Fact,
): Promise<Fact | "over" | "unknown"> {
  const { env } = thisMachine();
  const standing = isOver(fact, clock.now()) ? "over" : standingOf(fact, env);
  if (standing === "over" || (await hasWorkedSince(db, fact))) return "over";
  return standing === "holds" ? { ...fact, instead: insteadNow(fact, env) } : "unknown";
}

/** Whatever this machine says: a program may be where only the agent's shell finds it. */
async function hasWorkedSince(db: CallContext["db"], fact: Fact): Promise<boolean> {
  if (fact.kind !== "missing-program") return false;
  return (await import("../store/program-worked.ts")).hasProgramWorked(db, fact);
}

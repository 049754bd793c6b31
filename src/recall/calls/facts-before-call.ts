import { thisMachine } from "../../config.ts";
import { estimateTokens } from "../../domain/advice/context-window.ts";
import { type Fact, factId, isFactExpired, mayConcernFact, meetsFact } from "../../domain/fact/fact.ts";
import { findCallNeeds } from "../../domain/fact/call-needs.ts";
import { quoteFact, describeFact } from "../../domain/fact/fact-message.ts";
import { isInControlGroup } from "../../domain/rule/delivery/holdout.ts";
import { quoted } from "../../domain/trust/quote.ts";
import { dropFact, listShownFactIds, listFacts } from "../../store/derived/facts.ts";
import { recordShownParts } from "../../store/shown/shown.ts";
import type { CallAdvice, CallContext, PendingCall, PossibleCall } from "./before-call.ts";
import { hasAlreadyFailed, hasAlreadyWorked } from "./has-worked.ts";
import { locateScriptSubject } from "./script-home.ts";
import { findWorkingInstead, checkFactState, locateManifest } from "./fact-state.ts";

/** More would not help with one call. */
const MOST = 3;

/** The facts a call meets that hold on this machine now, each once a session. Deletes facts that no longer hold. */
export async function adviseFactsBeforeCall(ctx: CallContext, call: PendingCall): Promise<CallAdvice | null> {
  const { db, clock, config } = ctx;
  if (!config.policy.recall.sayFacts || hasAlreadyWorked(call)) return null;
  const met = await findFactsMet(ctx, call);
  if (met.length === 0) return null;
  const shownFacts = await listShownFactIds(db, call);
  const due = met.filter((fact) => !shownFacts.has(factId(fact)));
  const known = await describeHere(ctx, await filterHoldingFacts(ctx, due.slice(0, MOST)), call.cwd);
  // The error itself says what is missing; an answer may say what there is.
  const holding = hasAlreadyFailed(call) ? known.filter(saysMoreThanError) : known;
  if (holding.length === 0) return null;
  // Recorded for the control group too, to compare outcomes without the fact.
  const mayShow = !isInFactControlGroup(call.session, config.policy.distil);
  const { host, session, agent, uid = null } = call;
  await recordShownParts(
    db,
    { at: clock.now(), host, session, agent, moment: "before-call", call: uid },
    holding.map((fact) => ({
      kind: "fact",
      subject: factId(fact),
      level: mayShow ? "advise" : "watch",
      tokens: mayShow ? estimateTokens(describeFact(fact, call.cwd)) : 0,
    })),
  );
  return mayShow ? { context: quoted(holding.map((fact) => quoteFact(fact, call.cwd))), decision: null } : null;
}

/** True if the fact also says what worked or what there is instead. */
function saysMoreThanError(fact: Fact & { readonly declared?: readonly string[] }): boolean {
  return fact.instead !== null || (fact.declared ?? []).length > 0;
}

/** Read-only version for queries: records nothing and deletes nothing. */
export async function factsAbout(ctx: CallContext, call: PossibleCall): Promise<readonly Fact[]> {
  if (!ctx.config.policy.recall.sayFacts) return [];
  const { session } = call;
  const met = await findFactsMet(ctx, { ...call, session: session ?? "" });
  const shownIds = session === null ? new Set<string>() : await listShownFactIds(ctx.db, { ...call, session });
  const holding: Fact[] = [];
  for (const fact of met.filter((one) => !shownIds.has(factId(one))).slice(0, MOST)) {
    const now = await asItIs(ctx, fact);
    if (typeof now !== "string") holding.push(now);
  }
  return describeHere(ctx, holding, call.cwd);
}

/** With where the missing paths are, seen from the folder. Of facts with the same sentence only the first. */
export async function describeHere(
  ctx: Pick<CallContext, "config">,
  facts: readonly Fact[],
  cwd: string | null,
): Promise<readonly Fact[]> {
  const { locateMissingPaths } = await import("./missing-elsewhere.ts");
  const sentences = new Map<string, Fact>();
  for (const fact of await locateMissingPaths(ctx, facts, cwd)) {
    // The day is no difference.
    const text = describeFact({ ...fact, at: 0 }, cwd);
    if (!sentences.has(text)) sentences.set(text, fact);
  }
  return [...sentences.values()];
}

/** The facts that are not known to be over, for a list. Deletes nothing; those of other machines are listed as stored. */
export async function listCurrentFacts(
  ctx: Pick<CallContext, "db" | "clock">,
  facts: readonly Fact[],
): Promise<readonly Fact[]> {
  const current: Fact[] = [];
  for (const fact of facts) {
    const now = await asItIs(ctx, fact);
    if (now !== "over") current.push(now === "unknown" ? fact : now);
  }
  return current;
}

/** One control group for all facts: each is met too seldom for its own. */
export function isInFactControlGroup(session: string, policy: Parameters<typeof isInControlGroup>[2]): boolean {
  return isInControlGroup({ id: "facts", level: "advise", origin: "tool" }, session, policy);
}

async function findFactsMet({ db }: CallContext, call: PendingCall): Promise<readonly Fact[]> {
  if (call.workspace === null) return [];
  const text = JSON.stringify(call.input) ?? "";
  const near = (await listFacts(db, call.workspace)).filter((fact) => mayConcernFact(fact, text));
  if (near.length === 0) return [];
  const { workspace } = call;
  const needs = findCallNeeds(call).needs.map((need) =>
    need.is === "script" ? { ...need, subject: locateScriptSubject(need.subject, workspace) } : need,
  );
  const met = near.filter((fact) => {
    const subject = fact.kind === "unknown-script" ? locateScriptSubject(fact.subject, workspace) : fact.subject;
    return needs.some((need) => meetsFact({ ...fact, subject }, need));
  });
  return met.length === 0 ? met : (await import("./dismissed-content.ts")).dropDismissedFacts(db, met, workspace);
}

/** The facts that hold now, with what worked instead if it still exists. Deletes those that no longer hold. */
export async function filterHoldingFacts(
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

/** The fact with what works instead now; "over" if it no longer holds, "unknown" if this machine cannot tell. */
async function asItIs(
  { db, clock }: Pick<CallContext, "db" | "clock">,
  fact: Fact,
): Promise<Fact | "over" | "unknown"> {
  const { env } = thisMachine();
  const standing = isFactExpired(fact, clock.now()) ? "over" : checkFactState(fact, env);
  if (standing === "over" || (await hasWorkedSince(db, fact))) return "over";
  return standing === "holds" ? locateManifest({ ...fact, instead: findWorkingInstead(fact, env) }) : "unknown";
}

/** The recorded calls count more than this machine's PATH: only the agent's shell may find the program. */
async function hasWorkedSince(db: CallContext["db"], fact: Fact): Promise<boolean> {
  if (fact.kind !== "missing-program") return false;
  return (await import("../../store/events/program-worked.ts")).hasProgramWorked(db, fact);
}

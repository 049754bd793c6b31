import type { Context } from "../context.ts";
import { factId } from "../domain/fact/fact.ts";
import { factSaying } from "../domain/fact/saying.ts";
import type { RuleInPlay } from "../domain/rule/rule.ts";
import { listFacts } from "../store/facts.ts";
import type { Part } from "./compose.ts";
import { factsHolding, isInControl } from "./facts-before-call.ts";
import type { Listener } from "./parts.ts";
import { factsToldBy } from "./still-true.ts";

/** What one session met may be its own mistake. */
const LEAST_SESSIONS = 2;
const MOST = 3;
/** So many are looked at on the disk to find those. */
const MOST_LOOKS = 12;

/** What a session is about to meet, judging by those before it, but for what the rules that it is told say. */
export async function factParts(
  ctx: Pick<Context, "db" | "clock" | "config">,
  { workspace, session }: Pick<Listener, "workspace" | "session">,
  rules: readonly RuleInPlay[],
): Promise<readonly Part[]> {
  const { recall, distil } = ctx.config.policy;
  if (workspace === null || !recall.sayFacts || isInControl(session, distil)) return [];
  const met = (await listFacts(ctx.db, workspace)).filter((fact) => fact.sessions >= LEAST_SESSIONS);
  if (met.length === 0) return [];
  const told = await factsToldBy(ctx.db, rules, workspace);
  const fresh = met.filter((fact) => !told.has(factId(fact)));
  const often = fresh.toSorted((a, b) => b.sessions - a.sessions || b.at - a.at).slice(0, MOST_LOOKS);
  const holding = await factsHolding(ctx, often);
  return holding.slice(0, MOST).map((fact) => ({ kind: "fact", subject: factId(fact), says: factSaying(fact) }));
}

import type { Context } from "../context.ts";
import type { Rule } from "../domain/rule.ts";
import { newId } from "../lib/ids.ts";
import { stableJson } from "../lib/json.ts";
import { changeAll } from "../store/journal.ts";
import { listRules } from "../store/rules.ts";
import { mineFailures, type Proposal } from "./mine-failures.ts";

export interface Distilled {
  readonly proposals: readonly (Proposal & { readonly id: string | null; readonly known: boolean })[];
  readonly written: number;
}

/** Looks for rules in what was observed. Shows them; writes them as candidates only when told to. */
export async function distil(world: Context, options: { readonly write: boolean }): Promise<Distilled> {
  const known = new Map(
    (await listRules(world.db)).filter((rule) => rule.matcher !== null).map((rule) => [keyOf(rule), rule]),
  );
  const proposals = await mineFailures(world);
  const fresh = proposals.filter((proposal) => !known.has(keyOf(proposal)));
  const made = new Map(options.write ? fresh.map((proposal) => [proposal, ruleFrom(proposal, world.clock.now())]) : []);
  await changeAll(
    world.db,
    [...made.values()].map((rule) => ({
      noun: "rule",
      subject: rule.id,
      after: { ...rule },
      actor: world.actor,
      at: world.clock.now(),
      cause: {
        kind: "operation",
        id: "distil",
        note: `${rule.evidence.observations} failures in ${rule.evidence.sessions} sessions`,
      },
    })),
  );
  return {
    proposals: proposals.map((proposal) => ({
      ...proposal,
      id: (made.get(proposal) ?? known.get(keyOf(proposal)))?.id ?? null,
      known: known.has(keyOf(proposal)),
    })),
    written: made.size,
  };
}

function keyOf(one: Pick<Rule, "matcher" | "scope">): string {
  return stableJson([one.matcher, one.scope]);
}

function ruleFrom(proposal: Proposal, now: number): Rule {
  return {
    id: newId("r", now),
    text: proposal.text,
    status: "candidate",
    level: proposal.level,
    confidence: proposal.confidence,
    salience: 0.5,
    origin: "tool",
    scope: proposal.scope,
    signature: proposal.signature,
    matcher: proposal.matcher,
    evidence: proposal.evidence,
    pinned: false,
    mergedInto: null,
    createdAt: now,
  };
}

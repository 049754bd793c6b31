import type { Context } from "../../context.ts";
import { type Actor, formatActor } from "../../domain/actor.ts";
import {
  findProtectionBreach,
  experienceSection,
  type IdentityProposal,
  withPoint,
} from "../../domain/identity/identity.ts";
import type { Policy } from "../../domain/policy.ts";
import type { Rule } from "../../domain/rule/rule.ts";
import { hashId } from "../../lib/ids.ts";
import { digest } from "../../store/derived/digest.ts";
import { getIdentity } from "../../store/nouns/identities.ts";
import { identityProposalNoun } from "../../store/nouns/identity-proposals.ts";
import {
  makeProvenance,
  applyAllChanges,
  filterEverKnown,
  planChange,
  withJournalLock,
} from "../../store/journal/journal.ts";
import { listRules } from "../../store/nouns/rules.ts";
import { countNewTries } from "../counting/count-new-events.ts";
import { countRules } from "../counting/count-rules.ts";
import { listRuleEffects } from "../counting/rule-counts.ts";
import type { RuleEffect } from "../counting/effect.ts";

/**
 * Proposes fundamental rules for SOUL.md, each once: a proposal that the owner rejected, undid or forgot is
 * not repeated. Returns the new proposals; the owner decides.
 */
export async function proposeFundamentalRules(
  ctx: Pick<Context, "db" | "config" | "clock" | "signal">,
): Promise<readonly IdentityProposal[]> {
  const soul = await getIdentity(ctx.db, "SOUL.md");
  if (soul === null) return [];
  await digest(ctx.db);
  await countNewTries(ctx);
  await countRules(ctx);
  const found = (await listRuleEffects(ctx, await listRules(ctx.db))).filter((one) =>
    isFundamental(one, ctx.config.policy.distil),
  );
  const wanted = found
    .map((one) => makeProposal(one, soul.text, ctx.clock.now()))
    // If the owner protected this section, only the owner may change it.
    .filter((one) => one.after !== one.before && findProtectionBreach("SOUL.md", one.before, one.after) === null);
  if (wanted.length === 0) return [];
  return withJournalLock(ctx.db, async (tx) => {
    const ids = wanted.map((one) => one.id);
    const known = await filterEverKnown(tx, identityProposalNoun.name, ids);
    const fresh = wanted.filter((one) => !known.has(one.id));
    await applyAllChanges(
      tx,
      fresh.map((one) => {
        const because = makeProvenance(
          { ...ctx, actor: distiller },
          { kind: "job", id: "fundamental rules" },
          one.reason,
        );
        return planChange(identityProposalNoun, one.id, { ...because, at: one.createdAt }, () => one);
      }),
    );
    return fresh;
  });
}

/** True for an approved rule that works, is confident, often observed, global, and not of external origin. */
export function isFundamental(
  { rule, verdict }: Pick<RuleEffect, "rule" | "verdict">,
  policy: Pick<Policy["distil"], "fundamentalObservations" | "fundamentalConfidence">,
): boolean {
  return (
    verdict === "works" &&
    rule.status === "approved" &&
    rule.confidence >= policy.fundamentalConfidence &&
    rule.evidence.observations >= policy.fundamentalObservations &&
    rule.scope.kind === "global" &&
    rule.origin !== "external"
  );
}

function makeProposal({ rule, reason }: RuleEffect, soul: string, now: number): IdentityProposal {
  return {
    id: idFor(rule),
    file: "SOUL.md",
    before: soul,
    after: soul.includes(rule.text) ? soul : withPoint(soul, experienceSection, rule.text),
    reason: `rule ${rule.id} is fundamental: ${rule.evidence.observations} observations in ${rule.evidence.sessions} sessions, confidence ${rule.confidence.toFixed(2)}; ${reason}`,
    origin: "agent",
    actor: formatActor(distiller),
    rule: rule.id,
    status: "open",
    refusal: null,
    createdAt: now,
  };
}

const distiller: Actor = { kind: "distil" };

function idFor(rule: Rule): string {
  return hashId("p", `fundamental ${rule.id} ${rule.text}`);
}

import type { Context } from "../context.ts";
import { parseActor } from "../domain/actor.ts";
import { type IdentityProposal, findProposalRefusal } from "../domain/identity/identity.ts";
import type { Memory } from "../domain/memory/memory.ts";
import { isOwnProfile, renderEntries } from "../domain/memory/memory-file.ts";
import { hashId } from "../lib/ids.ts";
import type { Db } from "../store/engine/db.ts";
import { identityProposalNoun, listIdentityProposals } from "../store/nouns/identity-proposals.ts";
import {
  makeProvenance,
  applyAllChanges,
  filterEverKnown,
  planChange,
  withJournalLock,
} from "../store/journal/journal.ts";
import { listMemories } from "../store/nouns/memories.ts";

/**
 * Proposes for USER.md what agents, tools and imports said about the owner, each once: a proposal that the
 * owner rejected, undid or forgot is not repeated. Until accepted, the memory is recalled as data, with its
 * origin.
 */
export async function proposeProfiles(ctx: Pick<Context, "db" | "clock">): Promise<readonly IdentityProposal[]> {
  const all = await listMemories(ctx.db, { scope: { kind: "global" }, status: "active" });
  const profiles = all.filter((memory) => memory.kind === "profile" && !isOwnProfile(memory));
  const wanted = profiles.slice(0, MAX_PROFILES).map((memory) => makeProposal(memory, ctx.clock.now()));
  if (wanted.length === 0) return [];
  return withJournalLock(ctx.db, async (tx) => {
    const ids = wanted.map((one) => one.id);
    const known = await filterEverKnown(tx, identityProposalNoun.name, ids);
    const fresh = wanted.filter((one) => !known.has(one.id));
    const changes = fresh.map((one) => {
      const because = makeProvenance(
        { ...ctx, actor: parseActor(one.actor) },
        { kind: "job", id: "profiles" },
        one.reason,
      );
      return planChange(identityProposalNoun, one.id, because, () => one);
    });
    await applyAllChanges(tx, changes);
    return fresh;
  });
}

/** The most important ones; more would be too many to decide. */
const MAX_PROFILES = 200;

/** Proposals made from this memory; they are forgotten with it. */
export async function listProposalsFromMemory(db: Db, memory: string): Promise<readonly IdentityProposal[]> {
  const reason = makeReason(memory);
  return (await listIdentityProposals(db)).filter((one) => one.file === "USER.md" && one.reason === reason);
}

/** The memory that a proposal was made from; null if it has none. */
export function findSourceMemory({ file, reason }: IdentityProposal): string | null {
  return file === "USER.md" && reason.startsWith(REASON) ? reason.slice(REASON.length) : null;
}

function makeProposal(memory: Memory, now: number): IdentityProposal {
  const entry = {
    file: "USER.md" as const,
    // The entry alone, because the decision does not concern the others.
    before: "",
    after: renderEntries([memory.text]),
    origin: memory.trust,
  };
  const refusal = findProposalRefusal(entry);
  return {
    ...entry,
    id: makeProposalId(memory),
    reason: makeReason(memory.id),
    actor: memory.trust,
    rule: null,
    status: refusal === null ? "open" : "refused",
    refusal,
    createdAt: now,
  };
}

function makeReason(memory: string): string {
  return `${REASON}${memory}`;
}

const REASON = "a statement about you in memory ";

function makeProposalId(memory: Memory): string {
  return hashId("p", `profile ${memory.id} ${memory.text}`);
}

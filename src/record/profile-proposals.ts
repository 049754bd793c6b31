import type { Context } from "../context.ts";
import { actorFrom } from "../domain/actor.ts";
import { type IdentityProposal, refusalOf } from "../domain/identity/identity.ts";
import type { Memory } from "../domain/memory/memory.ts";
import { isOwnProfile, renderEntries } from "../domain/memory/memory-file.ts";
import { hashId } from "../lib/ids.ts";
import type { Db } from "../store/engine/db.ts";
import { identityProposalNoun, listIdentityProposals } from "../store/identity-proposals.ts";
import { by, changeAll, everKnown, planned, underLock } from "../store/journal.ts";
import { listMemories } from "../store/memories.ts";

/**
 * What agents, tools and imports said about the owner is proposed for USER.md, each once: what its owner rejected,
 * undid or forgot does not come back. Until it is accepted it is recalled as data, with its origin.
 */
export async function proposeProfiles(ctx: Pick<Context, "db" | "clock">): Promise<readonly IdentityProposal[]> {
  const all = await listMemories(ctx.db, { scope: { kind: "global" }, status: "active" });
  const profiles = all.filter((memory) => memory.kind === "profile" && !isOwnProfile(memory));
  const wanted = profiles.slice(0, MOST).map((memory) => proposalFor(memory, ctx.clock.now()));
  if (wanted.length === 0) return [];
  return underLock(ctx.db, async (tx) => {
    const ids = wanted.map((one) => one.id);
    const known = await everKnown(tx, identityProposalNoun.name, ids);
    const fresh = wanted.filter((one) => !known.has(one.id));
    const changes = fresh.map((one) => {
      const because = by({ ...ctx, actor: actorFrom(one.actor) }, { kind: "job", id: "profiles" }, one.reason);
      return planned(identityProposalNoun, one.id, because, () => one);
    });
    await changeAll(tx, changes);
    return fresh;
  });
}

/** The most important ones; nobody decides on more at a time. */
const MOST = 200;

/** Those that hold words of this memory: they are forgotten with it. */
export async function proposalsFrom(db: Db, memory: string): Promise<readonly IdentityProposal[]> {
  const reason = reasonFor(memory);
  return (await listIdentityProposals(db)).filter((one) => one.file === "USER.md" && one.reason === reason);
}

/** The memory whose words a proposal holds; null for one that was not made of a memory. */
export function memoryBehind({ file, reason }: IdentityProposal): string | null {
  return file === "USER.md" && reason.startsWith(REASON) ? reason.slice(REASON.length) : null;
}

function proposalFor(memory: Memory, now: number): IdentityProposal {
  const entry = {
    file: "USER.md" as const,
    // The entry alone: the other entries are not what is decided on.
    before: "",
    after: renderEntries([memory.text]),
    origin: memory.trust,
  };
  const refusal = refusalOf(entry);
  return {
    ...entry,
    id: idFor(memory),
    reason: reasonFor(memory.id),
    actor: memory.trust,
    rule: null,
    status: refusal === null ? "open" : "refused",
    refusal,
    createdAt: now,
  };
}

function reasonFor(memory: string): string {
  return `${REASON}${memory}`;
}

const REASON = "a statement about you in memory ";

function idFor(memory: Memory): string {
  return hashId("p", `profile ${memory.id} ${memory.text}`);
}

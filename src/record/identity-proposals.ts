import type { Context } from "../context.ts";
import { parseActor, formatActor, isOwner } from "../domain/actor.ts";
import { requireExisting, requireGranted } from "../domain/decision.ts";
import {
  acceptIdentityProposal,
  acceptIdentityProposalAsEntry,
  rejectIdentityProposal,
} from "../domain/identity/decisions.ts";
import { type IdentityName, type IdentityProposal, findProposalRefusal } from "../domain/identity/identity.ts";
import type { Change } from "../domain/journal.ts";
import { archiveMemory, pinMemoryAs, unpinMemory } from "../domain/memory/decisions.ts";
import { isOwnProfile } from "../domain/memory/memory-file.ts";
import { defaultConfidence, defaultImportance, type Memory } from "../domain/memory/memory.ts";
import type { Origin } from "../domain/rule/rule.ts";
import { OldhandError } from "../lib/errors.ts";
import { hashId, newId } from "../lib/ids.ts";
import { getIdentity, identityNoun } from "../store/nouns/identities.ts";
import { getIdentityProposal, identityProposalNoun } from "../store/nouns/identity-proposals.ts";
import { makeProvenance, applyChange, applyAllChanges, planChange, withJournalLock } from "../store/journal/journal.ts";
import { listMemories, memoryNoun } from "../store/nouns/memories.ts";
import { findSourceMemory } from "./profile-proposals.ts";

type ProposalContext = Pick<Context, "db" | "clock" | "actor">;

export interface NewIdentityProposal {
  readonly file: IdentityName;
  /** Computes the new text from the current one. */
  readonly next: (text: string) => string;
  readonly reason: string;
  readonly origin: Origin;
}

/** Proposes a change for the owner to decide. A forbidden one is stored as a refused attempt, to be seen. */
export async function proposeIdentity(ctx: ProposalContext, request: NewIdentityProposal): Promise<IdentityProposal> {
  const now = ctx.clock.now();
  const before = (await getIdentity(ctx.db, request.file))?.text;
  if (before === undefined)
    throw new OldhandError("not-found", `there is no ${request.file} yet`, { hint: "oldhand init creates it" });
  const after = request.next(before);
  if (after === before)
    throw new OldhandError("conflict", `${request.file} already says this`, { hint: "nothing was proposed" });
  const refusal = findProposalRefusal({ ...request, before, after });
  // The owner typed it on behalf of someone else; the journal names that origin.
  const actor = isOwner(ctx.actor) ? parseActor(request.origin) : ctx.actor;
  const proposal: IdentityProposal = {
    id: newId("p", now),
    file: request.file,
    before,
    after,
    reason: request.reason,
    origin: request.origin,
    actor: formatActor(actor),
    rule: null,
    status: refusal === null ? "open" : "refused",
    refusal,
    createdAt: now,
  };
  const note = refusal === null ? request.reason : `refused: ${refusal}`;
  const because = makeProvenance({ ...ctx, actor }, "soul propose", note);
  await applyChange(ctx.db, { noun: identityProposalNoun, id: proposal.id }, because, () => proposal);
  return proposal;
}

/** Applies the change and closes the proposal in one transaction. */
export function acceptProposal(
  ctx: ProposalContext,
  id: string,
): Promise<{
  proposal: IdentityProposal;
  change: Change<object> | null;
  changes: readonly Change<object>[];
}> {
  return withJournalLock(ctx.db, async (db) => {
    const open = requireProposal(await getIdentityProposal(db, id), id);
    if (open.file === "USER.md") return acceptEntry({ ...ctx, db }, open);
    const now = (await getIdentity(db, open.file))?.text ?? "";
    const { file, proposal } = requireGranted(acceptIdentityProposal({ ...open, file: open.file }, now));
    const because = makeProvenance(ctx, "soul accept", open.reason);
    const changes = await applyAllChanges(db, [
      planChange(identityNoun, file.id, because, () => file),
      planChange(identityProposalNoun, id, because, () => proposal),
    ]);
    return { proposal, change: changes.find((one) => one.noun === identityNoun.name) ?? null, changes };
  });
}

/** An entry of USER.md is a memory: the existing one with this text, or a new one, pinned as the owner's. */
async function acceptEntry(
  ctx: ProposalContext,
  open: IdentityProposal,
): Promise<{ proposal: IdentityProposal; change: Change<object> | null; changes: readonly Change<object>[] }> {
  const { db } = ctx;
  const proposal = requireGranted(acceptIdentityProposalAsEntry(open));
  const text = open.after.trim();
  const known = (await listMemories(db, { scope: { kind: "global" } })).find(
    (memory) => memory.kind === "profile" && memory.text.trim() === text,
  );
  const made = known ?? makeOwnProfile(open.id, text, ctx.clock.now());
  const because = makeProvenance(ctx, "soul accept", open.reason);
  const changes = await applyAllChanges(db, [
    planChange(memoryNoun, made.id, because, (now) => pinMemoryAs(now ?? made, ctx.actor)),
    planChange(identityProposalNoun, open.id, because, () => proposal),
  ]);
  return { proposal, change: changes.find((one) => one.noun === memoryNoun.name) ?? null, changes };
}

function makeOwnProfile(name: string, text: string, now: number): Memory {
  const id = hashId("m", name);
  return {
    id,
    key: id,
    text,
    kind: "profile",
    category: null,
    importance: defaultImportance,
    confidence: defaultConfidence.owner,
    tags: [],
    scope: { kind: "global" },
    origin: "owner",
    trust: "owner",
    supersedes: [],
    pinned: true,
    status: "active",
    createdAt: now,
  };
}

export async function rejectProposal(
  ctx: ProposalContext,
  id: string,
  reason: string | null,
): Promise<{ proposal: IdentityProposal; change: Change<object> | null; archived: string | null }> {
  const because = makeProvenance(ctx, "soul reject", reason);
  return withJournalLock(ctx.db, async (tx) => {
    const made = await applyChange(tx, { noun: identityProposalNoun, id }, because, (open) =>
      requireGranted(rejectIdentityProposal(requireProposal(open, id))),
    );
    const proposal = requireProposal(made?.after ?? null, id);
    const memory = findSourceMemory(proposal);
    // A rejected statement about the owner must not be shown as a memory either.
    const silenced =
      memory === null
        ? null
        : await applyChange(tx, { noun: memoryNoun, id: memory }, because, (one) =>
            one === null || one.status !== "active" || isOwnProfile(one) ? one : archiveMemory(unpinMemory(one)),
          );
    return { proposal, change: made, archived: silenced === null ? null : memory };
  });
}

function requireProposal(proposal: IdentityProposal | null, id: string): IdentityProposal {
  return requireExisting(proposal, `proposal ${id}`, "oldhand soul proposals lists them");
}

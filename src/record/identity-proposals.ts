import type { Context } from "../context.ts";
import { actorFrom, actorText, isOwner } from "../domain/actor.ts";
import { existing, granted } from "../domain/decision.ts";
import { accept, acceptAsEntry, reject } from "../domain/identity/decisions.ts";
import { type IdentityName, type IdentityProposal, refusalOf } from "../domain/identity/identity.ts";
import type { Change } from "../domain/journal.ts";
import { archive, pinBy, unpin } from "../domain/memory/decisions.ts";
import { isOwnProfile } from "../domain/memory/memory-file.ts";
import { defaultConfidence, defaultImportance, type Memory } from "../domain/memory/memory.ts";
import type { Origin } from "../domain/rule/rule.ts";
import { OldhandError } from "../lib/errors.ts";
import { hashId, newId } from "../lib/ids.ts";
import { getIdentity, identityNoun } from "../store/identities.ts";
import { getIdentityProposal, identityProposalNoun } from "../store/identity-proposals.ts";
import { by, change, changeAll, planned, underLock } from "../store/journal.ts";
import { listMemories, memoryNoun } from "../store/memories.ts";
import { memoryBehind } from "./profile-proposals.ts";

type ProposalContext = Pick<Context, "db" | "clock" | "actor">;

export interface IdentityWish {
  readonly file: IdentityName;
  /** What becomes of the text as it is now. */
  readonly next: (text: string) => string;
  readonly reason: string;
  readonly origin: Origin;
}

/** For the owner to decide. What may not be proposed is kept as a refused attempt, so that it can be seen. */
export async function proposeIdentity(ctx: ProposalContext, wish: IdentityWish): Promise<IdentityProposal> {
  const now = ctx.clock.now();
  const before = (await getIdentity(ctx.db, wish.file))?.text;
  if (before === undefined)
    throw new OldhandError("not-found", `there is no ${wish.file} yet`, { hint: "oldhand init makes it" });
  const after = wish.next(before);
  if (after === before)
    throw new OldhandError("conflict", `${wish.file} says so already`, { hint: "nothing was proposed" });
  const refusal = refusalOf({ ...wish, before, after });
  // Typed in the owner's name, said by someone else: the journal names who said it.
  const actor = isOwner(ctx.actor) ? actorFrom(wish.origin) : ctx.actor;
  const proposal: IdentityProposal = {
    id: newId("p", now),
    file: wish.file,
    before,
    after,
    reason: wish.reason,
    origin: wish.origin,
    actor: actorText(actor),
    rule: null,
    status: refusal === null ? "open" : "refused",
    refusal,
    createdAt: now,
  };
  const note = refusal === null ? wish.reason : `refused: ${refusal}`;
  const because = by({ ...ctx, actor }, "soul propose", note);
  await change(ctx.db, { noun: identityProposalNoun, id: proposal.id }, because, () => proposal);
  return proposal;
}

/** The change, and the proposal's end, as one. */
export function acceptProposal(
  ctx: ProposalContext,
  id: string,
): Promise<{
  proposal: IdentityProposal;
  change: Change<object> | null;
  changes: readonly Change<object>[];
}> {
  return underLock(ctx.db, async (db) => {
    const open = found(await getIdentityProposal(db, id), id);
    if (open.file === "USER.md") return acceptEntry({ ...ctx, db }, open);
    const now = (await getIdentity(db, open.file))?.text ?? "";
    const { file, proposal } = granted(accept({ ...open, file: open.file }, now));
    const because = by(ctx, "soul accept", open.reason);
    const changes = await changeAll(db, [
      planned(identityNoun, file.id, because, () => file),
      planned(identityProposalNoun, id, because, () => proposal),
    ]);
    return { proposal, change: changes.find((one) => one.noun === identityNoun.name) ?? null, changes };
  });
}

/** An entry of USER.md is a memory: the one that says so already, or a new one, from now on in the owner's name. */
async function acceptEntry(
  ctx: ProposalContext,
  open: IdentityProposal,
): Promise<{ proposal: IdentityProposal; change: Change<object> | null; changes: readonly Change<object>[] }> {
  const { db } = ctx;
  const proposal = granted(acceptAsEntry(open));
  const text = open.after.trim();
  const known = (await listMemories(db, { scope: { kind: "global" } })).find(
    (memory) => memory.kind === "profile" && memory.text.trim() === text,
  );
  const made = known ?? ownProfile(open.id, text, ctx.clock.now());
  const because = by(ctx, "soul accept", open.reason);
  const changes = await changeAll(db, [
    planned(memoryNoun, made.id, because, (now) => pinBy(now ?? made, ctx.actor)),
    planned(identityProposalNoun, open.id, because, () => proposal),
  ]);
  return { proposal, change: changes.find((one) => one.noun === memoryNoun.name) ?? null, changes };
}

function ownProfile(name: string, text: string, now: number): Memory {
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
  const because = by(ctx, "soul reject", reason);
  return underLock(ctx.db, async (tx) => {
    const made = await change(tx, { noun: identityProposalNoun, id }, because, (open) =>
      granted(reject(found(open, id))),
    );
    const proposal = found(made?.after ?? null, id);
    const memory = memoryBehind(proposal);
    // What its owner rejected as a statement about them is shown to no session as a memory either.
    const silenced =
      memory === null
        ? null
        : await change(tx, { noun: memoryNoun, id: memory }, because, (one) =>
            one === null || one.status !== "active" || isOwnProfile(one) ? one : archive(unpin(one)),
          );
    return { proposal, change: made, archived: silenced === null ? null : memory };
  });
}

function found(proposal: IdentityProposal | null, id: string): IdentityProposal {
  return existing(proposal, `proposal ${id}`, "oldhand soul proposals lists them");
}

import type { Context } from "../context.ts";
import { type IdentityName, type IdentityProposal, refusalOf } from "../domain/identity/identity.ts";
import type { Cause, Change } from "../domain/journal.ts";
import type { Origin } from "../domain/rule/rule.ts";
import { OldhandError } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { merged } from "../lib/line-diff.ts";
import { getIdentity } from "../store/identities.ts";
import { getIdentityProposal } from "../store/identity-proposals.ts";
import { change, changeAll, type Deed } from "../store/journal.ts";

type World = Pick<Context, "db" | "clock" | "actor">;

export interface IdentityWish {
  readonly file: IdentityName;
  /** What becomes of the text as it is now. */
  readonly next: (text: string) => string;
  readonly reason: string;
  readonly origin: Origin;
}

/** For the owner to decide. What may not be proposed is kept as a refused attempt, so that it can be seen. */
export async function proposeIdentity(world: World, wish: IdentityWish): Promise<IdentityProposal> {
  const now = world.clock.now();
  const before = (await getIdentity(world.db, wish.file))?.text;
  if (before === undefined)
    throw new OldhandError("not-found", `there is no ${wish.file} yet`, { hint: "oldhand init makes it" });
  const after = wish.next(before);
  if (after === before)
    throw new OldhandError("conflict", `${wish.file} says so already`, { hint: "nothing was proposed" });
  const refusal = refusalOf({ ...wish, before, after });
  // Typed in the owner's name, said by someone else: the journal names who said it.
  const by = { ...world, actor: world.actor === "owner" ? wish.origin : world.actor };
  const proposal: IdentityProposal = {
    id: newId("p", now),
    file: wish.file,
    before,
    after,
    reason: wish.reason,
    origin: wish.origin,
    actor: by.actor,
    rule: null,
    status: refusal === null ? "open" : "refused",
    refusal,
    createdAt: now,
  };
  const note = refusal === null ? wish.reason : `refused: ${refusal}`;
  await change(world.db, deedOf(by, proposal, { kind: "operation", id: "soul propose", note }));
  return proposal;
}

/** The change, and the proposal's end, as one. Refused where the text has since changed in the same place. */
export function acceptProposal(
  world: World,
  id: string,
): Promise<{ proposal: IdentityProposal; change: Change | null; changes: readonly Change[] }> {
  return world.db.tx(async (db) => {
    const open = await openProposal({ ...world, db }, id);
    const now = (await getIdentity(db, open.file))?.text ?? "";
    const text = now === open.before ? open.after : merged(open.before, now, open.after);
    if (text === null)
      throw new OldhandError("conflict", `${open.file} has changed where proposal ${id} would change it`, {
        hint: `edit it by hand, or oldhand soul reject ${id}`,
      });
    const cause: Cause = { kind: "operation", id: "soul accept", note: open.reason };
    const proposal: IdentityProposal = { ...open, status: "accepted" };
    const changes = await changeAll(db, [
      { ...deedOf(world, proposal, cause), noun: "identity", subject: open.file, after: { id: open.file, text } },
      deedOf(world, proposal, cause),
    ]);
    return { proposal, change: changes.find((one) => one.noun === "identity") ?? null, changes };
  });
}

export async function rejectProposal(
  world: World,
  id: string,
  reason: string | null,
): Promise<{ proposal: IdentityProposal; change: Change | null }> {
  const proposal: IdentityProposal = { ...(await openProposal(world, id)), status: "rejected" };
  const cause: Cause = { kind: "operation", id: "soul reject", note: reason };
  return { proposal, change: await change(world.db, deedOf(world, proposal, cause)) };
}

async function openProposal({ db }: Pick<World, "db">, id: string): Promise<IdentityProposal> {
  const found = await getIdentityProposal(db, id);
  if (found === null)
    throw new OldhandError("not-found", `there is no proposal ${id}`, { hint: "oldhand soul proposals lists them" });
  if (found.status !== "open")
    throw new OldhandError("conflict", `proposal ${id} is ${found.status} already`, {
      hint: "oldhand history shows by whom; oldhand undo takes it back",
    });
  return found;
}

function deedOf({ actor, clock }: Pick<World, "actor" | "clock">, proposal: IdentityProposal, cause: Cause): Deed {
  return { noun: "identity-proposal", subject: proposal.id, after: { ...proposal }, actor, cause, at: clock.now() };
}

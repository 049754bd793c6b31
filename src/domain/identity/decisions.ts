import { mergeThreeWay } from "../../lib/line-diff.ts";
import { Refusal } from "../decision.ts";
import type { Identity, IdentityName, IdentityProposal } from "./identity.ts";

export interface AcceptedProposal {
  readonly file: Identity;
  readonly proposal: IdentityProposal;
}

/** A proposal that changes a text file. A USER.md entry is a memory and is accepted as a memory instead. */
export type FileProposal = IdentityProposal & Readonly<{ file: IdentityName }>;

/** Applies the proposed change to the current text. Refused if the same lines have changed since the proposal. */
export function acceptIdentityProposal(proposal: FileProposal, now: string): AcceptedProposal | Refusal {
  if (proposal.status !== "open") return decidedAlready(proposal);
  const text = now === proposal.before ? proposal.after : mergeThreeWay(proposal.before, now, proposal.after);
  if (text === null)
    return new Refusal(
      "conflict",
      `${proposal.file} has changed in the lines that proposal ${proposal.id} changes`,
      `edit it by hand, or oldhand soul reject ${proposal.id}`,
    );
  return { file: { id: proposal.file, text }, proposal: { ...proposal, status: "accepted" } };
}

export function acceptIdentityProposalAsEntry(proposal: IdentityProposal): IdentityProposal | Refusal {
  return proposal.status === "open" ? { ...proposal, status: "accepted" } : decidedAlready(proposal);
}

export function rejectIdentityProposal(proposal: IdentityProposal): IdentityProposal | Refusal {
  return proposal.status === "open" ? { ...proposal, status: "rejected" } : decidedAlready(proposal);
}

/** Edits a file. If the edit was made on an older text (`base`), changes since then are merged in. */
export function editIdentity(
  file: Pick<Identity, "id">,
  now: string,
  { next, base }: { readonly next: (text: string) => string; readonly base?: string | undefined },
): Identity | Refusal {
  const text = base === undefined ? next(now) : mergeThreeWay(base, now, next(base));
  if (text !== null) return { id: file.id, text };
  return new Refusal(
    "conflict",
    `${file.id} was changed in the same lines since you read it; nothing was written`,
    "read the current version and edit that",
  );
}

function decidedAlready({ id, status }: IdentityProposal): Refusal {
  return new Refusal(
    "conflict",
    `proposal ${id} is ${status} already`,
    "oldhand history shows who decided; oldhand undo reverts it",
  );
}

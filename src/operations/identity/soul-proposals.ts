import { z } from "zod";
import { proposeFundamentalRules } from "../../distil/maintenance/fundamental-rules.ts";
import { formatActor, isOwner } from "../../domain/actor.ts";
import { type IdentityProposal, proposalStatuses } from "../../domain/identity/identity.ts";
import { origins } from "../../domain/rule/rule.ts";
import { iso } from "../../lib/clock.ts";
import { OldhandError } from "../../lib/errors.ts";
import { unifiedDiff } from "../../lib/line-diff.ts";
import { defineOperation } from "../../operation.ts";
import { syncIdentityFiles } from "../../recall/identity/identity-files.ts";
import { assertFitsFile, syncMemoryFiles } from "../../recall/identity/memory-files.ts";
import { acceptProposal, proposeIdentity, rejectProposal } from "../../record/identity-proposals.ts";
import { proposeProfiles } from "../../record/profile-proposals.ts";
import { listIdentityProposals } from "../../store/nouns/identity-proposals.ts";
import { getMemory } from "../../store/nouns/memories.ts";
import { changeOut, changeShape } from "../shared/shapes.ts";
import { identityTextInput, makeTextEdit } from "./soul.ts";
import { resolveId } from "../shared/resolve-id.ts";

const id = z.string().min(1).describe("the proposal's id, as in `oldhand soul proposals`, or its beginning");

const proposalShape = z
  .object({
    id: z.string(),
    file: z.string(),
    status: z.enum(proposalStatuses),
    reason: z.string(),
    origin: z.enum(origins),
    actor: z.string(),
    rule: z.string().nullable(),
    refusal: z.string().nullable(),
    createdAt: z.string(),
    diff: z.string(),
  })
  .meta({ id: "IdentityProposal" });

const propose = defineOperation({
  name: "soul propose",
  label: "Propose a change",
  summary:
    "Proposes a change of the identity as a diff; the owner decides. A change of a protected section is refused and recorded.",
  effect: "write",
  prepare: ["identity-edits"],
  input: z.object({
    ...identityTextInput,
    reason: z.string().trim().min(1).max(500).describe("why"),
    origin: z.enum(origins).default("agent").describe("who it comes from; external origins are refused"),
  }),
  positional: ["file"],
  output: proposalShape,
  run: async (ctx, input) => {
    const next = makeTextEdit(input);
    if (next === null) throw new OldhandError("usage", "nothing is proposed", { hint: "give --text or --add" });
    if (input.origin === "owner" && !isOwner(ctx.actor))
      throw new OldhandError("refused", `${formatActor(ctx.actor)} cannot speak for the owner`, {
        hint: "leave --origin out",
      });
    return proposalOut(await proposeIdentity(ctx, { ...input, next }));
  },
  isNegative: (one) => one.status === "refused",
  render: formatProposal,
});

const proposals = defineOperation({
  name: "soul proposals",
  summary: "Lists proposed identity changes as diffs, including rules proposed for SOUL.md.",
  effect: "touches",
  prepare: ["events", "owner-edits", "identity-edits"],
  input: z.object({ all: z.boolean().default(false).describe("also decided and refused proposals") }),
  output: z.object({ proposals: z.array(proposalShape) }),
  run: async (ctx, input) => {
    // Also handles a USER.md of an earlier version: text that the owner did not write becomes a proposal.
    await syncMemoryFiles(ctx);
    await proposeFundamentalRules(ctx);
    await proposeProfiles(ctx);
    const found = await listIdentityProposals(ctx.db);
    return { proposals: found.filter((one) => input.all || one.status === "open").map(proposalOut) };
  },
  render: ({ proposals: found }) =>
    found.length === 0 ? "No proposal waits for a decision." : found.map(formatProposal).join("\n\n"),
});

const accept = defineOperation({
  name: "soul accept",
  on: "proposal",
  summary: "Accepts a proposed identity change and writes it to the file.",
  effect: "write",
  prepare: ["owner-edits", "identity-edits"],
  input: z.object({ id }),
  positional: ["id"],
  output: z.object({
    proposal: proposalShape,
    change: changeShape.nullable().describe("of the file"),
    changes: z
      .array(changeShape)
      .describe("the change of the file, then of the proposal; undo both to reopen the proposal"),
  }),
  run: async (ctx, input) => {
    const made = await ctx.db.tx(async (db) => {
      const accepted = await acceptProposal({ ...ctx, db }, await resolveId(db, "identity_proposals", input.id));
      const entry = accepted.change?.noun === "memory" ? await getMemory(db, accepted.change.subject) : null;
      if (entry !== null) await assertFitsFile({ ...ctx, db }, entry);
      return accepted;
    });
    await syncIdentityFiles(ctx);
    await syncMemoryFiles(ctx);
    return {
      proposal: proposalOut(made.proposal),
      change: made.change && changeOut(made.change),
      changes: made.changes.map(changeOut),
    };
  },
  render: ({ proposal, change }) =>
    change === null
      ? `Accepted; ${proposal.file} already says this.`
      : `Accepted: ${proposal.file} is changed (oldhand undo ${change.id} undoes it).`,
});

const reject = defineOperation({
  name: "soul reject",
  on: "proposal",
  summary: "Rejects a proposed identity change. If it came from a memory, that memory is archived and no longer shown.",
  effect: "write",
  input: z.object({ id, reason: z.string().trim().min(1).max(500).optional().describe("why") }),
  positional: ["id"],
  output: proposalShape.extend({
    change: changeShape.nullable(),
    archived: z.string().nullable().describe("the memory that was archived with it"),
  }),
  run: async (ctx, input) => {
    const made = await rejectProposal(
      ctx,
      await resolveId(ctx.db, "identity_proposals", input.id),
      input.reason ?? null,
    );
    if (made.archived !== null) await syncMemoryFiles(ctx);
    const { archived } = made;
    return { ...proposalOut(made.proposal), change: made.change && changeOut(made.change), archived };
  },
  render: ({ id, archived }) =>
    archived === null
      ? `Rejected: ${id}.`
      : `Rejected: ${id}. Memory ${archived} is archived; \`oldhand memories forget ${archived}\` deletes it.`,
});

export const soulProposalOperations = [propose, proposals, accept, reject] as const;

function proposalOut({ before, after, ...one }: IdentityProposal): z.infer<typeof proposalShape> {
  return { ...one, createdAt: iso(one.createdAt), diff: unifiedDiff(before, after, one.file) };
}

function formatProposal(one: z.infer<typeof proposalShape>): string {
  const decide = one.status === "open" ? [`oldhand soul accept ${one.id}, or oldhand soul reject ${one.id}`] : [];
  return [
    `${one.id}  ${one.status}  ${one.createdAt}  from ${one.origin}${one.actor === one.origin ? "" : ` (${one.actor})`}: ${one.reason}`,
    ...(one.refusal === null ? [] : [`  refused: ${one.refusal}`]),
    one.diff,
    ...decide,
  ].join("\n");
}

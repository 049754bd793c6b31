import { z } from "zod";
import type { Context } from "../../context.ts";
import {
  leastTrusted,
  type Memory,
  memoryCategories,
  memoryKinds,
  memoryStatuses,
} from "../../domain/memory/memory.ts";
import { requireGranted, type Refusal } from "../../domain/decision.ts";
import * as decisions from "../../domain/memory/decisions.ts";
import { origins, type Origin } from "../../domain/rule/rule.ts";
import { OldhandError } from "../../lib/errors.ts";
import { resolveTypedWorkspace } from "../../observe/protocol/workspace.ts";
import { findBlockReason } from "../../domain/trust/instruction-like.ts";
import { originOf } from "../../domain/trust/trust.ts";
import { assertFitsFile, syncMemoryFiles } from "../../recall/identity/memory-files.ts";
import { listProposalsFromMemory, proposeProfiles } from "../../record/profile-proposals.ts";
import { defineOperation } from "../../operation.ts";
import { identityProposalNoun } from "../../store/nouns/identity-proposals.ts";
import { makeProvenance, applyAllChanges, forgetSubject, withJournalLock } from "../../store/journal/journal.ts";
import {
  getMemory,
  listMemories,
  listSuccessors,
  makeMemoryId,
  memoryNoun,
  nameMemoryScope,
} from "../../store/nouns/memories.ts";
import { type MemoryUseKind, recordMemoryUses } from "../../store/shown/memory-uses.ts";
import { planMemoryChanges, remember, type NewMemory } from "../../store/journal/remember.ts";
import {
  loadMemoriesOut,
  formatMemory,
  memoryShape,
  loadMemoryOut,
  parseMemoryScope,
  scopeInput,
  resolveStoredScope,
  resolveWriteScope,
} from "./memory-shapes.ts";
import { finishForgetting, forgottenShape, formatForgotten } from "../shared/forgotten.ts";
import { changeOut, changeShape, limitInput, formatUndoHint } from "../shared/shapes.ts";
import { rangeInput, readRange, touchesRange } from "../shared/time-range.ts";
import { isScopeVisible } from "../../domain/trust/visibility.ts";
import { requireVisible } from "../shared/visibility.ts";
import { resolveId } from "../shared/resolve-id.ts";

const id = z
  .string()
  .min(1)
  .describe("the memory's id, the beginning of its id, or its key (global, or of this folder)");

const rememberOne = defineOperation({
  name: "remember",
  on: "memory",
  label: "Write a memory",
  summary: "Saves a memory. The same key replaces the text; a near duplicate is not saved.",
  effect: "write",
  prepare: ["owner-edits"],
  surfaces: ["cli", "http", "mcp"],
  input: z.object({
    text: z.string().trim().min(1).max(20_000).describe("what to remember, as a statement"),
    key: z.string().trim().min(1).max(200).optional().describe("its name; saving the same key replaces the text"),
    kind: z.enum(memoryKinds).optional().describe("its kind; a learning needs a category"),
    category: z.enum(memoryCategories).optional().describe("category of a learning"),
    importance: z.coerce.number<number>().int().min(1).max(100).optional().describe("importance, 1 to 100 (50)"),
    confidence: z.coerce.number<number>().min(0).max(1).optional().describe("confidence, 0 to 1"),
    tags: z.array(z.string().trim().min(1).max(100)).max(50).optional().describe("tags to find it by"),
    ...scopeInput,
    everywhere: z
      .boolean()
      .optional()
      .describe(
        "valid in all workspaces. Otherwise an agent's memory is valid in its workspace, unless it is a profile or its key exists globally",
      ),
    origin: z.enum(origins).optional().describe("who it comes from, if not from the caller"),
    supersedes: z.array(z.string()).max(50).optional().describe("ids of memories it replaces"),
    pinned: z
      .boolean()
      .optional()
      .describe(
        "never decays, and is written to MEMORY.md, or USER.md for a profile. A profile not from the owner is only proposed for USER.md",
      ),
    anyway: z.boolean().optional().describe("save even if a near duplicate exists"),
  }),
  positional: ["text"],
  freeText: true,
  output: z.object({
    written: z.boolean(),
    memory: memoryShape,
    similarity: z.number().nullable().describe("similarity to the existing memory, if nothing was written"),
    changes: z.array(changeShape),
  }),
  run: async (ctx, input) => {
    const { workspace, goal, agent, everywhere, ...rest } = input;
    const isWide = everywhere ?? (await isGlobalByDefault(ctx, input));
    const wanted = resolveWriteScope(ctx.actor, { workspace, goal, agent, everywhere: isWide });
    const scope = await resolveStoredScope(ctx, wanted);
    const made = await withJournalLock(ctx.db, async (db) => {
      const inside = { ...ctx, db };
      const before = input.key === undefined ? null : await getMemory(db, makeMemoryId(scope, input.key));
      if (input.pinned ?? before?.pinned)
        await assertFitsFile(inside, {
          id: before?.id ?? "",
          kind: input.kind ?? before?.kind ?? "fact",
          trust: resolveOrigin(ctx.actor, input.origin),
          scope,
          text: input.text,
        });
      return remember(
        db,
        { ...rest, scope, origin: resolveOrigin(ctx.actor, input.origin) },
        { ...makeProvenance(ctx, "remember"), policy: ctx.config.policy.memory },
      );
    });
    if (made.memory.pinned) await syncMemoryFiles(ctx);
    if (made.memory.kind === "profile") await proposeProfiles(ctx);
    const memory = await loadMemoryOut(ctx, made.memory);
    return made.kind === "known"
      ? { written: false, memory, similarity: made.similarity, changes: [] }
      : { written: made.changes.length > 0, memory, similarity: null, changes: made.changes.map(changeOut) };
  },
  render: ({ written, memory, similarity, changes }) =>
    written
      ? [formatMemory(memory), ...formatScope(memory), formatUndoHint(changes.map((one) => one.id))].join("\n")
      : `${similarity === null ? "Nothing to change" : "Known already"}: ${formatMemory(memory)}`,
});

/** Only for global memories; the memory's own line names any other scope. */
function formatScope({ scope }: z.infer<typeof memoryShape>): readonly string[] {
  return scope.kind === "global" ? ["It is valid in all workspaces; add --workspace . for this folder only."] : [];
}

const list = defineOperation({
  name: "memories list",
  summary: "Lists memories, most important first.",
  effect: "touches",
  byWorkspace: true,
  prepare: ["markers", "owner-edits"],
  input: z.object({
    status: z.enum(memoryStatuses).default("active").describe("only memories with this status"),
    kind: z.enum(memoryKinds).optional().describe("only memories of this kind"),
    tag: z.string().optional().describe("only memories with this tag"),
    blocked: z.boolean().optional().describe("only memories whose text is kept from agents"),
    ...scopeInput,
    since: rangeInput.since.describe("only those written from this time on"),
    until: rangeInput.until.describe("only those written up to this time"),
    limit: limitInput(100),
  }),
  output: z.object({ memories: z.array(memoryShape) }),
  run: async (ctx, input) => {
    const scoped = input.workspace !== undefined || input.goal !== undefined || input.agent !== undefined;
    const { workspace, goal, agent } = input;
    const memories = await listMemories(ctx.db, {
      status: input.status,
      kind: input.kind,
      tag: input.tag,
      // An agent sees only what it could recall.
      ...(ctx.within === undefined
        ? { scope: scoped ? parseMemoryScope(input) : undefined }
        : { viewer: { workspace: workspace ?? "", goal, agent } }),
    });
    const range = readRange(input);
    const wanted = memories.filter(
      (memory) => touchesRange(range, memory.createdAt) && (!input.blocked || findBlockReason(memory) !== null),
    );
    return { memories: await loadMemoriesOut(ctx, wanted.slice(0, input.limit)) };
  },
  render: ({ memories }) =>
    memories.length === 0 ? "No memories. `oldhand remember` writes one." : memories.map(formatMemory).join("\n"),
});

const show = defineOperation({
  name: "memories show",
  summary: "Shows one memory in full.",
  effect: "read",
  input: z.object({ id }),
  positional: ["id"],
  output: memoryShape,
  run: async (ctx, input) => loadMemoryOut(ctx, await requireMemory(ctx, input.id)),
  render: (memory) =>
    [
      formatMemory({ ...memory, text: "" }),
      memory.text,
      `  tags ${memory.tags.join(", ") || "none"}; origin ${memory.origin}; used ${memory.uses}, confirmed ${memory.confirmations}, contradicted ${memory.contradictions}`,
      ...(memory.supersedes.length > 0 ? [`  supersedes ${memory.supersedes.join(", ")}`] : []),
    ].join("\n"),
});

const decided = z.object({ memory: memoryShape, changes: z.array(changeShape) }).meta({ id: "MemoryDecision" });

const confirm = decision(
  "confirm",
  "Marks a memory as right: raises its confidence.",
  "confirmed",
  (memory, { config }) => decisions.confirmMemory(memory, config.policy.memory),
);
const contradict = decision(
  "contradict",
  "Marks a memory as wrong: lowers its confidence, and archives it below a threshold.",
  "contradicted",
  unlessOwners((memory, { config }) => decisions.contradictMemory(memory, config.policy.memory)),
);
const archive = decision(
  "archive",
  "Archives a memory: it is no longer recalled, but kept.",
  null,
  unlessOwners((memory) => decisions.archiveMemory(memory)),
);

const vouch = decision(
  "vouch",
  "Vouches for a memory: it is trusted like the owner's own, and no longer blocked.",
  null,
  (memory, { actor }) => decisions.vouchForMemory(memory, actor),
);
const pin = decision(
  "pin",
  "Pins a memory: it never decays. A global one is also written to MEMORY.md or USER.md.",
  null,
  unlessOwners((memory, { actor }) => decisions.pinMemoryAs(memory, actor)),
);
const unpin = decision(
  "unpin",
  "Unpins a memory: it can decay again, and leaves MEMORY.md and USER.md.",
  null,
  unlessOwners((memory) => decisions.unpinMemory(memory)),
);

const edit = defineOperation({
  name: "memories edit",
  summary: "Changes the text or importance of a memory. If the owner edits it, its origin becomes owner.",
  effect: "write",
  prepare: ["owner-edits"],
  input: z.object({
    id,
    text: z.string().trim().min(1).max(20_000).optional().describe("the new text"),
    importance: z.coerce.number<number>().int().min(1).max(100).optional().describe("importance, 1 to 100"),
  }),
  positional: ["id"],
  output: decided,
  run: (ctx, input) =>
    decide(ctx, { id: input.id, verb: "edit", use: null }, (memory, { actor }) =>
      decisions.editMemory(memory, input, actor),
    ),
  render: decisionLine,
});

const forgetIt = defineOperation({
  name: "memories forget",
  summary: "Deletes a memory and its past texts. This cannot be undone.",
  effect: "destroys",
  surfaces: ["cli"],
  input: z.object({ id }),
  positional: ["id"],
  output: forgottenShape,
  run: async (ctx, input) => finishForgetting(ctx, await forgetMemory(ctx, input.id)),
  render: formatForgotten,
});

export const memoryOperations = [
  rememberOne,
  list,
  show,
  confirm,
  contradict,
  archive,
  edit,
  pin,
  unpin,
  vouch,
  forgetIt,
] as const;

function decision<Verb extends string>(verb: Verb, summary: string, use: MemoryUseKind | null, next: Decision) {
  return defineOperation({
    name: `memories ${verb}` as const,
    ...(verb === "vouch" ? { label: "Vouch for it" } : {}),
    summary,
    effect: "write",
    prepare: ["owner-edits"],
    input: z.object({ id }),
    positional: ["id"],
    output: decided,
    run: (ctx, input) => decide(ctx, { id: input.id, verb, use }, next),
    render: decisionLine,
  });
}

type Decision = (memory: Memory, ctx: Context) => Memory | Refusal;

function unlessOwners(next: Decision): Decision {
  return (memory, ctx) => decisions.refuseUnlessOwner(memory, ctx.actor) ?? next(memory, ctx);
}

async function decide(
  ctx: Context,
  { id: named, verb, use }: { readonly id: string; readonly verb: string; readonly use: MemoryUseKind | null },
  next: Decision,
): Promise<z.infer<typeof decided>> {
  const made = await withJournalLock(ctx.db, async (db) => {
    const inside = { ...ctx, db };
    const before = await requireMemory(inside, named);
    const memory = requireGranted(next(before, ctx));
    if (decisions.needsRoom(before, memory)) await assertFitsFile(inside, memory);
    const changes = await applyAllChanges(db, planMemoryChanges([memory], makeProvenance(ctx, `memories ${verb}`)));
    if (use !== null) await recordMemoryUses(db, [memory.id], { at: ctx.clock.now(), kind: use });
    return { memory: await loadMemoryOut(inside, memory), changes: changes.map(changeOut) };
  });
  if (made.changes.length > 0) await syncMemoryFiles(ctx);
  return made;
}

function decisionLine({ memory, changes }: z.infer<typeof decided>): string {
  return changes.length === 0 ? `Nothing to change: ${formatMemory(memory)}` : formatMemory(memory);
}

/** First removes its id from memories that supersede it; otherwise the id would remain there. */
export async function forgetMemory(ctx: Context, named: string): Promise<string> {
  const forgotten = await withJournalLock(ctx.db, async (db) => {
    const memory = await requireMemory({ ...ctx, db }, named);
    const because = makeProvenance(ctx, "memories forget");
    const without = (await listSuccessors(db, memory.id)).map((one) => decisions.withoutPredecessor(one, memory.id));
    await applyAllChanges(db, planMemoryChanges(without, because));
    for (const proposal of await listProposalsFromMemory(db, memory.id))
      await forgetSubject(db, { noun: identityProposalNoun, id: proposal.id }, because);
    await (await db.dialect.vectors()).remove(db, "memory", [memory.id]);
    await forgetSubject(db, { noun: memoryNoun, id: memory.id }, because);
    return memory.id;
  });
  await syncMemoryFiles(ctx);
  return forgotten;
}

async function requireMemory(ctx: Pick<Context, "db" | "within">, named: string): Promise<Memory> {
  const here = { kind: "workspace", name: resolveTypedWorkspace(".") } as const;
  const memory =
    (await getMemory(ctx.db, named)) ??
    (await getMemory(ctx.db, makeMemoryId({ kind: "global" }, named))) ??
    (await getMemory(ctx.db, makeMemoryId(await nameMemoryScope(ctx.db, here), named))) ??
    (await getMemory(ctx.db, await resolveId(ctx.db, "memories", named)));
  if (!memory)
    throw new OldhandError("not-found", `there is no memory ${named}`, { hint: "oldhand memories lists them" });
  requireVisible(isScopeVisible(ctx, memory.scope), `memory ${memory.id}`);
  return memory;
}

/** The owner's profile is the same in every folder, and an existing global key is not duplicated in a workspace. */
async function isGlobalByDefault(
  { db }: Pick<Context, "db">,
  { kind, key, ...scopes }: Parameters<typeof parseMemoryScope>[0] & Pick<NewMemory, "kind" | "key">,
): Promise<boolean> {
  if (parseMemoryScope(scopes).kind !== "global") return false;
  return (
    kind === "profile" || (key !== undefined && (await getMemory(db, makeMemoryId({ kind: "global" }, key))) !== null)
  );
}

/** An actor cannot claim a more trusted origin: an agent cannot write as the owner. */
function resolveOrigin(actor: Context["actor"], wanted: Origin | undefined): Origin {
  const speaker = originOf(actor);
  return leastTrusted([speaker, wanted ?? speaker]);
}

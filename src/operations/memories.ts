import { z } from "zod";
import type { Context } from "../context.ts";
import type { Cause } from "../domain/journal.ts";
import {
  confirmed,
  contradicted,
  leastTrusted,
  type Memory,
  memoryCategories,
  memoryKinds,
  memoryStatuses,
} from "../domain/memory.ts";
import { origins, type Origin } from "../domain/rule.ts";
import { OldhandError } from "../lib/errors.ts";
import { operation, type Operation } from "../operation.ts";
import { changeAll, forget } from "../store/journal.ts";
import { getMemory, listMemories, memoryIdOf, searchMemories, successorsOf } from "../store/memories.ts";
import { countsOf, type MemoryDeed, recordUses, removeUses } from "../store/memory-uses.ts";
import { deedOf, remember } from "../store/remember.ts";
import { memoryLine, memoryOut, memoryShape, scopeFrom, scopeInput, standpointFrom } from "./memory-shapes.ts";
import { changeOut, changeShape, limit } from "./shapes.ts";

const id = z.string().min(1).describe("the memory's id, or its key where that is of no narrower scope");

const rememberOne = operation({
  name: "remember",
  summary:
    "Writes a memory. The same key again replaces it; what is known already, nearly word for word, is not written twice.",
  kind: "write",
  surfaces: ["cli", "http", "mcp"],
  input: z.object({
    text: z.string().trim().min(1).max(20_000).describe("what to remember, as a statement"),
    key: z.string().trim().min(1).max(200).optional().describe("its name: the same key again replaces the text"),
    kind: z.enum(memoryKinds).optional().describe("what it is; a learning needs a category"),
    category: z.enum(memoryCategories).optional().describe("of a learning"),
    importance: z.coerce.number().int().min(1).max(100).optional().describe("how much it matters, 1 to 100 (50)"),
    confidence: z.coerce.number().min(0).max(1).optional().describe("how sure it is, 0 to 1"),
    tags: z.array(z.string().trim().min(1).max(100)).max(50).optional().describe("words to find it by"),
    ...scopeInput,
    origin: z.enum(origins).optional().describe("who it comes from, if not from who is speaking"),
    supersedes: z.array(z.string()).max(50).optional().describe("ids of memories it takes the place of"),
    anyway: z.boolean().optional().describe("also when much the same is known"),
  }),
  positional: ["text"],
  output: z.object({
    written: z.boolean(),
    memory: memoryShape,
    similarity: z.number().nullable().describe("to what is known already, where nothing was written"),
    changes: z.array(changeShape),
  }),
  run: async (world, input) => {
    const { workspace, goal, agent, ...rest } = input;
    const made = await remember(
      world.db,
      { ...rest, scope: scopeFrom({ workspace, goal, agent }), origin: originOf(world, input.origin) },
      { ...by(world, "remember"), law: world.config.policy.memory },
    );
    const memory = await out(world, made.memory);
    return made.kind === "known"
      ? { written: false, memory, similarity: made.similarity, changes: [] }
      : { written: made.changes.length > 0, memory, similarity: null, changes: made.changes.map(changeOut) };
  },
  render: ({ written, memory, similarity, changes }) =>
    written
      ? `${memoryLine(memory)}\n(change ${changes.map((one) => one.id).join(", ")}; oldhand undo takes it back)`
      : `${similarity === null ? "Nothing to change" : "Known already"}: ${memoryLine(memory)}`,
});

const recallSome = operation({
  name: "recall",
  summary: "What is known that fits the words.",
  kind: "read",
  surfaces: ["cli", "http", "mcp"],
  input: z.object({
    query: z.string().min(1).describe("the situation or question"),
    ...scopeInput,
    limit: limit(10),
  }),
  positional: ["query"],
  output: z.object({ memories: z.array(memoryShape.extend({ score: z.number() })) }),
  run: async (world, input) => {
    const hits = await searchMemories(world.db, input.query, {
      status: "active",
      seenFrom: standpointFrom(input),
      limit: input.limit,
    });
    const ids = hits.map((hit) => hit.memory.id);
    await recordUses(world.db, ids, { at: world.clock.now(), deed: "recalled" });
    const counts = await countsOf(world.db, ids);
    return {
      memories: hits.map((hit) => ({ ...memoryOut(hit.memory, counts.get(hit.memory.id)), score: hit.score })),
    };
  },
  isNegative: ({ memories }) => memories.length === 0,
  render: ({ memories }) => (memories.length === 0 ? "Nothing known." : memories.map(memoryLine).join("\n")),
});

const list = operation({
  name: "memories list",
  summary: "Memories, most important first.",
  kind: "read",
  input: z.object({
    status: z.enum(memoryStatuses).default("active").describe("only these"),
    kind: z.enum(memoryKinds).optional().describe("only this kind"),
    tag: z.string().optional().describe("only with this tag"),
    ...scopeInput,
    limit: limit(100),
  }),
  output: z.object({ memories: z.array(memoryShape) }),
  run: async (world, input) => {
    const scoped = input.workspace !== undefined || input.goal !== undefined || input.agent !== undefined;
    const memories = await listMemories(world.db, {
      status: input.status,
      kind: input.kind,
      tag: input.tag,
      scope: scoped ? scopeFrom(input) : undefined,
      limit: input.limit,
    });
    return { memories: await allOut(world, memories) };
  },
  render: ({ memories }) =>
    memories.length === 0 ? "No memories. `oldhand remember` writes one." : memories.map(memoryLine).join("\n"),
});

const show = operation({
  name: "memories show",
  summary: "One memory, whole.",
  kind: "read",
  input: z.object({ id }),
  positional: ["id"],
  output: memoryShape,
  run: async (world, input) => out(world, await found(world, input.id)),
  render: (memory) =>
    [
      memoryLine({ ...memory, text: "" }),
      memory.text,
      `  tags ${memory.tags.join(", ") || "none"}; origin ${memory.origin}; used ${memory.uses}, confirmed ${memory.confirmations}, contradicted ${memory.contradictions}`,
      ...(memory.supersedes.length > 0 ? [`  supersedes ${memory.supersedes.join(", ")}`] : []),
    ].join("\n"),
});

const decided = z.object({ memory: memoryShape, changes: z.array(changeShape) });

const confirm = decision("confirm", "It proved true: more confidence.", "confirmed", (memory, { config }) =>
  confirmed(memory, config.policy.memory),
);
const contradict = decision(
  "contradict",
  "It proved wrong: less confidence, archived when little is left.",
  "contradicted",
  (memory, { config }) => contradicted(memory, config.policy.memory),
);
const archive = decision("archive", "Out of recall, kept for the record.", null, (memory) => ({
  ...memory,
  status: "archived",
}));

const forgetIt = operation({
  name: "memories forget",
  summary: "Removes a memory and the words of its past, for good. Cannot be undone.",
  kind: "write",
  destructive: true,
  surfaces: ["cli"],
  input: z.object({ id }),
  positional: ["id"],
  output: z.object({ forgotten: z.string() }),
  run: async (world, input) => ({ forgotten: await forgetMemory(world, input.id) }),
  render: ({ forgotten }) => `Forgotten: ${forgotten}`,
});

export const memoryOperations: readonly Operation[] = [
  rememberOne,
  recallSome,
  list,
  show,
  confirm,
  contradict,
  archive,
  forgetIt,
];

function decision(
  verb: string,
  summary: string,
  deed: MemoryDeed | null,
  next: (memory: Memory, world: Context) => Memory,
): Operation {
  return operation({
    name: `memories ${verb}`,
    summary,
    kind: "write",
    input: z.object({ id }),
    positional: ["id"],
    output: decided,
    run: (world, input) =>
      world.db.tx(async (db) => {
        const inside = { ...world, db };
        const memory = next(await found(inside, input.id), world);
        const changes = await changeAll(db, [deedOf(memory, by(world, `memories ${verb}`))]);
        if (deed !== null) await recordUses(db, [memory.id], { at: world.clock.now(), deed });
        return { memory: await out(inside, memory), changes: changes.map(changeOut) };
      }),
    render: ({ memory, changes }) =>
      changes.length === 0 ? `Nothing to change: ${memoryLine(memory)}` : memoryLine(memory),
  });
}

/** Those that name it as superseded let go of it first, or its id would outlive it. */
function forgetMemory(world: Context, named: string): Promise<string> {
  return world.db.tx(async (db) => {
    const memory = await found({ ...world, db }, named);
    const because = by(world, "memories forget");
    const successors = await successorsOf(db, memory.id);
    const without = successors.map((one) => ({
      ...one,
      supersedes: one.supersedes.filter((each) => each !== memory.id),
    }));
    await changeAll(
      db,
      without.map((one) => deedOf(one, because)),
    );
    await removeUses(db, memory.id);
    await (await db.dialect.vectors()).remove(db, "memory", memory.id);
    await forget(db, { noun: "memory", subject: memory.id, ...because });
    return memory.id;
  });
}

async function found(world: Pick<Context, "db">, named: string): Promise<Memory> {
  const memory =
    (await getMemory(world.db, named)) ?? (await getMemory(world.db, memoryIdOf({ kind: "global" }, named)));
  if (!memory)
    throw new OldhandError("not-found", `there is no memory ${named}`, { hint: "oldhand memories lists them" });
  return memory;
}

/** Nobody speaks for someone more trusted: an agent cannot write in the owner's name. */
function originOf(world: Pick<Context, "actor">, asked: Origin | undefined): Origin {
  const speaker: Origin = world.actor === "owner" ? "owner" : "agent";
  return leastTrusted([speaker, asked ?? speaker]);
}

async function out(world: Pick<Context, "db">, memory: Memory) {
  return memoryOut(memory, (await countsOf(world.db, [memory.id])).get(memory.id));
}

async function allOut(world: Pick<Context, "db">, memories: readonly Memory[]) {
  const counts = await countsOf(
    world.db,
    memories.map((memory) => memory.id),
  );
  return memories.map((memory) => memoryOut(memory, counts.get(memory.id)));
}

function by(world: Context, operationName: string): { actor: string; cause: Cause; at: number } {
  return { actor: world.actor, cause: { kind: "operation", id: operationName, note: null }, at: world.clock.now() };
}

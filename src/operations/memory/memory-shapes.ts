import { z } from "zod";
import type { Context } from "../../context.ts";
import { type Actor, isOwner } from "../../domain/actor.ts";
import { findBlockReason } from "../../domain/trust/instruction-like.ts";
import {
  type Memory,
  memoryCategories,
  type MemoryCounts,
  memoryKinds,
  type MemoryScope,
  memoryScopes,
  memoryStatuses,
  formatMemoryScope,
  type Viewer,
} from "../../domain/memory/memory.ts";
import { origins } from "../../domain/rule/rule.ts";
import { iso } from "../../lib/clock.ts";
import { OldhandError } from "../../lib/errors.ts";
import { oneLine } from "../../lib/text.ts";
import { registerClone } from "../../attend/register-workspace.ts";
import { resolveTypedWorkspace } from "../../observe/protocol/workspace.ts";
import { nameMemoryScope } from "../../store/nouns/memories.ts";
import { countMemoryUses, noMemoryCounts } from "../../store/shown/memory-uses.ts";

export const memoryShape = z
  .object({
    id: z.string(),
    key: z.string(),
    text: z.string(),
    kind: z.enum(memoryKinds),
    category: z.enum(memoryCategories).nullable(),
    importance: z.number(),
    confidence: z.number(),
    tags: z.array(z.string()),
    scope: z.object({ kind: z.enum(memoryScopes), name: z.string().nullable() }),
    origin: z.enum(origins),
    trust: z.enum(origins),
    supersedes: z.array(z.string()),
    pinned: z.boolean(),
    status: z.enum(memoryStatuses),
    blocked: z.string().nullable().describe("why its text is kept from agents"),
    createdAt: z.string(),
    uses: z.number(),
    confirmations: z.number(),
    contradictions: z.number(),
    lastUsedAt: z.string().nullable(),
    lastConfirmedAt: z.string().nullable(),
  })
  .meta({ id: "Memory" });

export type MemoryOut = z.infer<typeof memoryShape>;

export function memoryOut(memory: Memory, counts: MemoryCounts = noMemoryCounts): MemoryOut {
  const time = (at: number | null) => (at === null ? null : iso(at));
  return {
    ...memory,
    tags: [...memory.tags],
    supersedes: [...memory.supersedes],
    scope: { kind: memory.scope.kind, name: memory.scope.kind === "global" ? null : memory.scope.name },
    blocked: findBlockReason(memory),
    createdAt: iso(memory.createdAt),
    ...counts,
    lastUsedAt: time(counts.lastUsedAt),
    lastConfirmedAt: time(counts.lastConfirmedAt),
  };
}

export function formatMemory(memory: MemoryOut): string {
  const scope = formatMemoryScope(toMemoryScope(memory.scope));
  const key = memory.key === memory.id ? "" : `${memory.key}: `;
  const states = [
    ...(memory.status === "active" ? [] : [memory.status]),
    ...(memory.pinned ? ["pinned"] : []),
    ...(memory.blocked === null ? [] : ["blocked"]),
  ];
  const state = states.length === 0 ? "" : `  (${states.join(", ")})`;
  return `${memory.id}  ${String(memory.importance).padStart(3)} ${memory.confidence.toFixed(2)}  ${memory.kind.padEnd(10)} ${memory.trust.padEnd(8)} ${scope}  ${key}${oneLine(memory.text, 120)}${state}`;
}

function toMemoryScope(scope: MemoryOut["scope"]): MemoryScope {
  return scope.kind === "global" ? { kind: "global" } : { kind: scope.kind, name: scope.name ?? "" };
}

/** A memory's scope as command input. */
export const scopeInput = {
  workspace: z.string().optional().describe("valid only in this folder's workspace"),
  goal: z.string().min(1).max(200).optional().describe("valid only for this goal"),
  agent: z.string().min(1).max(200).optional().describe("valid only for this agent"),
};

export function parseMemoryScope(input: {
  readonly workspace?: string | undefined;
  readonly goal?: string | undefined;
  readonly agent?: string | undefined;
}): MemoryScope {
  const given = (["workspace", "goal", "agent"] as const).filter((kind) => input[kind] !== undefined);
  if (given.length > 1)
    throw new OldhandError("usage", `a memory has one scope, not ${given.join(" and ")}`, {
      hint: "oldhand remember --help",
    });
  const [kind] = given;
  if (kind === undefined) return { kind: "global" };
  const name = input[kind] ?? "";
  return { kind, name: kind === "workspace" ? resolveTypedWorkspace(name) : name };
}

/** The scope of a new memory. An agent's conclusions default to its workspace: they may be false in others. */
export function resolveWriteScope(
  actor: Actor,
  input: Parameters<typeof parseMemoryScope>[0] & { readonly everywhere?: boolean | undefined },
): MemoryScope {
  const scope = parseMemoryScope(input);
  if (input.everywhere && scope.kind !== "global")
    throw new OldhandError("usage", `a memory has one scope, not everywhere and ${scope.kind}`, {
      hint: "oldhand remember --help",
    });
  if (scope.kind !== "global" || input.everywhere || isOwner(actor)) return scope;
  return { kind: "workspace", name: resolveTypedWorkspace(".") };
}

/** The viewer of a query; its workspace defaults to the current folder. */
export async function resolveViewer(
  ctx: Pick<Context, "db" | "clock">,
  input: {
    readonly workspace?: string | undefined;
    readonly goal?: string | undefined;
    readonly agent?: string | undefined;
  },
): Promise<Viewer> {
  const workspace = resolveTypedWorkspace(input.workspace ?? ".");
  // A clone may be used in a terminal before any agent works in it.
  await registerClone(ctx, workspace);
  return { workspace, goal: input.goal, agent: input.agent };
}

/** The scope under which a memory is stored: in a shared mind, all clones of a repository have one. */
export async function resolveStoredScope(ctx: Pick<Context, "db" | "clock">, scope: MemoryScope): Promise<MemoryScope> {
  if (scope.kind === "workspace") await registerClone(ctx, scope.name);
  return nameMemoryScope(ctx.db, scope);
}

export async function loadMemoryOut(ctx: Pick<Context, "db">, memory: Memory): Promise<MemoryOut> {
  return memoryOut(memory, (await countMemoryUses(ctx.db, [memory.id])).get(memory.id));
}

export async function loadMemoriesOut(ctx: Pick<Context, "db">, memories: readonly Memory[]): Promise<MemoryOut[]> {
  const counts = await countMemoryUses(
    ctx.db,
    memories.map((memory) => memory.id),
  );
  return memories.map((memory) => memoryOut(memory, counts.get(memory.id)));
}

import { Refusal } from "../decision.ts";
import type { Policy } from "../policy.ts";
import { type Actor, isOwner } from "../actor.ts";
import { clampConfidence, defaultConfidence, type Memory, archiveIfUnsure } from "./memory.ts";

type MemoryPolicy = Policy["memory"];

/** Raises the confidence. May bring an archived memory back. */
export function confirmMemory(memory: Memory, policy: MemoryPolicy): Memory {
  const confidence = clampConfidence(memory.confidence + policy.confirm);
  const status = memory.status === "archived" && confidence >= policy.archiveBelow ? "active" : memory.status;
  return { ...memory, confidence, status };
}

/**
 * Lowers the confidence. Contradictions weigh more than confirmations: a wrong memory costs more than a missing one.
 */
export function contradictMemory(memory: Memory, policy: MemoryPolicy): Memory {
  return archiveIfUnsure({ ...memory, confidence: clampConfidence(memory.confidence - policy.contradict) }, policy);
}

/** What was learned for a goal that has ended is less certain elsewhere. */
export function capFinished(memory: Memory, { finishedGoalCap }: MemoryPolicy): Memory {
  return memory.scope.kind === "goal" && memory.confidence > finishedGoalCap
    ? { ...memory, confidence: finishedGoalCap }
    : memory;
}

/** What held for several goals holds everywhere. One with a key stays: its key names it within its scope. */
export function generaliseMemory(memory: Memory): Memory {
  return memory.scope.kind === "goal" && memory.key === memory.id ? { ...memory, scope: { kind: "global" } } : memory;
}

export function archiveMemory(memory: Memory): Memory {
  return { ...memory, status: "archived" };
}

/** The owner removed it from its file: it is unpinned and archived. */
export function dismissMemory(memory: Memory): Memory {
  return memory.pinned ? archiveMemory(unpinMemory(memory)) : memory;
}

/** A pinned memory is always shown, so it is also made active. */
export function pinMemory(memory: Memory): Memory {
  return { ...memory, pinned: true, status: "active" };
}

/** If the owner pins a profile, it is trusted as the owner's own, whoever wrote it first. */
export function pinMemoryAs(memory: Memory, actor: Actor): Memory {
  return pinMemory(isOwner(actor) && memory.kind === "profile" ? { ...memory, trust: "owner" } : memory);
}

export function unpinMemory(memory: Memory): Memory {
  return { ...memory, pinned: false };
}

export function supersedeMemory(memory: Memory): Memory {
  return { ...memory, status: "superseded" };
}

export function vouchForMemory(memory: Memory, actor: Actor): Memory | Refusal {
  if (!isOwner(actor)) return new Refusal("refused", "only the owner can vouch for a memory");
  return { ...memory, trust: "owner" };
}

/** Only the owner may archive, doubt or move what the owner said or vouched for. */
export function refuseUnlessOwner(memory: Memory, actor: Actor): Refusal | null {
  if (isOwner(actor) || (memory.origin !== "owner" && memory.trust !== "owner")) return null;
  return new Refusal(
    "refused",
    `memory ${memory.key} comes from the owner; only the owner changes it`,
    "tell the user why you think it is wrong; nothing was changed",
  );
}

export interface MemoryEdit {
  readonly text?: string | undefined;
  readonly importance?: number | undefined;
}

export function editMemory(memory: Memory, { text, importance }: MemoryEdit, actor: Actor): Memory | Refusal {
  if (!isOwner(actor))
    return new Refusal(
      "refused",
      "only the owner edits a memory",
      "oldhand remember with the same key replaces a memory that is not the owner's",
    );
  return rewordMemory({ ...memory, importance: importance ?? memory.importance }, text ?? memory.text);
}

/** A new text from the owner makes the memory the owner's. The same text changes nothing. */
export function rewordMemory(memory: Memory, text: string): Memory {
  if (text.trim() === memory.text.trim()) return memory;
  const confidence = Math.max(memory.confidence, defaultConfidence.owner);
  return { ...memory, text: text.trim(), origin: "owner", trust: "owner", confidence };
}

/** True if a file of pinned memories must hold new or other text afterwards. */
export function needsRoom(before: Memory, after: Memory): boolean {
  const inFile = (memory: Memory) => memory.pinned && memory.status === "active";
  return inFile(after) && (!inFile(before) || after.text !== before.text || after.trust !== before.trust);
}

/** Removes the id of a superseded memory, because a forgotten memory must leave no name behind. */
export function withoutPredecessor(memory: Memory, id: string): Memory {
  return { ...memory, supersedes: memory.supersedes.filter((one) => one !== id) };
}

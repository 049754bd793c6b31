import type { Memory } from "../domain/memory/memory.ts";
import type { AttendContext, ReplyPlan } from "./attend.ts";

/** Stores what a person typed to be remembered. Sub-agent prompts are skipped, because an agent wrote them. */
export async function storeTypedMemories(
  { db, config }: AttendContext,
  { toStore }: ReplyPlan,
): Promise<readonly Memory[]> {
  const kept: Memory[] = [];
  for (const { kind, agent, text, ...prompt } of toStore) {
    if (kind !== "prompt" || agent !== null || text === null || !/\b(?:remember|forget)\b/i.test(text)) continue;
    const { writeTypedMemories } = await import("../store/journal/typed-memories.ts");
    const made = await writeTypedMemories(db, { ...prompt, text }, config.policy.memory);
    kept.push(...made.map((one) => one.memory));
  }
  return kept;
}
